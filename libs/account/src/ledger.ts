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
  saw(tag: string, seen: Seen): void
  /** Records a successful call. */
  called(tag: string, day: number, endpoint: string): void
  /** Records that a key was used. */
  used(tag: string, selector: string, nowMs: number): void
  /** The highest state seen, if any. */
  highest(tag: string): Seen | undefined
  /** Writes what has changed since the last flush. @throws when Postgres does not answer; nothing is lost then */
  flush(): Promise<void>
}

/**
 * @param instance unique name of this process
 * @param onDirect told of accounts for which Postgres holds charges of its own gate that Redis may not know yet
 */
export function createLedger(
  db: AccountDatabase,
  instance: string,
  onDirect: (tags: readonly string[]) => void = ignore,
): Ledger {
  const counters = new Map<string, Counter>()
  const calls = new Map<string, Call>()
  const uses = new Map<string, { tag: string; selector: string; usedAt: number }>()
  let flushing: Promise<void> = Promise.resolve()

  function saw(tag: string, seen: Seen): void {
    const known = counters.get(tag)
    if (known === undefined || known.day < seen.day) {
      if (known?.dirty) counters.set(`${tag}/${known.day}`, known)
      counters.set(tag, { tag, ...seen, direct: 0, dirty: true })
    } else if (known.day === seen.day && (seen.used > known.used || seen.refunded > known.refunded)) {
      known.used = Math.max(known.used, seen.used)
      known.refunded = Math.max(known.refunded, seen.refunded)
      known.dirty = true
    }
  }

  function called(tag: string, day: number, endpoint: string): void {
    const key = `${tag}${day} ${endpoint}`
    const call = calls.get(key)
    if (call === undefined) {
      calls.set(key, { tag, day, endpoint, used: 1, dirty: true })
    } else {
      call.used += 1
      call.dirty = true
    }
  }

  async function writeAll(): Promise<void> {
    await writeDirty(counters, (dirty) => writeCounters(db, dirty, onDirect))
    await writeDirty(calls, (dirty) => writeCalls(db, instance, dirty))
    const used = [...uses.values()]
    uses.clear()
    if (used.length > 0) await writeUses(db, used)
    forgetOldDays(counters, calls)
  }

  return {
    saw,
    called,
    used: (tag, selector, usedAt) => uses.set(tag + selector, { tag, selector, usedAt }),
    highest: (tag) => counters.get(tag),
    flush() {
      flushing = flushing.catch(() => undefined).then(writeAll)
      return flushing
    },
  }
}

function ignore(): void {
  // without a Redis gate nobody needs to hear of direct charges
}

/** Takes the dirty entries, marks them clean and writes them; they are dirty again when the write fails. */
async function writeDirty<T extends { dirty: boolean }>(
  entries: ReadonlyMap<string, T>,
  write: (dirty: T[]) => Promise<void>,
): Promise<void> {
  const dirty = [...entries.values()].filter((entry) => entry.dirty)
  if (dirty.length === 0) return
  for (const entry of dirty) entry.dirty = false
  try {
    for (let from = 0; from < dirty.length; from += rowsPerStatement) {
      await write(dirty.slice(from, from + rowsPerStatement))
    }
  } catch (error) {
    for (const entry of dirty) entry.dirty = true
    throw error
  }
}

const rowsPerStatement = 1000

async function writeCounters(
  db: AccountDatabase,
  rows: readonly Counter[],
  onDirect: (tags: readonly string[]) => void,
): Promise<void> {
  const { rows: written } = await sql<{ tag: string; day: number; direct: number }>`
    insert into usage_day as u (tag, day, redis_used, redis_refunded)
    select seen.* from unnest(
      ${rows.map((row) => row.tag)}::text[], ${rows.map((row) => row.day)}::integer[],
      ${rows.map((row) => row.used)}::integer[], ${rows.map((row) => row.refunded)}::integer[]
    ) as seen (tag, day, used, refunded) join account using (tag)
    order by seen.tag, seen.day
    on conflict (tag, day) do update set
      redis_used = greatest(u.redis_used, excluded.redis_used),
      redis_refunded = greatest(u.redis_refunded, excluded.redis_refunded)
    returning tag, day, direct_used + direct_refunded as direct`.execute(db)
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

async function writeUses(
  db: AccountDatabase,
  rows: readonly { tag: string; selector: string; usedAt: number }[],
): Promise<void> {
  await sql`
    update api_key as k set last_used_at = to_timestamp(seen.used_at / 1000.0)
    from unnest(
      ${rows.map((row) => row.tag)}::text[], ${rows.map((row) => row.selector)}::text[],
      ${rows.map((row) => row.usedAt)}::float8[]
    ) as seen (tag, selector, used_at)
    where k.tag = seen.tag and k.selector = seen.selector
      and (k.last_used_at is null or k.last_used_at < to_timestamp(seen.used_at / 1000.0) - interval '30 seconds')`.execute(
    db,
  )
}

/** Counters of days that are over and written are of no more use; the map stays as large as a day's accounts. */
function forgetOldDays(counters: Map<string, Counter>, calls: Map<string, Call>): void {
  let latest = 0
  for (const { day } of counters.values()) latest = Math.max(latest, day)
  for (const { day } of calls.values()) latest = Math.max(latest, day)
  for (const [key, { day, dirty }] of counters) if (!dirty && day < latest) counters.delete(key)
  for (const [key, { day, dirty }] of calls) if (!dirty && day < latest) calls.delete(key)
}

type Counter = {
  tag: string
  day: number
  used: number
  refunded: number
  /** Charges and refunds of the Postgres gate on that day, as last heard. */
  direct: number
  dirty: boolean
}
type Call = { tag: string; day: number; endpoint: string; used: number; dirty: boolean }
