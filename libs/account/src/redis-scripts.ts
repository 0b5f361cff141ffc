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

const calendar = `${monthOnly}
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`

/** Idle records go after a week; they are read from Postgres again when needed. */
const recordLifetimeMs = 7 * 86_400_000

/**
 * The record of an account in Redis, one hash per account at `<svc>:{<tag>}`:
 *
 *   e  epoch the record was last read from Postgres in     v  version of the account it shows
 *   s  state: a active, s suspended, d deleted             P  plan id
 *   d  day number of the counters below                    b  units of the month used before that day
 *   p  charged on that day by this gate                    n  given back of these
 *   x  charged on that day by the Postgres gate            y  given back of these
 *   k<sel>  digest and expiry (Unix seconds, 0: never) of each key that is not revoked
 *   t<sel>  burst limit: when the key is due again (Unix milliseconds)
 *
 * A key that is not in the record is not valid: revoking is writing a newer version without it.
 */

/** Outcomes of the gate script, by position in this list. */
export const scriptOutcomes = ['ok', 'miss', 'unknown', 'expired', 'suspended', 'burst', 'over'] as const

/** Arguments of the gate script before those of the requests, and per request. */
export const gateHeaderArguments = 2
export const gateRequestArguments = 5

/** Numbers per request in the gate script's reply, after the instant. */
export const gateReplyFields = 9

/**
 * KEYS: one record per request. ARGV: epoch, test clock in ms (or ''), then per request: selector ('' for a
 * session), digests, cost, day and count of the floor. Reply: instant in ms, then per request: outcome, plan
 * position, day, p, n, x - y, b, burst remaining, milliseconds to wait.
 */
export function gateScript(plans: Plans, burst: Burst): string {
  const rows = Object.entries(plans).map(
    ([id, { daily, monthly }], position) => `['${id}']={${daily},${monthly ?? -1},${position}}`,
  )
  return `
local plans = {${rows.join(',')}}
local interval = ${burst.perSecond === 0 ? 0 : 1000 / burst.perSecond}
local tolerance = interval * ${burst.size}
${gateBody}`
}

const gateBody = `${calendar}
local epoch = tonumber(ARGV[1])
local now = clock(ARGV[2])
local real_day = math.floor(now / 86400000)
local reply = { now }
local at = 1
local function answer(outcome, plan, day, p, n, x, b, left, wait)
  reply[at + 1], reply[at + 2], reply[at + 3] = outcome, plan or 0, day or real_day
  reply[at + 4], reply[at + 5], reply[at + 6] = p or 0, n or 0, x or 0
  reply[at + 7], reply[at + 8], reply[at + 9] = b or 0, left or 0, wait or 0
  at = at + ${gateReplyFields}
end
for i = 1, #KEYS do
  local arg = ${gateHeaderArguments} + (i - 1) * ${gateRequestArguments}
  local selector, digests, cost = ARGV[arg + 1], ARGV[arg + 2], tonumber(ARGV[arg + 3])
  local r = redis.call('HMGET', KEYS[i], 'e', 's', 'P', 'd', 'p', 'n', 'x', 'y', 'b', 'k' .. selector, 't' .. selector)
  local stored_day = tonumber(r[4])
  local plan = plans[r[3]] or plans['free']
  if not r[1] or tonumber(r[1]) < epoch or stored_day > real_day + 1 then
    answer(1)
  elseif r[2] == 'd' or selector ~= '' and not (r[10] and string.find(digests, string.sub(r[10], 1, 43), 1, true)) then
    answer(2)
  elseif selector ~= '' and tonumber(string.sub(r[10], 45)) > 0 and tonumber(string.sub(r[10], 45)) * 1000 <= now then
    answer(3)
  elseif r[2] == 's' then
    answer(4)
  else
    local day, p, n = stored_day, tonumber(r[5]), tonumber(r[6])
    local x, y, b = tonumber(r[7]), tonumber(r[8]), tonumber(r[9])
    local rolled = stored_day < real_day
    if rolled then
      day = real_day
      b = stored_day >= month_start(day) and b + p - n + x - y or 0
      p, n, x, y = 0, 0, 0, 0
    end
    if tonumber(ARGV[arg + 4]) == day then p = math.max(p, tonumber(ARGV[arg + 5])) end
    local used = p - n + x - y
    local due, left, wait = now, 2147483647, 0
    if interval > 0 then
      due = math.max(now, tonumber(r[11] or 0)) + interval
      left = math.floor((tolerance - (due - now)) / interval)
      wait = math.ceil(due - tolerance - now)
    end
    if wait > 0 then
      answer(5, plan[3], day, p, n, x - y, b, 0, wait)
    else
      local outcome = 0
      if cost > 0 and (used + cost > plan[1] or plan[2] >= 0 and b + used + cost > plan[2]) then
        outcome = 6
      else
        p = p + cost
      end
      if rolled then
        redis.call('HSET', KEYS[i], 'd', day, 'p', p, 'n', n, 'x', x, 'y', y, 'b', b, 't' .. selector, due)
        redis.call('PEXPIRE', KEYS[i], ${recordLifetimeMs})
      else
        redis.call('HSET', KEYS[i], 'p', p, 't' .. selector, due)
      end
      answer(outcome, plan[3], day, p, n, x - y, b, left, 0)
    end
  end
end
return reply`

/**
 * KEYS: the record. ARGV: the day of the charge. Reply: {1, n} when given back in the record; {2} when the day is
 * over (its unit was taken off the month; the ledger must hear of it); {0} when there is no such record.
 */
export const refundScript = `
${monthOnly}
local r = redis.call('HMGET', KEYS[1], 'd', 'n', 'b')
local charged = tonumber(ARGV[1])
if not r[1] then return { 0 } end
local day = tonumber(r[1])
if day == charged then return { 1, redis.call('HINCRBY', KEYS[1], 'n', 1) } end
if day < charged then return { 0 } end
if charged >= month_start(day) then redis.call('HSET', KEYS[1], 'b', math.max(0, tonumber(r[3]) - 1)) end
return { 2 }`

/**
 * Makes the record follow Postgres, unless it already shows a newer version. KEYS: the record. ARGV: epoch, version,
 * state, plan, day, p, n, x, y, b, then selector and packed key for each key. Counters merge by the maximum, so
 * nothing that either side has counted is lost. Reply: 1 when written, 0 when the record was newer.
 */
export const writeScript = `
${monthOnly}
local key = KEYS[1]
local r = redis.call('HMGET', key, 'e', 'v', 'd', 'p', 'n', 'x', 'y', 'b')
if r[2] and tonumber(r[2]) > tonumber(ARGV[2]) then return 0 end
local day, b = tonumber(ARGV[5]), tonumber(ARGV[10])
local count = { tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]) }
if r[1] then
  local stored = tonumber(r[3])
  local own = { tonumber(r[4]), tonumber(r[5]), tonumber(r[6]), tonumber(r[7]) }
  local own_b = tonumber(r[8])
  if stored == day then
    for i = 1, 4 do count[i] = math.max(count[i], own[i]) end
    b = math.max(b, own_b)
  elseif stored == day + 1 then
    day, count = stored, own
    b = own_b
  elseif stored < day and stored >= month_start(day) then
    b = math.max(b, own_b + own[1] - own[2] + own[3] - own[4])
  end
end
local kept = {}
for i = 11, #ARGV, 2 do kept[ARGV[i]] = true end
for _, field in ipairs(redis.call('HKEYS', key)) do
  local kind = string.sub(field, 1, 1)
  if (kind == 'k' or kind == 't') and #field > 1 and not kept[string.sub(field, 2)] then redis.call('HDEL', key, field) end
end
redis.call('HSET', key, 'e', math.max(tonumber(ARGV[1]), tonumber(r[1] or 0)), 'v', ARGV[2], 's', ARGV[3], 'P', ARGV[4],
  'd', day, 'p', count[1], 'n', count[2], 'x', count[3], 'y', count[4], 'b', b)
for i = 11, #ARGV, 2 do redis.call('HSET', key, 'k' .. ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', key, ${recordLifetimeMs})
return 1`
