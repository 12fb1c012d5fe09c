-- ARGV: time, name of a list, how many of its elements are known, how many to give, how many to forget first.
-- Returns how many there ever were, how many come before the first that is given, and the elements. Those that are forgotten keep their
-- numbers.
local name, after, most, forget = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local list, cut = P .. name, tonumber(call('HGET', META, 'cut ' .. name) or 0)
local size = cut + call('LLEN', list)
if forget > cut then
  cut = math.min(forget, size)
  call('LTRIM', list, cut - size, -1)
  if cut == size then call('DEL', list) end
  call('HSET', META, 'cut ' .. name, cut)
end
if after < cut then after = cut end
return {size, after, most > 0 and call('LRANGE', list, after - cut, after - cut + most - 1) or {}}
