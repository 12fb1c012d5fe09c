-- The log of a part goes into the log of the crawl, which is this part's. ARGV: time, number of the part, how many of its outcomes were
-- taken over before, how many come before those that are given, outcomes. Does nothing where another worker was quicker. Returns how many
-- are taken over.
local failed = begin(ARGV[1])
if failed then return failed end
local field = 'log ' .. ARGV[2]
local taken = tonumber(call('HGET', META, field) or 0)
if taken ~= tonumber(ARGV[3]) then return {taken} end
for i = 5, #ARGV do call('RPUSH', OUTCOMES, ARGV[i]) end
taken = tonumber(ARGV[4]) + #ARGV - 4
call('HSET', META, field, taken)
return {taken}
