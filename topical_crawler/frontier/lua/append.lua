-- ARGV: time, name of a list, how many elements it has by the worker's knowledge, further elements ...
-- Returns 1, and 0 where the list has more: another worker was quicker.
local failed = begin(ARGV[1])
if failed then return failed end
local list = P .. ARGV[2]
if call('LLEN', list) ~= tonumber(ARGV[3]) then return 0 end
return call('RPUSH', list, unpack(ARGV, 4)) and 1
