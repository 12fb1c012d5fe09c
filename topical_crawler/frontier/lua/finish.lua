-- ARGV: time, what, worker, key, token, and of
--   done      packed outcome, 1 where it counts as a page, packed links
--   requeue   host, url, meta ('' each: as before)
--   put_back  priority
--   drop      reason
--   sent      nothing
--   leave     nothing: the entry goes on in another part
-- Returns what push() returns, {} for the others, and false where the lease is lost. A call that is sent twice (its answer had been lost
-- with the connection) does nothing the second time.
local failed = begin(ARGV[1])
if failed then return failed end
local what, worker, key, given = ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local packed = call('HGET', FLIGHTS, key)
local flight = packed and cmsgpack.unpack(packed)
if not flight or tostring(flight[1]) ~= given then
  if given ~= '' and call('HGET', FINISHED, worker) == given then return {{0, 0, 0, {}}} end
  return {false}
end

if what == 'sent' then
  local h = host_record(flight[3])
  for i = FLYING, #h do
    if h[i] == flight[2] then h[i] = now break end
  end
  flight[2] = now
  call('HSET', FLIGHTS, key, cmsgpack.pack(flight))
  touched[flight[3]] = true
  return finish({})
end

local links = what == 'done' and cmsgpack.unpack(ARGV[8])
local record = call('HGET', ENTRIES, key)
local e = record and parse(record)
local result = {}
land(key, flight, what == 'put_back' or what == 'drop')
call('HSET', FINISHED, worker, given)
if not e then
  set_aside(key, record)
  if what ~= 'done' then return finish(result) end
end
if what == 'done' then
  if e then call('HSET', ENTRIES, key, bare(e, DONE)) end
  call('RPUSH', OUTCOMES, ARGV[6])
  call('HINCRBY', META, 'done', e and 1 or 0)
  call('HINCRBY', META, 'pages', ARGV[7])
  result = push(links)
elseif what == 'leave' then
  call('HSET', ENTRIES, key, bare(e, DONE))
  call('HINCRBY', META, 'done', 1)
elseif what == 'drop' then
  e.state, e.reason = DROPPED, ARGV[6]
  call('HSET', ENTRIES, key, build(e))
  call('HINCRBY', REASONS, e.reason, 1)
else
  if what == 'put_back' then
    e.priority, e.rescored = tonumber(ARGV[6]), e.rescored + 1
  elseif ARGV[7] ~= '' then
    e.host, e.url = ARGV[6], ARGV[7]
  end
  if what == 'requeue' and ARGV[8] ~= '' then e.meta = ARGV[8] end
  if what == 'put_back' or ARGV[7] ~= '' or ARGV[8] ~= '' then call('HSET', ENTRIES, key, build(e)) end
  enqueue(e, key)
  waiting = waiting + 1
end
return finish(result)
