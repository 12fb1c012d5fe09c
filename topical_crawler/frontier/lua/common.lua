-- What the scripts of the Redis frontier share. KEYS[2] is the prefix of all keys of one part of a crawl; the keys of the hosts' queues
-- are made from it. KEYS[1], its `meta`, is there and KEYS[2] never is: so a Redis Cluster refuses a script (TRYAGAIN) as long as the
-- keys of the part are on their way from one server to another.
--
-- Every script returns {its answer, numbers of with_head()}, or {its answer} alone.
--
--   meta      HASH   version, counters, the crawl's clock, and the settings that hold for all workers
--   entries   HASH   key of an entry (16 bytes) -> its record, see parse()
--   queue:H   ZSET   of each host: what waits; score -priority, member number (6 bytes) .. key, so that equals stand in their order
--   ready     ZSET   the hosts whose turn it is, as number of the best entry .. host, by its score
--   resting   ZSET   the hosts whose delay is running -> when it is over
--   hosts     HASH   host -> {own delay or -1, last use, when it is due, member in `ready`, score of the best that waits or false,
--                    times of what is in flight ...; as a string for what has not arrived there yet}
--   flights   HASH   key -> {token, given out at, host, member, worker}
--   leases    ZSET   key -> when it runs out
--   outcomes  LIST   what became of the pages, in their order
--   reasons   HASH   reason -> how many entries are dropped for it
--   worst     ZSET   candidates for eviction, number .. host by score; may hold members that are gone (only with a bound)
--   damaged   HASH   records that cannot be read, by key
--   workers   ZSET   worker -> when it was last heard of
--   clocks    HASH   worker -> the crawl's clock at its last call
--   finished  HASH   worker -> token of what it finished last: a call that is sent twice is recognised
--   counts    HASH   host -> what the crawl has counted of it: number of the page until which (8 bytes), and what is counted

local P = KEYS[2]
local META, ENTRIES, QUEUE, READY, RESTING = P .. 'meta', P .. 'entries', P .. 'queue:', P .. 'ready', P .. 'resting'
local HOSTS, FLIGHTS, LEASES, OUTCOMES, REASONS = P .. 'hosts', P .. 'flights', P .. 'leases', P .. 'outcomes', P .. 'reasons'
local WORST, DAMAGED, WORKERS, FINISHED, CLOCKS = P .. 'worst', P .. 'damaged', P .. 'workers', P .. 'finished', P .. 'clocks'
local COUNTS = P .. 'counts'
local WAITING, DONE, DROPPED = 0, 2, 3  -- in flight is what has a flight; its record goes on as it was
local RECORD, HEADER, HEADER_BYTES = 1, '>BBI6dI2I2BBI2I2B', 27
local MAX_EVIDENCE, MAX_RECORD = 8, 32768
local NO_ROOM = 'no room'
local NEVER = -1e15
local LONGEST_STEP = 10  -- seconds by which one call can move the clock
local LEEWAY = 0.1  -- seconds that a call or its answer may take longer than the one before
local call = redis.call

local delay, limit, lease, max_waiting, max_pages
local now, token, check
local waiting, with_waiting = 0, 0  -- changes in the numbers of waiting entries, and of hosts that have one
local hosts, touched = {}, {}
local FLYING = 6  -- where the times of what is in flight begin in a host's record

-- Read the settings, and the time: the caller's, or one on a clock of the crawl's own that never runs back and makes no jump, whatever is
-- done to the server's and however long it was away: it follows the server's, but moves no further than the worker has measured since
-- its last call ('m', its seconds, ':', its name). Without a measure ('') it stands. The write comes first: where memory is full it
-- fails, before anything has changed.
local function begin(given)
  local m = call('HMGET', META, 'version', 'raw', 'time', 'delay', 'limit', 'lease', 'max_waiting', 'max_pages', 'token', 'check')
  if m[1] ~= VERSION then return redis.error_reply(m[1] and 'VERSION ' .. m[1] or 'GONE') end
  delay, limit, lease, max_waiting, max_pages = tonumber(m[4]), tonumber(m[5]), tonumber(m[6]), tonumber(m[7]), tonumber(m[8])
  token, check = (tonumber(m[9]) or 0) + 1, tonumber(m[10]) or NEVER
  local measured, worker = string.match(given, '^m([^:]+):(.*)$')
  if not measured then
    now = tonumber(given == '' and m[3] or given)
    call('HSET', META, 'time', now, 'token', token)
    return
  end
  local t = call('TIME')
  local raw, clock = t[1] + t[2] / 1e6, tonumber(m[3])
  local step = m[2] and raw - m[2] or 0
  if step < 0 then step = 0 elseif step > LONGEST_STEP then step = LONGEST_STEP end
  now = clock + step
  local most = (call('HGET', CLOCKS, worker) or clock) + measured
  if now > most + LEEWAY then now = math.max(clock, most) end
  call('HSET', META, 'raw', raw, 'time', now, 'token', token)
  call('HSET', CLOCKS, worker, now)
end

-- An entry's record: a header, then host, url, meta, reason (their lengths are in the header) and the evidence, JSON pieces with commas.
-- nil for what is none.
local function parse(record)
  if #record < HEADER_BYTES or string.byte(record, 1) ~= RECORD then return nil end
  local _, state, number, priority, depth, rescored, parents, h, u, m, r = struct.unpack(HEADER, record)
  local at = HEADER_BYTES
  if at + h + u + m + r > #record or state > DROPPED or priority ~= priority then return nil end
  local e = {state = state, number = number, priority = priority, depth = depth, rescored = rescored, parents = parents}
  e.host = string.sub(record, at + 1, at + h); at = at + h
  e.url = string.sub(record, at + 1, at + u); at = at + u
  e.meta = string.sub(record, at + 1, at + m); at = at + m
  e.reason = string.sub(record, at + 1, at + r); at = at + r
  e.evidence = string.sub(record, at + 1)
  return e
end

local function build(e)
  return struct.pack(HEADER, RECORD, e.state, e.number, e.priority, e.depth, e.rescored, e.parents, #e.host, #e.url, #e.meta, #e.reason)
    .. e.host .. e.url .. e.meta .. e.reason .. e.evidence
end

local function member(e, key)
  return struct.pack('>I6', e.number) .. key
end

-- With its host alone: what a page that is done, or a link that was dropped for want of room, still takes.
local function bare(e, state, reason)
  e.state, e.rescored, e.parents, e.url, e.meta, e.reason, e.evidence = state, 0, 0, '', '', reason or '', ''
  return build(e)
end

local function host_record(host)
  local h = hosts[host]
  if not h then
    local packed = call('HGET', HOSTS, host)
    h = packed and cmsgpack.unpack(packed) or {-1, NEVER, NEVER, '', false}
    hosts[host] = h
  end
  return h
end

-- An entry waits in its host's queue; where that may change the host's best one, settle() will look.
local function enqueue(e, key)
  local score, m = -e.priority, member(e, key)
  call('ZADD', QUEUE .. e.host, score, m)
  if not touched[e.host] then
    local head = host_record(e.host)[5]
    if not head or score <= head then touched[e.host] = true end
  end
  if max_waiting > 0 and call('ZRANGE', QUEUE .. e.host, -1, -1)[1] == m then
    call('ZADD', WORST, score, string.sub(m, 1, 6) .. e.host)
  end
end

-- Whether a further entry of the host may go in flight. Of a host with a delay only one is on its way at a time: of two, the second could
-- arrive right behind the first.
local function has_room(h)
  if #h - FLYING + 1 >= limit then return false end
  if (h[1] >= 0 and h[1] or delay) == 0 then return true end
  for i = FLYING, #h do if type(h[i]) == 'string' then return false end end
  return true
end

-- Put a host where it belongs after a change: among the ready, the resting, or nowhere (nothing waits, or it is full).
local function settle(host)
  local h = host_record(host)
  local head = call('ZRANGE', QUEUE .. host, 0, 0, 'WITHSCORES')
  local ready, due = '', NEVER
  local score = head[2] and tonumber(head[2]) or false
  if (score == false) ~= (h[5] == false) then with_waiting = with_waiting + (score and 1 or -1) end
  if score then
    if has_room(h) then
      local last = h[2]
      for i = FLYING, #h do last = math.max(last, tonumber(h[i])) end
      if last == NEVER then ready = string.sub(head[1], 1, 6) .. host
      else
        due = last + (h[1] >= 0 and h[1] or delay)
        if due <= now then ready, due = string.sub(head[1], 1, 6) .. host, NEVER end
      end
    end
  end
  if h[4] ~= '' and h[4] ~= ready then call('ZREM', READY, h[4]) end
  if ready ~= '' and (h[4] ~= ready or h[5] ~= score) then call('ZADD', READY, score, ready) end
  if due ~= NEVER then call('ZADD', RESTING, due, host)
  elseif h[3] ~= NEVER then call('ZREM', RESTING, host) end
  h[3], h[4], h[5] = due, ready, score
  call('HSET', HOSTS, host, cmsgpack.pack(h))
end

local function settle_touched()
  for host in pairs(touched) do settle(host) end
  touched = {}
end

-- Hosts whose rest is over become ready.
local function wake()
  while true do
    local due = call('ZRANGEBYSCORE', RESTING, '-inf', now, 'LIMIT', 0, 64)
    for _, host in ipairs(due) do
      call('ZREM', RESTING, host)
      settle(host)
    end
    if #due < 64 then return end
  end
end

-- What cannot be read is set aside, whole.
local function set_aside(key, record)
  if record then call('HSET', DAMAGED, key, record) end
  call('HDEL', ENTRIES, key)
  call('HINCRBY', META, 'damaged', 1)
end

-- An entry is no longer in flight. Its turn counts as used, or is given back.
local function land(key, flight, give_back)
  call('HDEL', FLIGHTS, key)
  call('ZREM', LEASES, key)
  local h = host_record(flight[3])
  for i = FLYING, #h do
    if h[i] == flight[2] then table.remove(h, i) break end
  end
  if not give_back then h[2] = math.max(h[2], tonumber(flight[2])) end
  touched[flight[3]] = true
end

-- Drop the worst of all that waits: so many, but none of a score below `least`. Returns how many.
local function evict(over, least)
  local dropped = 0
  while over > dropped do
    local worst = call('ZRANGE', WORST, -1, -1, 'WITHSCORES')
    if not worst[1] or tonumber(worst[2]) < least then return dropped end
    local host = string.sub(worst[1], 7)
    local tail = call('ZRANGE', QUEUE .. host, -1, -1, 'WITHSCORES')
    if tail[1] and string.sub(tail[1], 1, 6) == string.sub(worst[1], 1, 6) and tail[2] == worst[2] then
      local key = string.sub(tail[1], 7)
      local record = call('HGET', ENTRIES, key)
      local e = record and parse(record)
      call('ZREM', QUEUE .. host, tail[1])
      touched[host] = true
      waiting, dropped = waiting - 1, dropped + 1
      if e then
        call('HSET', ENTRIES, key, bare(e, DROPPED, NO_ROOM))
        call('HINCRBY', REASONS, NO_ROOM, 1)
      else
        set_aside(key, record)
      end
      tail = call('ZRANGE', QUEUE .. host, -1, -1, 'WITHSCORES')
    end
    call('ZREM', WORST, worst[1])
    if tail[1] then call('ZADD', WORST, tail[2], string.sub(tail[1], 1, 6) .. host) end
  end
  return dropped
end

local function as_text(number)  -- Redis would cut a number to a whole one
  return number and string.format('%.17g', number) or false
end

-- `answer`, with what a worker keeps in mind of the part: priority of the best entry whose turn it is, seconds until a further host's turn
-- comes, priority of its best one, priority of the worst that waits (with a bound), how much waits, is in flight and is done, hosts,
-- pages, and the length of the log. False each where there is none.
local function with_head(answer)
  local best, due = call('ZRANGE', READY, 0, 0, 'WITHSCORES')[2], call('ZRANGE', RESTING, 0, 0, 'WITHSCORES')
  local worst = call('ZRANGE', WORST, -1, -1, 'WITHSCORES')[2]
  local counts = call('HMGET', META, 'waiting', 'done', 'hosts', 'pages', 'cut')
  for i = 1, 5 do counts[i] = tonumber(counts[i] or 0) end
  return {
    answer, as_text(best and -best), as_text(due[2] and due[2] - now), as_text(due[2] and -host_record(due[1])[5]),
    as_text(worst and -worst), counts[1], call('HLEN', FLIGHTS), counts[2], counts[3], counts[4], counts[5] + call('LLEN', OUTCOMES),
  }
end

-- Put the hosts that were touched where they belong, write the counts, and return `answer` with the head.
local function finish(answer)
  settle_touched()
  wake()
  if waiting ~= 0 then call('HINCRBY', META, 'waiting', waiting) end
  if with_waiting ~= 0 then call('HINCRBY', META, 'hosts', with_waiting) end
  return with_head(answer)
end

-- Add links: packed list of {key, host, url, priority, depth, rescored, meta, reason, {{find, piece} ...}}; see Frontier.push. `find` is
-- what the piece begins with: no other part of a record's evidence can hold it. Returns new, raised, known, and {reason, number ...}.
local function push(links)
  local new, raised, known, dropped, reasons = 0, 0, 0, {}, {}
  local records, flying = {}, {}
  for first = 1, #links, 500 do
    local keys = {}
    for i = first, math.min(first + 499, #links) do keys[#keys + 1] = links[i][1] end
    for i, record in ipairs(call('HMGET', ENTRIES, unpack(keys))) do records[keys[i]] = record end
    for i, flight in ipairs(call('HMGET', FLIGHTS, unpack(keys))) do flying[keys[i]] = flight end
  end
  local number
  for _, link in ipairs(links) do
    local key, host, url, priority, depth, rescored, meta, reason, pieces = unpack(link)
    local record = records[key]
    local state = record and string.byte(record, 2)
    local e
    if record and state ~= DONE and not flying[key] then
      e = parse(record)
      if not e then
        set_aside(key, record)
        record = false
      end
    end
    if record and not e then
      known = known + 1
    else
      local fresh = not e
      if fresh then
        if not number then number = tonumber(call('HGET', META, 'number') or 0) end
        number = number + 1
        e = {number = number, parents = 0, evidence = ''}
      end
      local gained = false
      local size = #url + #e.evidence
      for _, piece in ipairs(pieces) do
        if e.parents >= MAX_EVIDENCE then break end
        size = size + #piece[2] + 1
        if size <= MAX_RECORD and not string.find(e.evidence, piece[1], 1, true) then
          e.evidence = e.evidence == '' and piece[2] or e.evidence .. ',' .. piece[2]
          e.parents = e.parents + 1
          gained = true
        end
      end
      if fresh or (state == DROPPED and reason == '') then
        if not fresh then
          reasons[e.reason] = (reasons[e.reason] or 0) - 1
          raised = raised + 1
        elseif reason == '' then new = new + 1
        else
          reasons[reason] = (reasons[reason] or 0) + 1
          dropped[reason] = (dropped[reason] or 0) + 1
        end
        e.state = reason == '' and WAITING or DROPPED
        e.priority, e.depth, e.rescored, e.host, e.url, e.meta, e.reason = priority, depth, rescored, host, url, meta, reason
        if reason == '' then
          waiting = waiting + 1
          enqueue(e, key)
        end
        gained = true
      else
        if gained then raised = raised + 1 else known = known + 1 end
        if state == WAITING and priority > e.priority then
          e.priority = priority
          enqueue(e, key)
          gained = true
        end
      end
      if gained then
        record = build(e)
        records[key] = record
        call('HSET', ENTRIES, key, record)
      end
    end
  end
  if number then call('HSET', META, 'number', number) end
  for reason, n in pairs(reasons) do
    if call('HINCRBY', REASONS, reason, n) <= 0 then call('HDEL', REASONS, reason) end
  end
  if max_waiting > 0 then evict(tonumber(call('HGET', META, 'waiting') or 0) + waiting - max_waiting, -math.huge) end
  local counted = {}
  for reason, n in pairs(dropped) do
    counted[#counted + 1] = reason
    counted[#counted + 1] = n
  end
  return {new, raised, known, counted}
end
