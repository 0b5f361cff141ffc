import type { Burst } from './gate.ts'
import type { Plans } from './plans.ts'

/** Number of the first day of a day's month (civil-from-days after Howard Hinnant; all in UTC days since 1970). */
const monthOnly = `
local function month_start(day)
  local z = day + 719468
  local era = math.floor(z / 146097)
  local doe = z - era * 146097
  local yoe = math.floor((doe - math.floor(doe / 1460) + math.floor(doe / 36524) - math.floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + math.floor(yoe / 4) - math.floor(yoe / 100))
  local mp = math.floor((5 * doy + 2) / 153)
  return day - (doy - math.floor((153 * mp + 2) / 5))
end`

/** Replies are lists of numbers in one string: a client takes three times as long to read them one by one. */
const packing = `
local function packed(numbers)
  return struct.pack('<' .. string.rep('d', #numbers), unpack(numbers))
end`

/** The numbers of a script's reply. */
export function unpackReply(reply: Buffer): number[] {
  const numbers: number[] = []
  for (let at = 0; at < reply.length; at += 8) numbers.push(reply.readDoubleLE(at))
  return numbers
}

/** The first argument of a question is the instant until which it holds. */
const askedInTime = `${packing}
local time = redis.call('TIME')
local here = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[1] ~= '' and here > tonumber(ARGV[1]) then return packed({ here, 0 }) end`

/** Idle records go after a week; they are read from Postgres again when needed. */
const recordLifetimeMs = 7 * 86_400_000

/**
 * The record of an account in Redis, one hash per account at `<svc>:{<tag>}`:
 *
 *   e  epoch the record was last read from Postgres in;    v  version of the account it shows,
 *      0: outdated; below 0: not yet confirmed,               or of the change that has outdated it
 *      see writeScript
 *   s  state: a active, p counted in Postgres,             P  plan id
 *      s suspended, d deleted
 *   d  day number of the counters below                    b  charged in the month before that day
 *                                                          c  given back of these
 *   p  charged on that day by this gate                    n  given back of these
 *   x  charged on that day by the Postgres gate            y  given back of these
 *   D  the day before with counters, where that is known   q  charged on it by this gate
 *                                                          m  given back of these
 *   k<sel>  digest and expiry (Unix seconds, may have a fraction; 0: never) of each key that is not revoked
 *   t<sel>  burst limit: when the key is due again (Unix milliseconds)
 *
 * A key that is not in the record is not valid: revoking is writing a newer version without it, or outdating the record.
 */

/**
 * A question that its asker no longer waits for must change nothing: a Redis that was stopped for a while reads it
 * when it wakes, and the call was counted elsewhere long ago. So every question says until when it holds, by the
 * clock of Redis (which its replies tell).
 */

/** Outcomes of the gate script, by position in this list. */
export const scriptOutcomes = [
  'ok',
  'stale',
  'unknown',
  'expired',
  'suspended',
  'burst',
  'over',
  'elsewhere',
  'absent',
] as const

/** Arguments of the gate script before those of the requests, and per request. */
const gateHeaderArguments = 3
const gateRequestArguments = 5

/** Numbers of the gate script's reply before those of the requests, and per request. */
export const gateReplyHeader = 2
export const gateReplyFields = 9

/**
 * KEYS: one record per request. ARGV: until when the question holds (ms by the clock of Redis, or ''), epoch, test
 * clock in ms (or ''), then per request: selector ('' for a session), digests, cost, day and count of the floor.
 * Reply: instant by the clock of Redis and instant of the decision in ms, and nothing more when it came too late; else
 * then per request: outcome, plan position, day, p, n, x - y, b - c, burst remaining, milliseconds to wait.
 */
export function gateScript(plans: Plans, burst: Burst): string {
  const rows = Object.entries(plans).map(
    ([id, { daily, monthly }], position) =>
      `['${id}']={daily=${daily},monthly=${monthly ?? -1},position=${position}}`,
  )
  return `
local plans = {${rows.join(',')}}
local interval = ${burst.perSecond === 0 ? 0 : 1000 / burst.perSecond}
local tolerance = interval * ${burst.size}
${gateBody}`
}

const gateBody = `${monthOnly}${askedInTime}
local ${scriptOutcomes.join(', ')} = ${[...scriptOutcomes.keys()].join(', ')}
local epoch = tonumber(ARGV[2])
local now = ARGV[3] == '' and here or tonumber(ARGV[3])
local real_day = math.floor(now / 86400000)
local reply = { here, now }
local at = ${gateReplyHeader}
local function answer(outcome, plan, day, p, n, x, b, left, wait)
  reply[at + 1], reply[at + 2], reply[at + 3] = outcome, plan or 0, day or real_day
  reply[at + 4], reply[at + 5], reply[at + 6] = p or 0, n or 0, x or 0
  reply[at + 7], reply[at + 8], reply[at + 9] = b or 0, left or 0, wait or 0
  at = at + ${gateReplyFields}
end
for i = 1, #KEYS do
  local arg = ${gateHeaderArguments} + (i - 1) * ${gateRequestArguments}
  local selector, digests, cost = ARGV[arg + 1], ARGV[arg + 2], tonumber(ARGV[arg + 3])
  local e, state, plan_id, d, p, n, x, y, b, key, due, c = unpack(redis.call('HMGET', KEYS[i],
    'e', 's', 'P', 'd', 'p', 'n', 'x', 'y', 'b', 'k' .. selector, 't' .. selector, 'c'))
  local stored_day = tonumber(d)
  local plan = plans[plan_id] or plans['free']
  if not e then
    answer(absent)
  elseif tonumber(e) < epoch or stored_day > real_day + 1 then
    answer(stale)
  elseif state == 'd' or selector ~= '' and not (key and string.find(digests, string.sub(key, 1, 43), 1, true)) then
    answer(unknown)
  elseif selector ~= '' and tonumber(string.sub(key, 45)) > 0 and tonumber(string.sub(key, 45)) * 1000 <= now then
    answer(expired)
  elseif state == 's' then
    answer(suspended)
  elseif state == 'p' then
    answer(elsewhere)
  else
    p, n, x, y, b, c = tonumber(p), tonumber(n), tonumber(x), tonumber(y), tonumber(b), tonumber(c or 0)
    local day, last_p, last_n = stored_day, 0, 0
    local rolled = stored_day < real_day
    if rolled then
      day = real_day
      if stored_day >= month_start(day) then b, c = b + p + x, c + n + y else b, c = 0, 0 end
      last_p, last_n = p, n
      p, n, x, y = 0, 0, 0, 0
    end
    local before = math.max(0, b - c)
    if tonumber(ARGV[arg + 4]) == day then p = math.max(p, tonumber(ARGV[arg + 5])) end
    local used = math.max(0, p - n + x - y)
    local left, wait = 2147483647, 0
    due = tonumber(due or 0)
    if interval > 0 then
      -- A clock that was set back must not make anybody wait for as long.
      if due < now or due > now + tolerance + interval then due = now end
      due = due + interval
      left = math.floor((tolerance - (due - now)) / interval)
      wait = math.ceil(due - tolerance - now)
    end
    if wait > 0 then
      answer(burst, plan.position, day, p, n, x - y, before, 0, wait)
    else
      local outcome = ok
      if cost > 0 and (used + cost > plan.daily or plan.monthly >= 0 and before + used + cost > plan.monthly) then
        outcome = over
      else
        p = p + cost
      end
      -- A day begins with its first charge: a clock that steps back over midnight before that leaves no trace.
      if outcome == over or cost == 0 then
        if interval > 0 then redis.call('HSET', KEYS[i], 't' .. selector, due) end
      elseif rolled then
        redis.call('HSET', KEYS[i], 'd', day, 'p', p, 'n', n, 'x', x, 'y', y, 'b', b, 'c', c, 't' .. selector, due,
          'D', stored_day, 'q', last_p, 'm', last_n)
        redis.call('PEXPIRE', KEYS[i], ${recordLifetimeMs})
      else
        redis.call('HSET', KEYS[i], 'p', p, 't' .. selector, due)
      end
      answer(outcome, plan.position, day, p, n, x - y, before, left, 0)
    end
  end
end
return packed(reply)`

/**
 * KEYS: the record. ARGV: until when the question holds, epoch, the day of the charge. Reply: the instant by the clock of
 * Redis, then 1 and n when given back in the record; 2 when the day is over (its unit was taken off the month; the
 * ledger must hear of it); 3 when there is no such record, or one of an earlier epoch (what is added to an n that Redis
 * had half forgotten is lost when they are merged); 0 when the question came too late.
 */
export const refundScript = `${monthOnly}${askedInTime}
local e, d = unpack(redis.call('HMGET', KEYS[1], 'e', 'd'))
local charged = tonumber(ARGV[3])
if not e or tonumber(e) < tonumber(ARGV[2]) then return packed({ here, 3 }) end
local day = tonumber(d)
if day == charged then return packed({ here, 1, redis.call('HINCRBY', KEYS[1], 'n', 1) }) end
if day < charged then return packed({ here, 3 }) end
if charged >= month_start(day) then redis.call('HINCRBY', KEYS[1], 'c', 1) end
return packed({ here, 2 })`

/**
 * A record that shows no later version than this is used by nobody before it has been read from Postgres anew, and by
 * nobody written from what was read of an earlier version. (This version may be in the record already, by who made the
 * change; or it may be of another change, which Postgres has lost in a fail-over.)
 * KEYS: the record. ARGV: version. Reply: 1, or 0 when the record shows a later one.
 */
export const outdateScript = `${packing}
local e, v = unpack(redis.call('HMGET', KEYS[1], 'e', 'v'))
local stored, version = tonumber(v), tonumber(ARGV[1])
if stored and stored <= version then
  redis.call('HSET', KEYS[1], 'e', math.min(0, tonumber(e)), 'v', version)
end
return packed({ stored and stored > version and 0 or 1 })`

/**
 * Makes the record follow Postgres, unless it already shows a newer version. KEYS: the record. ARGV: test clock in ms
 * (or ''), epoch, newer version that may be replaced (or ''), number that this confirms (or 0), version, state, plan, day,
 * p, n, x, y, b, c, then selector and packed key for each key. What only grows merges by the maximum, so nothing that either side has counted is lost,
 * and a late writer takes nothing back: not even one that has read a day which is long over.
 *
 * It has no time until which it holds: what protects a record from what was read long ago is its version. A record that
 * Redis has forgotten has none. So a new one counts as of no epoch, and nobody uses it, until it is confirmed: written
 * once more with its number and with what was read from Postgres after it was there. What is changed since then finds
 * it. Of an account that is gone there is nothing to confirm.
 *
 * Reply: day, p and n of the record, the same of the day before (0 when that is not known), the number that is to be
 * confirmed (or 0), and the version of the record if that is newer.
 */
export const writeScript = `${monthOnly}${packing}
local key = KEYS[1]
local now = ARGV[1] == '' and redis.call('TIME')[1] * 1000 or tonumber(ARGV[1])
local epoch, over, confirms = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local version, state, plan, day = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8])
local r = redis.call('HMGET', key, 'e', 'v', 'd', 'p', 'n', 'x', 'y', 'b', 'c', 'D', 'q', 'm')
local stored_epoch, stored_version, stored_day = tonumber(r[1]), r[2], tonumber(r[3])
local last_day, last_p, last_n = tonumber(r[10] or 0), tonumber(r[11] or 0), tonumber(r[12] or 0)
local number = 0
if not stored_epoch then
  local time = redis.call('TIME')
  number = time[1] * 1000000 + time[2]
elseif stored_epoch < 0 then
  number = -stored_epoch
end
if stored_version and tonumber(stored_version) > tonumber(version) and stored_version ~= over then
  return packed({ stored_day, tonumber(r[4]), tonumber(r[5]), last_day, last_p, last_n, number, tonumber(stored_version) })
end
local count = {}
for i = 1, 6 do count[i] = tonumber(ARGV[8 + i]) end
if stored_epoch then
  local own = {}
  for i = 1, 6 do own[i] = tonumber(r[3 + i] or 0) end
  if stored_day == day then
    for i = 1, 6 do count[i] = math.max(count[i], own[i]) end
  elseif stored_day > day and stored_day <= math.floor(now / 86400000) + 1 then
    day, count = stored_day, own
  elseif stored_day < day then
    last_day, last_p, last_n = stored_day, own[1], own[2]
  end
  if stored_day < day and stored_day >= month_start(day) then
    count[5] = math.max(count[5], own[5] + own[1] + own[3])
    count[6] = math.max(count[6], own[6] + own[2] + own[4])
  end
end
local kept = {}
for i = 15, #ARGV, 2 do kept[ARGV[i]] = true end
for _, field in ipairs(redis.call('HKEYS', key)) do
  local kind = string.sub(field, 1, 1)
  if (kind == 'k' or kind == 't') and #field > 1 and not kept[string.sub(field, 2)] then redis.call('HDEL', key, field) end
end
if number == confirms or state == 'd' then number = 0 end
epoch = number > 0 and -number or math.max(epoch, stored_epoch or 0)
redis.call('HSET', key, 'e', epoch, 'v', version, 's', state, 'P', plan,
  'd', day, 'p', count[1], 'n', count[2], 'x', count[3], 'y', count[4], 'b', count[5], 'c', count[6])
if last_day > 0 then redis.call('HSET', key, 'D', last_day, 'q', last_p, 'm', last_n) end
for i = 15, #ARGV, 2 do redis.call('HSET', key, 'k' .. ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', key, ${recordLifetimeMs})
return packed({ day, count[1], count[2], last_day, last_p, last_n, number })`
