-- ARGV: time, name, number of pages, text. Saves the text under the name unless one of more pages was. Returns whether it did.
local failed = begin(ARGV[1])
if failed then return failed end
local saved = P .. 'saved'
if tonumber(call('HGET', saved, ARGV[2] .. ' pages') or 0) > tonumber(ARGV[3]) then return {0} end
call('HSET', saved, ARGV[2], ARGV[4], ARGV[2] .. ' pages', ARGV[3])
return {1}
