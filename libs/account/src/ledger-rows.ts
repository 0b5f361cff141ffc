import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'
import { ofNobodyDeleted } from './deleted-accounts.ts'
import type { Remembered, Tally } from './tallies.ts'
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

/** What a key was used for on a day, since that was last written. */
export type Use = Waiting & {
  readonly tally: Tally
  readonly day: number
  readonly selector: string
  readonly endpoint: string
  /** Successful calls. */
  calls: number
  /** The last use, in Unix milliseconds. */
  usedAt: number
  /** Another of the same account. */
  next: Use | undefined
}

/** Uses that are written at once. */
export type Batch = {
  /** Unique name of who has counted them. */
  readonly writer: string
  /** Greater than those of the batches that it has written before. */
  readonly number: number
  readonly uses: readonly Use[]
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

/** Adds a batch to the rows of what keys were used for, unless it was written before: it may be sent as often as need be. */
export async function writeUses(db: AccountDatabase, { writer, number, uses }: Batch): Promise<void> {
  await sql`
    with turn as (
      insert into ledger_writer as w (writer, batch) values (${writer}, ${number})
      on conflict (writer) do update set batch = excluded.batch, written_at = clock_timestamp()
        where w.batch < excluded.batch
      returning batch
    )
    insert into usage_key as u (tag, day, selector, endpoint, calls, last_used_at)
    select tag, day, selector, endpoint, calls, to_timestamp(used_at / 1000.0) from unnest(
      ${arrayOf(uses, (row) => row.tally.tag)}::text[], ${arrayOf(uses, (row) => row.day)}::integer[],
      ${arrayOf(uses, (row) => row.selector)}::text[], ${arrayOf(uses, (row) => row.endpoint)}::text[],
      ${arrayOf(uses, (row) => row.calls)}::integer[], ${arrayOf(uses, (row) => row.usedAt)}::float8[]
    ) as seen (tag, day, selector, endpoint, calls, used_at)
    where exists (select from turn) and ${ofNobodyDeleted}
    order by tag, selector, day, endpoint
    on conflict (tag, selector, day, endpoint) do update set
      calls = u.calls + excluded.calls,
      last_used_at = greatest(u.last_used_at, excluded.last_used_at)`.execute(db)
}

/** Forgets who has written nothing for a month; a batch of its that is still on its way then would be added again. */
export async function forgetWriters(db: AccountDatabase): Promise<void> {
  await sql`delete from ledger_writer where written_at < clock_timestamp() - interval '30 days'`.execute(db)
}

/**
 * An array in the notation of Postgres, of at least one tag, selector, endpoint or number. In quotes: a selector may be
 * NULL. (The driver looks into every text for what has to be escaped, which takes as long as all else here.)
 */
function arrayOf<Row>(rows: readonly Row[], value: (row: Row) => string | number): string {
  return `{"${rows.map(value).join('","')}"}`
}
