-- Moving hosts from a shard to another one. ARGV: time, what, packed list of, where hosts leave,
--   leave    hosts: nothing of them is given out any more, until a newer map of shards is heard of
--   give     {key, record}: entries that the other shard has; those that have changed meanwhile stay
--   forget   hosts whose entries have all gone; what is too damaged to go along is set aside
-- and where they arrive,
--   arrive   {host, own delay or -1}
--   take     {key, record}: entries
-- Returns how many entries or hosts changed. Whatever is done twice does nothing the second time.
local failed = begin(ARGV[1])
if failed then return failed end
local what, items = ARGV[2], cmsgpack.unpack(ARGV[3])
local changed = 0

local function count(e, by)
  if e.state == WAITING then waiting = waiting + by
  elseif e.state == DONE then call('HINCRBY', META, 'done', by)
  elseif call('HINCRBY', REASONS, e.reason, by) <= 0 then call('HDEL', REASONS, e.reason) end
  changed = changed + 1
end

if what == 'leave' then
  if not leaving then call('UNLINK', LEAVING) end
  leaving = true
  call('HSET', META, 'leaving', call('HGET', META, 'map'))
  for _, host in ipairs(items) do
    changed = changed + call('SADD', LEAVING, host)
    settle(host)
  end
elseif what == 'give' then
  for _, item in ipairs(items) do
    local key, record = unpack(item)
    if call('HGET', ENTRIES, key) == record and call('HEXISTS', FLIGHTS, key) == 0 then
      local e = parse(record)
      if e then
        call('HDEL', ENTRIES, key)
        if e.state == WAITING then
          call('ZREM', QUEUE .. e.host, member(e, key))
          touched[e.host] = true
        end
        count(e, -1)
      else
        set_aside(key, record)
      end
    end
  end
elseif what == 'forget' then
  for _, host in ipairs(items) do
    for _, m in ipairs(call('ZRANGE', QUEUE .. host, 0, -1)) do
      local key = string.sub(m, 7)
      local record = call('HGET', ENTRIES, key)
      local e = record and parse(record)
      if not e or e.host ~= host then
        call('ZREM', QUEUE .. host, m)
        waiting = waiting - 1
        if record then set_aside(key, record) end
      end
    end
    settle(host)
    local h = host_record(host)
    if not h[5] and #h < FLYING then
      call('ZREM', RESTING, host)
      changed = changed + call('HDEL', HOSTS, host)
    end
  end
elseif what == 'arrive' then
  for _, item in ipairs(items) do
    local h = host_record(item[1])
    h[1], h[2] = math.max(h[1], item[2]), math.max(h[2], now)  -- a worker may have set a longer delay meanwhile
    settle(item[1])
    changed = changed + 1
  end
else
  for _, item in ipairs(items) do
    local key, record = unpack(item)
    local e = parse(record)
    if e and call('HEXISTS', ENTRIES, key) == 0 then
      call('HSET', ENTRIES, key, record)
      if e.state == WAITING then enqueue(e, key) end
      count(e, 1)
    end
  end
  if max_waiting > 0 then evict() end
end
finish()
return changed
