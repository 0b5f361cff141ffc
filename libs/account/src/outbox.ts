import { inTime } from '@hearth/chassis/in-time'
import { sql, type Transaction } from 'kysely'
import type { Logger } from 'pino'
import { versionOfGone } from './account-snapshot.ts'
import type { AccountDatabase, AccountTables } from './database.ts'
import { waitingForDelivery } from './delivery.ts'
import { noteForInstances, type GateInstances } from './gate-instances.ts'
import type { Sight } from './sight.ts'

/** Brings changes of accounts from Postgres to every instance that serves from Redis. */
export type Outbox = {
  /**
   * Notes a change of an account; call it at the end of the transaction that makes the change, with the account's row
   * locked. Raises the version of the account.
   */
  readonly note: (trx: Transaction<AccountTables>, tag: string) => Promise<void>
  /** The same of a change of the place where an account is counted. @returns the version; 0 when the account is gone */
  readonly noteMove: (trx: Transaction<AccountTables>, tag: string) => Promise<number>
  /**
   * After the commit: resolves when every instance sees the change with its next request.
   *
   * @param withinMs how long whoever counts in Redis is waited for
   */
  readonly deliver: (tag: string, withinMs?: number) => Promise<void>
  /**
   * Delivers what is waiting, whoever noted it.
   *
   * @throws when Redis or Postgres does not answer, or the others do not know that this instance counts in Redis
   */
  readonly drain: () => Promise<void>
}

/** What the outbox works with. */
export type OutboxOptions = {
  readonly db: AccountDatabase
  /** The same, on connections that requests do not use. */
  readonly aside: AccountDatabase
  readonly instances: Pick<GateInstances, 'othersCount' | 'place'>
  readonly sight: Sight
  /**
   * Writes the state of accounts from Postgres to Redis.
   *
   * @param from where it is read
   * @returns the accounts of which Redis has not acknowledged it
   */
  readonly replicate: (tags: readonly string[], from: AccountDatabase) => Promise<readonly Unreplicated[]>
  /** Keeps everybody from using the record of an account; false when it shows a later version than this. */
  readonly outdate: (tag: string, version: number) => Promise<boolean>
  /** Whether this instance counts in Redis. */
  readonly trusting: () => boolean
  /** Told that a change could not be delivered in time: this instance must not count in Redis any longer. */
  readonly late: () => void
  /** Told that the others may have gone on without this instance: the same, and it must join again. */
  readonly forgotten: () => void
  /** Told that a change is answered which was not waited for here, because this instance does not count in Redis. */
  readonly missed: () => void
  readonly log: Logger
}

/** An account whose record could not be written, and why. */
export type Unreplicated = { readonly tag: string; readonly cause: Error }

/**
 * The outbox of a service with Redis. A change waits in Postgres until Redis has acknowledged the new state of the
 * account. An instance that is cut off from Redis leaves its changes to the instances that are not, and waits for them.
 *
 * What it waits for rests on this: when a change that was noted is overdue, every instance that counts in Redis has
 * seen it delivered, or counts there no longer. Each looks every 50 ms, on connections that requests do not use, and
 * stops trusting Redis when it finds a change that is overdue, cannot deliver one by then, or finds that the others may
 * have taken it for crashed; none trusts a Redis it has not heard from for the time of a lease; and none that begins to
 * trust Redis uses a record without having read the account anew, or having delivered all that was noted meanwhile.
 *
 * Who makes a change writes the record anew. Others deliver it without reading Postgres again, which may be slow: they
 * outdate the record, and who is asked about the account next writes it. (But a record that shows a later version is
 * written, since Postgres may have been put back to an earlier state.) A move to Postgres is delivered only when what the
 * record had counted is written there; see counting-place.ts.
 *
 * While no instance counts in Redis nothing is noted: whoever begins to later reads every account anew.
 */
export function redisOutbox(options: OutboxOptions): Outbox {
  const { trusting } = options
  const untilDelivered = waitingForDelivery(options)
  const known: KnownRows = {
    ...{ lookedAt: -Infinity, notedAt: new Map(), delivered: new Set() },
    removing: undefined,
  }
  return {
    async note(trx, tag) {
      const version = (await raiseVersion(trx, tag)) ?? versionOfGone
      await noteForInstances(trx, tag, version, trusting())
    },
    async noteMove(trx, tag) {
      const version = await raiseVersion(trx, tag)
      await noteForInstances(trx, tag, null, trusting())
      return version ?? 0
    },
    async deliver(tag, withinMs = changeOverdueMs + 150) {
      if (trusting() && (await tryToDeliver(options, known, tag))) return
      const isDelivered = await untilDelivered(tag, withinMs)
      // Neither by what this instance does now and then: it would go on with the record as it was.
      if (!isDelivered && trusting()) options.late()
    },
    drain: () => drain(options, known),
  }
}

/** At this age a change is late. Who waits for others waits at least 50 ms longer, and then goes on without them. */
const changeOverdueMs = 600
/** The same of a move, which requests wait for. */
const moveOverdueMs = 150

async function tryToDeliver(options: OutboxOptions, known: KnownRows, tag: string): Promise<boolean> {
  try {
    const { rows } = await sql<OutboxRow>`select id, tag from outbox where tag = ${tag}`.execute(options.db)
    const { ids, failure } = await write(options, rows, options.db)
    noteDelivered(known, ids)
    await removeDelivered(options, known, new Set(ids))
    return failure === undefined
  } catch {
    return false // the row stays for others, and for later
  }
}

async function drain(options: OutboxOptions, known: KnownRows): Promise<void> {
  for (let mayBeMore = true; mayBeMore;) {
    const lookedAt = performance.now()
    const rows = withAge(known, await look(options, known.delivered), lookedAt)
    try {
      await Promise.all([
        inDueTime(options, known, changeOverdueMs, rows.filter(isChange), outdate),
        inDueTime(options, known, moveOverdueMs, rows.filter(isMove), write),
      ])
    } finally {
      known.removing ??= removeDelivered(options, known, known.delivered).finally(
        () => (known.removing = undefined),
      )
    }
    mayBeMore = rows.length === drainAtOnce
  }
}

/** Removes changes that every instance sees now. Those that cannot be removed are not looked for, and removed later. */
async function removeDelivered(
  { db, log }: OutboxOptions,
  known: KnownRows,
  ids: ReadonlySet<number>,
): Promise<void> {
  try {
    if (ids.size > 0) await sql`delete from outbox where id = any(${[...ids]}::bigint[])`.execute(db)
    known.delivered = known.delivered.difference(ids)
  } catch (error) {
    log.debug({ err: error }, 'outbox: delivered changes are removed later')
  }
}

function noteDelivered(known: KnownRows, ids: readonly number[]): void {
  known.delivered = known.delivered.union(new Set(ids))
}

/** What an instance knows of the rows that it has found. */
type KnownRows = {
  /** When it began the last look that has found all that were there; -Infinity when that one has not. */
  lookedAt: number
  /** When each row was committed, as far as that is known. (Times are by performance.now().) */
  notedAt: ReadonlyMap<number, number>
  /** Those that are delivered, and not removed yet. They are not late for anybody, and hide no others. */
  delivered: ReadonlySet<number>
  /** Nobody waits for it, but one at a time is enough. */
  removing: Promise<void> | undefined
}

/** The rows with their age since they were committed, as far as that is known. */
function withAge(known: KnownRows, rows: readonly WaitingRow[], lookedAt: number): WaitingRow[] {
  const now = performance.now()
  // What the last look has not found was committed since, however long that took; and the clock of Postgres may be set.
  const notedAt = ({ id, age }: WaitingRow) =>
    known.notedAt.get(id) ?? Math.max(now - Math.max(age, 0), known.lookedAt)
  const found = new Map(rows.map((row) => [row.id, notedAt(row)]))
  known.lookedAt = rows.length < drainAtOnce ? lookedAt : -Infinity
  known.notedAt = found
  return rows.map((row) => ({ ...row, age: now - (found.get(row.id) ?? now) }))
}

/** Delivers what waits, and tells when it is late. */
async function inDueTime<Row extends WaitingRow>(
  options: OutboxOptions,
  known: KnownRows,
  overdueMs: number,
  rows: readonly Row[],
  deliver: (options: OutboxOptions, rows: readonly Row[]) => Promise<Delivered>,
): Promise<void> {
  if (rows.length === 0) return
  const oldest = Math.max(0, ...rows.map(({ age }) => age))
  if (oldest >= overdueMs) options.late()
  const tooLate = setTimeout(options.late, Math.max(0, overdueMs - oldest))
  const delivered = await deliver(options, rows).finally(() => clearTimeout(tooLate))
  noteDelivered(known, delivered.ids)
  if (delivered.failure !== undefined) throw delivered.failure
}

/** What is waiting, the oldest first. @throws when Postgres does not answer, or the others do not know this instance */
async function look(
  { aside, instances, sight, forgotten }: OutboxOptions,
  delivered: ReadonlySet<number>,
): Promise<WaitingRow[]> {
  const place = instances.place()
  const oneLook = sight.begins()
  const looking = sql<{ readonly is_known: boolean } & (WaitingRow | { readonly id: null })>`
    select is_known, id, tag, version, (extract(epoch from clock_timestamp() - noted_at) * 1000)::float8 as age
    from (select ${place.isKnown} as is_known) as here
      left join (
        select * from outbox where id <> all(${[...delivered]}::bigint[]) order by id limit ${drainAtOnce}
      ) as waiting on true
    order by id`.execute(aside)
  inTime(moveOverdueMs, looking).catch(oneLook.fails)
  const { rows } = await looking
  oneLook.succeeds()
  if (rows[0]?.is_known === false) {
    if (place.isCurrent()) forgotten()
    throw new Error('The others do not know that this instance counts in Redis.')
  }
  return rows.flatMap((row) => (row.id === null ? [] : [row]))
}

/** Keeps everybody from using the records as they are. */
async function outdate(options: OutboxOptions, rows: readonly Change[]): Promise<Delivered> {
  const outcomes = await Promise.allSettled(rows.map(({ tag, version }) => options.outdate(tag, version)))
  const outdated = rows.filter((_, index) => isValue(outcomes[index], true))
  const later = await write(
    options,
    rows.filter((_, index) => isValue(outcomes[index], false)),
  )
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  const failure = later.failure ?? (failed?.reason as Error | undefined)
  return { ids: [...outdated.map(({ id }) => id), ...later.ids], failure }
}

function isValue<T>(outcome: PromiseSettledResult<T> | undefined, value: T): boolean {
  return outcome?.status === 'fulfilled' && outcome.value === value
}

/** Writes the records anew; one account that cannot be written does not hold up the others. */
async function write(
  { replicate, aside }: OutboxOptions,
  rows: readonly OutboxRow[],
  from = aside,
): Promise<Delivered> {
  if (rows.length === 0) return { ids: [], failure: undefined }
  const failures = await replicate([...new Set(rows.map(({ tag }) => tag))], from)
  const failed = new Set(failures.map(({ tag }) => tag))
  const ids = rows.filter(({ tag }) => !failed.has(tag)).map(({ id }) => id)
  return { ids, failure: failures[0]?.cause }
}

type Delivered = { readonly ids: readonly number[]; readonly failure: Error | undefined }

type OutboxRow = { readonly id: number; readonly tag: string }
type WaitingRow = OutboxRow & {
  /** Of the account after the change; null of a move, and of what earlier releases note. */
  readonly version: number | null
  /** In milliseconds. */
  readonly age: number
}
type Change = WaitingRow & { readonly version: number }

const isChange = (row: WaitingRow): row is Change => row.version !== null
const isMove = (row: WaitingRow): boolean => row.version === null

/** Without Redis every instance reads Postgres at every request: a change holds as soon as it is committed. */
export const noOutbox: Outbox = {
  async note(trx, tag) {
    await raiseVersion(trx, tag)
  },
  async noteMove(trx, tag) {
    return (await raiseVersion(trx, tag)) ?? 0
  },
  deliver: () => Promise.resolve(),
  drain: () => Promise.resolve(),
}

/** Locks the row of an account against other changes; undefined when it is gone. */
export async function lockAccount(trx: Transaction<AccountTables>, tag: string) {
  return trx.selectFrom('account').selectAll().where('tag', '=', tag).forUpdate().executeTakeFirst()
}

/** The new version; null when the account is gone. */
async function raiseVersion(trx: Transaction<AccountTables>, tag: string): Promise<number | null> {
  const raised = await trx
    .updateTable('account')
    .set({ version: sql<number>`version + 1` })
    .where('tag', '=', tag)
    .returning('version')
    .executeTakeFirst()
  return raised?.version ?? null
}

const drainAtOnce = 1000
