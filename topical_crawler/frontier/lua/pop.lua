-- ARGV: time, what ('pop' or 'next'), worker, most entries to pop, lowest priority that is wanted ('': any). Leases that ran out are
-- given back first. To pop it returns {record, key, token, record ...} of the best entries, now leased, else false; next is in the head.
local failed = begin(ARGV[1])
if failed then return failed end
local what, worker = ARGV[2], ARGV[3]

local function expire()
  call('HSET', META, 'check', now + math.min(1, lease / 20))
  for _, key in ipairs(call('ZRANGEBYSCORE', LEASES, '-inf', now, 'LIMIT', 0, 64)) do
    local packed = call('HGET', FLIGHTS, key)
    local record = call('HGET', ENTRIES, key)
    local e = record and parse(record)
    if packed then land(key, cmsgpack.unpack(packed)) else call('ZREM', LEASES, key) end
    call('HINCRBY', META, 'expired', 1)
    if e then
      enqueue(e, key)
      waiting = waiting + 1
    else
      set_aside(key, record)
    end
  end
end

local least = ARGV[5] and ARGV[5] ~= '' and -tonumber(ARGV[5])

-- The best entry; nil where there is none.
local function take()
  local given = string.format('%.17g', now)  -- a string: it has not arrived at its host
  while true do
    local popped = call('ZPOPMIN', READY)
    local best = popped[1]
    if not best then return nil end
    if least and tonumber(popped[2]) > least then
      call('ZADD', READY, popped[2], best)
      return nil
    end
    local host = string.sub(best, 7)
    local h = host_record(host)
    h[4] = ''
    touched[host] = true
    local m = call('ZPOPMIN', QUEUE .. host)[1]
    if m then
      local key = string.sub(m, 7)
      local record = call('HGET', ENTRIES, key)
      waiting = waiting - 1
      -- A second place of an entry that was found again while its record was damaged leads nowhere.
      if not record or not parse(record) then set_aside(key, record)
      elseif string.byte(record, 2) == WAITING and call('HSETNX', FLIGHTS, key, cmsgpack.pack({token, given, host, m, worker})) == 1 then
        h[#h + 1] = given
        settle_touched()
        return record, key
      end
    end
    settle_touched()
  end
end

local function pop(most)
  if max_pages > 0 then
    most = math.min(most, max_pages - tonumber(call('HGET', META, 'pages') or 0) - call('HLEN', FLIGHTS))
  end
  local taken, leases = {}, {}
  while most > 0 do
    local record, key = take()
    if not record then break end
    taken[#taken + 1] = record
    taken[#taken + 1] = key
    taken[#taken + 1] = token
    leases[#leases + 1] = now + lease
    leases[#leases + 1] = key
    token, most = token + 1, most - 1
  end
  if #taken > 3 then call('HSET', META, 'token', token) end
  if #leases > 0 then call('ZADD', LEASES, unpack(leases)) end
  return taken[1] and taken or false
end

if now >= check then
  expire()
  settle_touched()
end
wake()
if what == 'pop' then return finish(pop(tonumber(ARGV[4]))) end
return finish({})
