-- ARGV: time, how many outcomes are known, how many to give, how many to forget first.
-- Returns how many outcomes come before the first that is given, and the outcomes. Those that are forgotten keep their numbers.
local after, most, forget = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local cut = tonumber(call('HGET', META, 'cut') or 0)
if forget > cut then
  local size = cut + call('LLEN', OUTCOMES)
  cut = math.min(forget, size)
  call('LTRIM', OUTCOMES, cut - size, -1)
  if cut == size then call('DEL', OUTCOMES) end
  call('HSET', META, 'cut', cut)
end
after = math.max(cut, math.min(after, cut + call('LLEN', OUTCOMES)))  -- a replica that took over may have fewer
return {{after, most > 0 and call('LRANGE', OUTCOMES, after - cut, after - cut + most - 1) or {}}}
