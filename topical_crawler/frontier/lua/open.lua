-- ARGV: version, worker, delay, in flight per host, lease, most waiting, most pages, time ('': it is measured from here).
-- The settings hold for all workers: those of the first one, until none is left (none was heard of for the time of a lease).
-- Returns {version, 1 where the settings are another worker's, delay, in flight, lease, most waiting, most pages}.
local m = redis.call('HGET', KEYS[1] .. 'meta', 'version')
if m and m ~= ARGV[1] then return {m} end
if not m then
  redis.call('HSET', KEYS[1] .. 'meta', 'format', 'topical_crawler frontier', 'version', ARGV[1], 'bare', 'host', 'clock', '0', 'lease', ARGV[5],
    'delay', ARGV[3], 'limit', ARGV[4], 'max_waiting', ARGV[6], 'max_pages', ARGV[7])
end
local failed = begin(ARGV[8])
if failed then return failed end
call('ZREMRANGEBYSCORE', WORKERS, '-inf', now - math.max(lease, 10))
call('ZREM', WORKERS, ARGV[2])
local others = call('ZCARD', WORKERS)
if others == 0 then
  call('DEL', CLOCKS)
  local before = call('HMGET', META, 'delay', 'limit')
  call('HSET', META, 'delay', ARGV[3], 'limit', ARGV[4], 'lease', ARGV[5], 'max_waiting', ARGV[6], 'max_pages', ARGV[7])
  delay, limit, max_waiting = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[6])
  if max_waiting > 0 and call('EXISTS', WORST) == 0 then
    for _, host in ipairs(call('HKEYS', HOSTS)) do
      local tail = call('ZRANGE', QUEUE .. host, -1, -1, 'WITHSCORES')
      if tail[1] then call('ZADD', WORST, tail[2], string.sub(tail[1], 1, 6) .. host) end
    end
  elseif max_waiting == 0 then
    call('UNLINK', WORST)
  end
  if before[1] ~= ARGV[3] or before[2] ~= ARGV[4] then
    for _, host in ipairs(call('HKEYS', HOSTS)) do settle(host) end
  end
end
finish()
if ARGV[8] == '' then call('HSET', CLOCKS, ARGV[2], now) end  -- it measures from here
call('ZADD', WORKERS, now, ARGV[2])
local s = call('HMGET', META, 'delay', 'limit', 'lease', 'max_waiting', 'max_pages')
return {ARGV[1], others, s[1], s[2], s[3], s[4], s[5]}
