import { readSnapshots, tombstone, type Snapshot } from './account-snapshot.ts'
import type { CountingPlace } from './counting-place.ts'
import type { AccountDatabase } from './database.ts'
import type { Charge, Gate, GateRequest, Verdict } from './gate.ts'
import { gathered } from './gathered.ts'
import { inBudget } from './in-budget.ts'
import type { Ledger } from './ledger.ts'
import type { Unreplicated } from './outbox.ts'
import type { PostgresGate } from './postgres-gate.ts'
import { RedisAway } from './redis-questions.ts'
import { type Found, type RecordReply, type RedisRecords, type Reply, type Written } from './redis-records.ts'
import type { RedisTrust } from './redis-trust.ts'
import { dayOf } from './windows.ts'

/** What the Redis gate works with. */
export type RedisGateOptions = {
  readonly records: RedisRecords
  readonly db: AccountDatabase
  readonly planIds: readonly string[]
  /** The epoch in which this instance trusts Redis. */
  readonly epoch: () => number
  /** Whether it still does. */
  readonly trust: () => Pick<RedisTrust, 'holds' | 'renew'>
  readonly ledger: Ledger
  /**
   * Answers why a key that is not in Redis is refused, counts the accounts that are counted in Postgres, and takes back
   * what no record can.
   */
  readonly postgres: PostgresGate
  readonly place: CountingPlace
  /** Told of an account that Redis had no record of: see second-look.ts. */
  readonly gaveAnew: (tag: string) => void
}

/** The gate that counts in Redis; what the records there do not know it reads from Postgres, and asks again. */
export function redisGate(options: RedisGateOptions): Gate {
  let latest = 0
  const copy = gathered(async (tags) => {
    const copies = await copyToRedis(options, tags, latest)
    return new Map(copies.map((one) => [one.tag, one]))
  })

  /** Reads an account from Postgres into Redis; false when there is none. */
  async function fill(tag: string, now: number): Promise<boolean> {
    latest = now
    const { cause, snapshot } = (await copy(tag)) ?? {}
    if (cause !== undefined) throw cause
    return snapshot !== undefined
  }

  return {
    check: (request) => check(options, fill, request),
    refund: (charge) => refund(options, charge),
  }
}

/**
 * Writes the state of accounts from Postgres to Redis. What Redis had counted of accounts that Postgres counts from now
 * on is in the ledger then.
 *
 * @returns the accounts of which Redis has not acknowledged it
 * @throws when Postgres does not answer, or Redis nothing at all
 */
export async function replicate(options: Copying, tags: readonly string[]): Promise<readonly Unreplicated[]> {
  const now = await options.records.now()
  const copies = await copyToRedis(options, tags, now, tombstone)
  const counted = copies.filter(({ snapshot }) => snapshot?.state === 'p')
  await Promise.all(counted.map(({ tag }) => options.ledger.flushOf(tag)))
  return copies.flatMap(({ tag, cause }) => (cause === undefined ? [] : [{ tag, cause }]))
}

type Fill = (tag: string, now: number) => Promise<boolean>

async function check(options: RedisGateOptions, fill: Fill, request: GateRequest): Promise<Verdict> {
  const reply = await options.records.ask(request)
  if (isDecided(reply)) return verdictOf(options, request, reply)
  return inBudget(
    (signal) => askAgain(options, fill, { request, reply, signal }),
    (charge) => giveBack(options, charge),
  )
}

/** Gives back what was charged by whichever gate, and too late. */
function giveBack(options: RedisGateOptions, charge: Charge): Promise<void> {
  const isForRedis = charge.by === 'redis' && options.trust().holds()
  return isForRedis ? refund(options, charge) : options.postgres.refund(charge)
}

/** The record alone has answered the question. */
function isDecided(reply: Reply): reply is Decided {
  return !(undecided as readonly string[]).includes(reply.outcome)
}

const undecided = ['late', 'absent', 'stale', 'unknown', 'elsewhere'] as const
type Undecided = (typeof undecided)[number]
type Decided = RecordReply & { readonly outcome: Exclude<Reply['outcome'], Undecided> }

/** Does what the record lacks, and asks again, not more often than a few times. */
async function askAgain(
  options: RedisGateOptions,
  fill: Fill,
  { request, reply: first, signal }: { request: GateRequest; reply: Reply; signal: AbortSignal },
): Promise<Verdict> {
  const { trust, records, postgres } = options
  for (let reply = first, asked = 1; ; asked++) {
    const verdict = await answer(options, fill, request, reply)
    if (verdict !== undefined) return verdict
    signal.throwIfAborted()
    // A record that is newer than Postgres, as after Postgres came back from a copy, is no reason to distrust Redis.
    if (asked === mostAsked) return postgres.check(request)
    // The process may have been stopped meanwhile, and the others have gone on without it.
    if (!trust().holds() && !(await trust().renew())) throw new RedisAway('Redis is trusted no longer.')
    reply = await records.ask(request)
  }
}

const mostAsked = 3

/** What a reply leads to; undefined when the question is to be put again. */
async function answer(
  options: RedisGateOptions,
  fill: Fill,
  request: GateRequest,
  reply: Reply,
): Promise<Verdict | undefined> {
  if (reply.outcome === 'late') return undefined
  if (isDecided(reply)) return verdictOf(options, request, reply)
  if (reply.outcome === 'elsewhere') {
    const verdict = await options.postgres.checkHere(request)
    if (verdict !== 'back') return verdict
    await options.place.toRedis(request.tag)
    return undefined
  }
  const reason = reply.outcome === 'unknown' ? await reasonFor(options.postgres, request) : undefined
  if (reason !== undefined) return reason
  const isThere = await fill(request.tag, reply.now)
  return isThere ? undefined : { outcome: 'unknown' }
}

type Copying = Pick<RedisGateOptions, 'records' | 'db' | 'epoch' | 'ledger' | 'gaveAnew'>

/** A record that was written, or why it was not. */
type Copy = { readonly tag: string; readonly snapshot: Snapshot | undefined; readonly cause?: RedisAway }

/**
 * The epoch is taken before Postgres is read: a snapshot that was overtaken by a new epoch counts as of the old one.
 *
 * A record that is new must be confirmed with what is read after it was written. One that shows a newer version than
 * Postgres had is left alone when somebody was quicker; see RedisRecords for what else it may mean. In either case the
 * account is read again.
 *
 * @param gone what stands for an account that does not exist; without it nothing is written then
 */
async function copyToRedis(
  options: Copying,
  tags: readonly string[],
  now: number,
  gone?: Snapshot,
): Promise<readonly Copy[]> {
  const day = dayOf(now)
  const epoch = options.epoch()
  const copies = new Map<string, Copy>()
  let left: readonly Left[] = tags.map((tag) => ({ tag }))
  for (let attempt = 0; attempt < mostReadings && left.length > 0; attempt++) {
    const read = await readSnapshots(options.db, left.map(tagOf), day, new Date(now))
    const written = await Promise.all(
      left.map(({ tag, found }) => {
        const snapshot = read.get(tag) ?? (gone && { ...gone, day })
        return writeRecord(options, epoch, { tag, snapshot }, found)
      }),
    )
    for (const { copy } of written) copies.set(copy.tag, copy)
    left = written.flatMap(({ copy: { tag }, found }) => (found === undefined ? [] : [{ tag, found }]))
  }
  for (const { tag, found } of left) if (found?.unconfirmed !== 0) copies.set(tag, neverConfirmed(tag))
  return [...copies.values()]
}

const mostReadings = 3

/** An account that is to be read and written, for the second time when its record is not yet as it should be. */
type Left = { readonly tag: string; readonly found?: Found }

const tagOf = ({ tag }: { readonly tag: string }): string => tag

function neverConfirmed(tag: string): Copy {
  return { tag, snapshot: undefined, cause: new RedisAway('Redis forgets the record again and again.') }
}

async function writeRecord(
  options: Copying,
  epoch: number,
  { tag, snapshot }: Pick<Copy, 'tag' | 'snapshot'>,
  before: Found | undefined,
): Promise<{ readonly copy: Copy; readonly found?: Found }> {
  const copy = { tag, snapshot }
  if (snapshot === undefined) return { copy }
  try {
    const written = await options.records.write(tag, epoch, snapshot, before)
    remember(options, tag, written, snapshot)
    if (written.unconfirmed > 0) options.gaveAnew(tag)
    return written.unconfirmed > 0 || written.newer !== undefined ? { copy, found: written } : { copy }
  } catch (cause) {
    if (!(cause instanceof RedisAway)) throw cause
    return { copy: { ...copy, cause } }
  }
}

/** What only another instance had seen, and not yet written, is in the record alone. */
function remember({ ledger }: Copying, tag: string, counted: Written, known: Snapshot): void {
  // Of the day before only who is about to count in Postgres needs to know at once.
  if (known.state === 'p') ledger.saw(ledger.of(tag), counted.before)
  if (counted.day !== known.day || counted.used > known.used || counted.refunded > known.refunded)
    ledger.saw(ledger.of(tag), counted)
}

function verdictOf({ ledger, planIds }: RedisGateOptions, request: GateRequest, reply: Decided): Verdict {
  const { tag, cost, tally = ledger.of(tag) } = request
  const { outcome, plan, now, day, used, refunded, direct, usedBefore, burstRemaining, waitMs } = reply
  if (outcome === 'expired' || outcome === 'suspended') return { outcome }
  ledger.saw(tally, { day, used, refunded })
  // A unit may be given back before Redis, which had forgotten it, hears again that it was charged.
  const usedToday = Math.max(0, used - refunded + direct)
  const standing = { plan: planIds[plan] ?? '', now, day, usedToday, usedBefore, burstRemaining }
  if (outcome !== 'ok') return { ...standing, outcome, waitMs }
  return { ...standing, outcome, charge: cost === 0 ? undefined : { tag, day, by: 'redis' } }
}

/**
 * Why Postgres refuses a key, or undefined when it does not: then the record in Redis is behind. Without Postgres
 * nobody is told that a key is bad: it may be new.
 */
async function reasonFor(postgres: Gate, request: GateRequest): Promise<Verdict | undefined> {
  const verdict = await postgres.check({ ...request, cost: 0 })
  return 'plan' in verdict ? undefined : verdict
}

async function refund({ records, ledger, postgres }: RedisGateOptions, charge: Charge): Promise<void> {
  const refunded = await records.refund(charge.tag, charge.day)
  if (refunded === undefined) return postgres.refund(charge)
  const tally = ledger.of(charge.tag)
  const used = tally.counter?.day === charge.day ? tally.counter.used : 0
  ledger.saw(tally, { day: charge.day, used, refunded })
}
