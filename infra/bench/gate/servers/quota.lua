-- What a careful hand would write: key, day and month in one script.
-- KEYS: the record of the account. ARGV: digest of the key, day, month, limit of the day, limit of the month.
-- Reply: 0 unknown key, 1 charged, 2 over a limit; used today; used this month.
local r = redis.call('HMGET', KEYS[1], 'digest', 'day', 'today', 'month', 'total')
if r[1] ~= ARGV[1] then return { 0, 0, 0 } end
local today = r[2] == ARGV[2] and tonumber(r[3]) or 0
local total = r[4] == ARGV[3] and tonumber(r[5]) or 0
if today >= tonumber(ARGV[4]) or total >= tonumber(ARGV[5]) then return { 2, today, total } end
redis.call('HSET', KEYS[1], 'day', ARGV[2], 'today', today + 1, 'month', ARGV[3], 'total', total + 1)
return { 1, today + 1, total + 1 }
