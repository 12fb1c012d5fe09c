-- ARGV: time, name of a list, how many elements it has by the worker's knowledge, further elements ...
-- Returns 1, and 0 where the list has more: another worker was quicker. A log that begins later begins with the number of its first.
local failed = begin(ARGV[1])
if failed then return failed end
local list, known, field = P .. ARGV[2], tonumber(ARGV[3]), 'cut ' .. ARGV[2]
local size = call('LLEN', list) + (call('HGET', META, field) or 0)
if size ~= known then
  if known < size or call('EXISTS', list) == 1 then return 0 end
  call('HSET', META, field, known)
end
return call('RPUSH', list, unpack(ARGV, 4)) and 1
