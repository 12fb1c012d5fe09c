-- ARGV: time, what, and of
--   reprice   packed list of {key, priority}
--   revive    packed list of {key, host, url}
--   discard   reason, host, most to drop, lowest priority to spare ('' where all go)
--   delay     host, seconds
--   evict     most to drop, priority of the best that may go
--   renew     worker ('' where another part knows it), packed list of {key, token}; returns the keys whose lease is lost
-- Returns how many entries changed.
local failed = begin(ARGV[1])
if failed then return failed end
local what = ARGV[2]
local changed = 0

local function known(key)
  local record = call('HGET', ENTRIES, key)
  return record and parse(record)
end

if what == 'reprice' then
  for _, given in ipairs(cmsgpack.unpack(ARGV[3])) do
    local e = known(given[1])
    if e and e.state == WAITING and call('HEXISTS', FLIGHTS, given[1]) == 0 then
      e.priority, e.rescored = given[2], 0
      call('HSET', ENTRIES, given[1], build(e))
      enqueue(e, given[1])
      touched[e.host] = true
      changed = changed + 1
    end
  end
elseif what == 'revive' then
  for _, given in ipairs(cmsgpack.unpack(ARGV[3])) do
    local e = known(given[1])
    if e and (e.state == DONE or e.state == DROPPED) then
      if e.state == DONE then call('HINCRBY', META, 'done', -1)
      elseif call('HINCRBY', REASONS, e.reason, -1) <= 0 then call('HDEL', REASONS, e.reason) end
      e.state, e.host, e.url, e.reason, e.rescored = WAITING, given[2], given[3], '', 0
      call('HSET', ENTRIES, given[1], build(e))
      enqueue(e, given[1])
      waiting, changed = waiting + 1, changed + 1
    end
  end
elseif what == 'discard' then
  local reason, host = ARGV[3], ARGV[4]
  local above = ARGV[6] == '' and '-inf' or '(' .. string.format('%.17g', -tonumber(ARGV[6]))
  for _, m in ipairs(call('ZREVRANGEBYSCORE', QUEUE .. host, '+inf', above, 'LIMIT', 0, ARGV[5])) do
    local key = string.sub(m, 7)
    local e = known(key)
    call('ZREM', QUEUE .. host, m)
    waiting, changed = waiting - 1, changed + 1
    if e then
      e.state, e.reason = DROPPED, reason
      call('HSET', ENTRIES, key, build(e))
      call('HINCRBY', REASONS, reason, 1)
    else
      set_aside(key, call('HGET', ENTRIES, key))
    end
  end
  touched[host] = true
elseif what == 'evict' then
  changed = evict(tonumber(ARGV[3]), -tonumber(ARGV[4]))
elseif what == 'delay' then
  host_record(ARGV[3])[1] = tonumber(ARGV[4])
  settle(ARGV[3])
else
  local lost = {}
  for _, given in ipairs(cmsgpack.unpack(ARGV[4])) do
    local packed = call('HGET', FLIGHTS, given[1])
    if packed and cmsgpack.unpack(packed)[1] == given[2] then call('ZADD', LEASES, now + lease, given[1])
    else lost[#lost + 1] = given[1] end
  end
  if ARGV[3] ~= '' then call('ZADD', WORKERS, now, ARGV[3]) end
  changed = lost
end
return finish(changed)
