-- Changes nothing. Returns {{reason, entries that were dropped for it, reason ...}, leases that ran out, damaged entries}.
local m = call('HMGET', META, 'time', 'expired', 'damaged')
if not m[1] then return redis.error_reply('GONE') end
now = tonumber(m[1])
return with_head({call('HGETALL', REASONS), tonumber(m[2] or 0), tonumber(m[3] or 0)})
