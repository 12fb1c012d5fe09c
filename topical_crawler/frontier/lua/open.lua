-- ARGV: worker ('' in a part beside the crawl's own, which knows the workers), delay, in flight per host, lease, most waiting, most
-- pages, time ('': it is measured from here), parts of a new crawl.
-- The settings hold for all workers: those of the first one, until none is left (none was heard of for the time of a lease).
-- Returns {version, parts, delay, in flight, lease, most waiting, most pages}; nothing but the version where it is another one.
local version = call('HGET', META, 'version')
if not version then
  call('HSET', META, 'format', 'topical_crawler frontier', 'version', VERSION, 'time', '0', 'lease', ARGV[4],
    'delay', ARGV[2], 'limit', ARGV[3], 'max_waiting', ARGV[5], 'max_pages', ARGV[6], 'parts', ARGV[8] or 0)
elseif version ~= VERSION then return {{version}} end
local failed = begin(ARGV[7])
if failed then return failed end
local others = 0
if ARGV[1] ~= '' then
  call('ZREMRANGEBYSCORE', WORKERS, '-inf', now - math.max(lease, 10))
  call('ZREM', WORKERS, ARGV[1])
  others = call('ZCARD', WORKERS)
  if others == 0 then call('DEL', CLOCKS) end
end
if others == 0 then
  local before = call('HMGET', META, 'delay', 'limit')
  call('HSET', META, 'delay', ARGV[2], 'limit', ARGV[3], 'lease', ARGV[4], 'max_waiting', ARGV[5], 'max_pages', ARGV[6])
  delay, limit, max_waiting = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])
  if max_waiting > 0 and call('EXISTS', WORST) == 0 then
    for _, host in ipairs(call('HKEYS', HOSTS)) do
      local tail = call('ZRANGE', QUEUE .. host, -1, -1, 'WITHSCORES')
      if tail[1] then call('ZADD', WORST, tail[2], string.sub(tail[1], 1, 6) .. host) end
    end
  elseif max_waiting == 0 then
    call('UNLINK', WORST)
  end
  if before[1] ~= ARGV[2] or before[2] ~= ARGV[3] then
    for _, host in ipairs(call('HKEYS', HOSTS)) do settle(host) end
  end
end
if ARGV[1] ~= '' then
  if ARGV[7] == '' then call('HSET', CLOCKS, ARGV[1], now) end  -- it measures from here
  call('ZADD', WORKERS, now, ARGV[1])
end
return finish({VERSION, unpack(call('HMGET', META, 'parts', 'delay', 'limit', 'lease', 'max_waiting', 'max_pages'))})
