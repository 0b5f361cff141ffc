import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { send } from '@hearth/chassis/http'
import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import { sql } from 'kysely'
import { callerOf } from './caller.ts'
import { beforeReading, type AccountContext } from './context.ts'
import type { AccountDatabase } from './database.ts'
import { dateField, instant } from './fields.ts'
import { windowsOf } from './limits.ts'
import { dateOfDay, dayOfDate, isoSeconds, monthStart, type Window } from './windows.ts'

/** GET /v1/account/usage */
export function getUsage(context: AccountContext): Endpoint {
  const { envelope, plans, db, ledger, clock } = context
  return endpoint(describeGetUsage(context), async ({ query }, _req, res) => {
    const { tag } = callerOf(res)
    const { standing } = res.locals
    if (standing === undefined) throw new Error('This endpoint is mounted without the meter.')
    const [from, to] = span(query, standing.day)
    await beforeReading(Promise.all([ledger.flushOf(tag), ledger.flushUsesOf(tag)]))
    const past = await readHistory(db, tag, from, to)
    const history = past.map((row) => (row.day === standing.day ? { ...row, used: standing.usedToday } : row))
    const windows = windowsOf(plans, standing)
    const data = {
      plan: standing.plan,
      windows: {
        daily: describeWindow(
          windows.find((window) => window.name === 'daily'),
          standing.usedToday,
        ),
        monthly: describeWindow(
          windows.find((window) => window.name === 'monthly'),
          standing.usedBefore + standing.usedToday,
        ),
      },
      history: history.map(({ day, used, byEndpoint }) => ({ date: dateOfDay(day), used, byEndpoint })),
    }
    await send(res, 200, envelope.wrap(data, new Date(clock())))
  })
}

function describeGetUsage({ envelope }: AccountContext) {
  return {
    id: 'getUsage',
    summary: 'Quota and usage',
    description:
      'The windows are read from the counters that are enforced. `history` has one row per UTC day of the span (this month when none is given); today included, `byEndpoint` may trail by some seconds.',
    tag: 'Account',
    access: 'account' as const,
    query: Joi.object<{ from?: string; to?: string }>({
      from: dateField.description('First day, YYYY-MM-DD (UTC). Default: the first of this month.'),
      to: dateField.description('Last day, YYYY-MM-DD (UTC), at most 366 days after `from`. Default: today.'),
    }),
    responses: { 200: { description: 'Quota and usage.', schema: envelope.schema(usageSchema) } },
  }
}

const windowSchema = record({
  limit: Joi.number().integer().allow(null).description('null: unlimited.'),
  used: Joi.number().integer(),
  remaining: Joi.number().integer().allow(null),
  resetsAt: instant.allow(null),
})

const usageSchema = record({
  plan: Joi.string(),
  windows: record({ daily: windowSchema, monthly: windowSchema }),
  history: Joi.array().items(
    record({
      date: Joi.string().description('YYYY-MM-DD, UTC.'),
      used: Joi.number().integer(),
      byEndpoint: Joi.object().pattern(Joi.string(), Joi.number().integer()),
    }),
  ),
})

/** An unlimited window has neither limit nor reset. */
function describeWindow(window: Window | undefined, used: number) {
  if (window === undefined) return { limit: null, used, remaining: null, resetsAt: null }
  return { limit: window.limit, used, remaining: window.remaining, resetsAt: isoSeconds(window.resetsAt) }
}

function span(query: { from?: string; to?: string }, today: number): [from: number, to: number] {
  const to = query.to === undefined ? today : dayOfDate(query.to)
  const from = query.from === undefined ? monthStart(to ?? today) : dayOfDate(query.from)
  if (from === undefined) throw wrong('from', 'from is not a date of the calendar; expected YYYY-MM-DD.')
  if (to === undefined) throw wrong('to', 'to is not a date of the calendar; expected YYYY-MM-DD.')
  if (from > to) throw wrong('from', 'from lies after to.')
  if (to - from > longestSpanDays)
    throw wrong('from', `from and to are more than ${longestSpanDays} days apart; ask for less.`)
  return [from, to]
}

const longestSpanDays = 366

function wrong(parameter: string, detail: string) {
  return invalid([{ parameter, code: 'not_allowed', detail }])
}

async function readHistory(db: AccountDatabase, tag: string, from: number, to: number): Promise<DayOfUse[]> {
  const { rows } = await sql<DayOfUse>`
    with by_endpoint as (
      select day, endpoint, sum(calls)::integer as calls from (
        select day, endpoint, calls from usage_key where tag = ${tag} and endpoint <> ''
        union all select day, endpoint, used from usage_endpoint where tag = ${tag}
      ) as both_releases where day between ${from}::integer and ${to}::integer group by day, endpoint
    ), by_day as (select day, jsonb_object_agg(endpoint, calls) as calls from by_endpoint group by day)
    select d.day, greatest(0, u.redis_used - u.redis_refunded + u.direct_used - u.direct_refunded) as used,
      coalesce(e.calls, '{}') as "byEndpoint"
    from generate_series(${from}::integer, ${to}::integer) as d (day)
    left join usage_day u on u.tag = ${tag} and u.day = d.day
    left join by_day e on e.day = d.day
    order by d.day`.execute(db)
  return rows
}

type DayOfUse = {
  readonly day: number
  readonly used: number
  readonly byEndpoint: Readonly<Record<string, number>>
}
