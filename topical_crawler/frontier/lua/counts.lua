-- What the crawl counts of hosts. ARGV: time, what, and of
--   read   packed list of hosts; returns what was written last of each, false where nothing was
--   write  packed list of {host, bytes}; of two those of the higher number of pages stay
local failed = begin(ARGV[1])
if failed then return failed end
local what, items = ARGV[2], cmsgpack.unpack(ARGV[3])
if what == 'read' then return {#items > 0 and call('HMGET', COUNTS, unpack(items)) or {}} end

local function pages(record)  -- Lua would compare the bytes as texts, in the order of the server's language
  return struct.unpack('>I8', record)
end

for _, item in ipairs(items) do
  local known = call('HGET', COUNTS, item[1])
  if not known or pages(known) < pages(item[2]) then call('HSET', COUNTS, item[1], item[2]) end
end
return {#items}
