import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'
import { ofNobodyDeleted } from './deleted-accounts.ts'
import type { Remembered } from './tallies.ts'
import type { Waiting } from './unwritten.ts'

/** What the Redis gate has counted for an account on a day. */
export type Counter = Remembered & {
  readonly tag: string
  readonly day: number
  used: number
  refunded: number
  /** Charges and refunds of the Postgres gate on that day, as last heard. */
  direct: number
}

/** Successful calls of one endpoint by an account on a day. */
export type Call = Remembered & {
  readonly tag: string
  readonly day: number
  readonly endpoint: string
  /** Who has counted them: a process, and how often it had forgotten what it counted. */
  readonly countedBy: string
  used: number
  /** Another of the same account. */
  next: Call | undefined
}

/** When a key was used, in Unix milliseconds. */
export type Use = Waiting & {
  readonly tag: string
  readonly selector: string
  usedAt: number
}

/**
 * Raises the rows of counters to what was seen.
 *
 * @returns those whose days hold other charges of the Postgres gate than was known, and how many
 */
export async function writeCounters(
  db: AccountDatabase,
  counters: readonly Counter[],
): Promise<{ counter: Counter; direct: number }[]> {
  // Few accounts have direct charges, and only those come back: reading all rows would cost a process with many
  // accounts as much as the rest of the flush. A clock that was set back may have made two counters of one day.
  const { rows } = await sql<{ tag: string; day: number; direct: number }>`
    with written as (
      insert into usage_day as u (tag, day, redis_used, redis_refunded)
      select tag, day, max(used), max(refunded) from unnest(
        ${arrayOf(counters, (row) => row.tag)}::text[], ${arrayOf(counters, (row) => row.day)}::integer[],
        ${arrayOf(counters, (row) => row.used)}::integer[], ${arrayOf(counters, (row) => row.refunded)}::integer[]
      ) as seen (tag, day, used, refunded) where ${ofNobodyDeleted}
      group by tag, day order by tag, day
      on conflict (tag, day) do update set
        redis_used = greatest(u.redis_used, excluded.redis_used),
        redis_refunded = greatest(u.redis_refunded, excluded.redis_refunded)
      returning tag, day, direct_used + direct_refunded as direct
    )
    select * from written where direct > 0`.execute(db)
  if (rows.length === 0) return []
  const directNow = new Map(rows.map((row) => [`${row.tag}/${row.day}`, row.direct]))
  return counters.flatMap((counter) => {
    const direct = directNow.get(`${counter.tag}/${counter.day}`) ?? 0
    return direct > counter.direct ? [{ counter, direct }] : []
  })
}

/** Raises the rows of calls to what was counted. */
export async function writeCalls(db: AccountDatabase, calls: readonly Call[]): Promise<void> {
  // Most of a flush are calls of a few endpoints on one day: what they share is said once.
  const alike = Map.groupBy(calls, (call) => `${call.day} ${call.countedBy} ${call.endpoint}`)
  for (const some of alike.values()) await writeAlike(db, some)
}

/** @param calls one or more of one endpoint on one day, counted by one process */
async function writeAlike(db: AccountDatabase, calls: readonly Call[]): Promise<void> {
  const [first] = calls
  await sql`
    insert into usage_endpoint as u (tag, day, endpoint, instance, used)
    select tag, ${first?.day}::integer, ${first?.endpoint}, ${first?.countedBy}, used from unnest(
      ${arrayOf(calls, (row) => row.tag)}::text[], ${arrayOf(calls, (row) => row.used)}::integer[]
    ) as seen (tag, used) where ${ofNobodyDeleted}
    order by tag
    on conflict (tag, day, endpoint, instance) do update set used = greatest(u.used, excluded.used)`.execute(
    db,
  )
}

/** Writes down uses of keys, but for those that differ too little from what is written. */
export async function writeUses(db: AccountDatabase, uses: readonly Use[]): Promise<void> {
  await sql`
    with due as (
      select k.tag, k.selector, seen.used_at
      from api_key k join unnest(
        ${arrayOf(uses, (row) => row.tag)}::text[], ${arrayOf(uses, (row) => row.selector)}::text[],
        ${arrayOf(uses, (row) => row.usedAt)}::float8[]
      ) as seen (tag, selector, used_at) on k.tag = seen.tag and k.selector = seen.selector
      where k.last_used_at is null or k.last_used_at < to_timestamp(seen.used_at / 1000.0) - interval '20 seconds'
      order by k.tag, k.selector for no key update of k skip locked
    )
    update api_key as k set last_used_at = to_timestamp(due.used_at / 1000.0)
    from due where k.tag = due.tag and k.selector = due.selector`.execute(db)
}

/**
 * An array in the notation of Postgres, of at least one tag, selector or number. In quotes: a selector may be NULL.
 * (The driver looks into every text for what has to be escaped, which takes as long as all else here.)
 */
function arrayOf<Row>(rows: readonly Row[], value: (row: Row) => string | number): string {
  return `{"${rows.map(value).join('","')}"}`
}
