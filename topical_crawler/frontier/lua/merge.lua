-- ARGV: time, how many elements the list has by the worker's knowledge, a further element.
-- Returns 1, and 0 where the list has more: another worker was quicker.
local failed = begin(ARGV[1])
if failed then return failed end
if call('LLEN', MERGED) ~= tonumber(ARGV[2]) then return 0 end
return call('RPUSH', MERGED, ARGV[3]) and 1
