import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'

/** What an instance has seen the Redis gate count for an account on its latest day. Both only grow within a day. */
export type Seen = { readonly day: number; readonly used: number; readonly refunded: number }

/**
 * Carries the counts of the Redis gate, the calls by endpoint and the last use of keys to Postgres.
 *
 * Everything is written as an absolute value and merged by the maximum: a flush may be repeated, may fail and may
 * arrive in any order, and any number of instances may report the same counter. What is remembered also serves as
 * a floor: should Redis come back with less, the highest count seen repairs it.
 */
export type Ledger = {
  /** Records the state of a counter after a decision of the Redis gate. */
  readonly saw: (tag: string, seen: Seen) => void
  /** Records a successful call. */
  readonly called: (tag: string, day: number, endpoint: string) => void
  /** Records that a key was used. */
  readonly used: (tag: string, selector: string, nowMs: number) => void
  /** The highest state seen, if any. */
  readonly highest: (tag: string) => Seen | undefined
  /** Writes what has changed since the last flush. @throws when Postgres does not answer; nothing is lost then */
  readonly flush: () => Promise<void>
}

/**
 * @param instance unique name of this process
 * @param onDirect told of accounts for which Postgres holds charges of its own gate that Redis may not know yet
 * @param most number of accounts, and of their endpoints, that are remembered beyond what is yet to be written
 */
export function createLedger(
  db: AccountDatabase,
  instance: string,
  onDirect: (tags: readonly string[]) => void = ignore,
  most = mostRemembered,
): Ledger {
  const remembered: Remembered = { counters: new Map(), calls: new Map(), latestDay: 0, forgotten: 0 }
  const { counters, calls } = remembered
  const changed = { counters: unwritten<Counter>(), calls: unwritten<Call>(), uses: unwritten<Use>() }
  const news = oncePer(usePrecisionMs)

  async function writeAll(): Promise<void> {
    await changed.counters.write((rows) => writeCounters(db, rows, onDirect))
    await changed.calls.write((rows) => writeCalls(db, `${instance}${remembered.forgotten || ''}`, rows))
    await changed.uses.write((rows) => writeUses(db, rows))
    forgetOldDays(remembered)
    forgetBeyond(most, remembered, changed)
  }

  return {
    saw: (tag, seen) => {
      const counter = latestOf(counters, tag, seen.day)
      if (counter !== undefined && raise(counter, seen)) changed.counters.add(counter)
    },
    called: (tag, day, endpoint) => {
      const call = callsOf(calls, tag, day, endpoint)
      call.used += 1
      changed.calls.add(call)
    },
    used: (tag, selector, usedAt) => {
      if (news(tag + selector, usedAt)) changed.uses.add({ tag, selector, usedAt }, tag + selector)
    },
    highest: (tag) => counters.get(tag),
    flush: sharing(writeAll),
  }
}

type Remembered = {
  readonly counters: Map<string, Counter>
  readonly calls: Map<string, Call>
  latestDay: number
  /** How often calls were forgotten. */
  forgotten: number
}

/** True for a key that was not seen before in the current spell of so many milliseconds. */
function oncePer(ms: number): (key: string, now: number) => boolean {
  const seen = new Set<string>()
  let since = 0
  return (key, now) => {
    if (Math.abs(now - since) >= ms) {
      since = now
      seen.clear()
    }
    if (seen.has(key)) return false
    seen.add(key)
    return true
  }
}

/** When a key was last used is known to a minute: it is written at most this often, and not again sooner. */
const usePrecisionMs = 30_000

/** Runs work one at a time; all who ask while it runs share the next run, which sees what they have done. */
function sharing(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function start(): Promise<void> {
    next = undefined
    running = work().finally(() => (running = undefined))
    return running
  }

  return () => {
    if (running === undefined) return start()
    next ??= running.catch(ignore).then(start)
    return next
  }
}

function ignore(): void {
  // without a Redis gate nobody needs to hear of direct charges; a failed flush has told its own caller
}

/** The counter of an account on its latest day; undefined for a day that is over. */
function latestOf(counters: Map<string, Counter>, tag: string, day: number): Counter | undefined {
  const known = counters.get(tag)
  if (known !== undefined && known.day >= day) return known.day === day ? known : undefined
  const counter = { tag, day, used: 0, refunded: 0, direct: 0 }
  counters.set(tag, counter)
  return counter
}

function callsOf(calls: Map<string, Call>, tag: string, day: number, endpoint: string): Call {
  const key = `${tag}${day} ${endpoint}`
  const call = calls.get(key) ?? { tag, day, endpoint, used: 0 }
  calls.set(key, call)
  return call
}

/** Raises a counter to what was seen; false when it was there already. */
function raise(counter: Counter, { used, refunded }: Seen): boolean {
  if (used <= counter.used && refunded <= counter.refunded) return false
  counter.used = Math.max(counter.used, used)
  counter.refunded = Math.max(counter.refunded, refunded)
  return true
}

/** Entries that have changed since they were last written. What a write fails on is kept for the next. */
function unwritten<T>() {
  const entries = new Map<unknown, T>()
  return {
    add(entry: T, key: unknown = entry): void {
      entries.set(key, entry)
    },
    has: (key: unknown): boolean => entries.has(key),
    isEmpty: (): boolean => entries.size === 0,
    async write(write: (rows: readonly T[]) => Promise<void>): Promise<void> {
      while (entries.size > 0) {
        const batch = [...entries].slice(0, rowsPerStatement)
        for (const [key] of batch) entries.delete(key)
        try {
          await write(batch.map(([, entry]) => entry))
        } catch (error) {
          for (const [key, entry] of batch) if (!entries.has(key)) entries.set(key, entry)
          throw error
        }
      }
    },
  }
}

type Unwritten<T> = ReturnType<typeof unwritten<T>>

const rowsPerStatement = 1000

/** What is written may be forgotten when there is more than this: some 20 MB. */
const mostRemembered = 100_000

function forgetBeyond(
  most: number,
  remembered: Remembered,
  unwritten: { readonly counters: Unwritten<Counter>; readonly calls: Unwritten<Call> },
): void {
  const { counters, calls } = remembered
  if (counters.size > most) {
    // Postgres knows them, so a record that Redis loses is read with them.
    for (const [tag, counter] of counters) if (!unwritten.counters.has(counter)) counters.delete(tag)
  }
  if (calls.size > most && unwritten.calls.isEmpty()) {
    calls.clear()
    remembered.forgotten += 1 // calls are counted from zero again, so they need rows of their own
  }
}

/** What is counted of days that are over is of no more use once written; it keeps the maps as large as a day needs. */
function forgetOldDays(remembered: Remembered): void {
  const { counters, calls } = remembered
  let latest = remembered.latestDay
  for (const { day } of calls.values()) latest = Math.max(latest, day)
  if (latest === remembered.latestDay) return
  remembered.latestDay = latest
  // A call of yesterday may still be under way.
  for (const [key, { day }] of counters) if (day < latest - 1) counters.delete(key)
  for (const [key, { day }] of calls) if (day < latest - 1) calls.delete(key)
}

async function writeCounters(
  db: AccountDatabase,
  rows: readonly Counter[],
  onDirect: (tags: readonly string[]) => void,
): Promise<void> {
  // Few accounts have direct charges, and only those come back: reading all rows would cost a process with many
  // accounts as much as the rest of the flush.
  const { rows: written } = await sql<{ tag: string; day: number; direct: number }>`
    with written as (
      insert into usage_day as u (tag, day, redis_used, redis_refunded)
      select seen.* from unnest(
        ${rows.map((row) => row.tag)}::text[], ${rows.map((row) => row.day)}::integer[],
        ${rows.map((row) => row.used)}::integer[], ${rows.map((row) => row.refunded)}::integer[]
      ) as seen (tag, day, used, refunded) join account using (tag)
      order by seen.tag, seen.day
      on conflict (tag, day) do update set
        redis_used = greatest(u.redis_used, excluded.redis_used),
        redis_refunded = greatest(u.redis_refunded, excluded.redis_refunded)
      returning tag, day, direct_used + direct_refunded as direct
    )
    select * from written where direct > 0`.execute(db)
  if (written.length === 0) return
  const directNow = new Map(written.map((row) => [`${row.tag}/${row.day}`, row.direct]))
  const news = rows.filter((row) => (directNow.get(`${row.tag}/${row.day}`) ?? 0) > row.direct)
  for (const row of news) row.direct = directNow.get(`${row.tag}/${row.day}`) ?? 0
  if (news.length > 0) onDirect(news.map((row) => row.tag))
}

async function writeCalls(db: AccountDatabase, instance: string, rows: readonly Call[]): Promise<void> {
  await sql`
    insert into usage_endpoint as u (tag, day, endpoint, instance, used)
    select seen.tag, seen.day, seen.endpoint, ${instance}, seen.used from unnest(
      ${rows.map((row) => row.tag)}::text[], ${rows.map((row) => row.day)}::integer[],
      ${rows.map((row) => row.endpoint)}::text[], ${rows.map((row) => row.used)}::integer[]
    ) as seen (tag, day, endpoint, used) join account using (tag)
    on conflict (tag, day, endpoint, instance) do update set used = greatest(u.used, excluded.used)`.execute(
    db,
  )
}

async function writeUses(db: AccountDatabase, rows: readonly Use[]): Promise<void> {
  await sql`
    with due as (
      select k.tag, k.selector, seen.used_at
      from api_key k join unnest(
        ${rows.map((row) => row.tag)}::text[], ${rows.map((row) => row.selector)}::text[],
        ${rows.map((row) => row.usedAt)}::float8[]
      ) as seen (tag, selector, used_at) on k.tag = seen.tag and k.selector = seen.selector
      where k.last_used_at is null or k.last_used_at < to_timestamp(seen.used_at / 1000.0) - interval '30 seconds'
      order by k.tag, k.selector for no key update of k skip locked
    )
    update api_key as k set last_used_at = to_timestamp(due.used_at / 1000.0)
    from due where k.tag = due.tag and k.selector = due.selector`.execute(db)
}

type Counter = {
  tag: string
  day: number
  used: number
  refunded: number
  /** Charges and refunds of the Postgres gate on that day, as last heard. */
  direct: number
}
type Call = { tag: string; day: number; endpoint: string; used: number }

type Use = { readonly tag: string; readonly selector: string; readonly usedAt: number }
