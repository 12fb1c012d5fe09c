-- ARGV: time, packed links.
local failed = begin(ARGV[1])
if failed then return failed end
return finish(push(cmsgpack.unpack(ARGV[2])))
