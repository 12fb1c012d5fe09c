-- ARGV: time, number of a shard, packed links for it.
local failed = begin(ARGV[1])
if failed then return failed end
return call('RPUSH', P .. 'kept:' .. ARGV[2], ARGV[3])
