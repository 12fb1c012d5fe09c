-- ARGV: time, packed links.
local failed = begin(ARGV[1])
if failed then return failed end
local pushed = push(cmsgpack.unpack(ARGV[2]))
finish()
return pushed
