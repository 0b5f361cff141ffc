import { readSnapshot, tombstone, type Snapshot } from './account-snapshot.ts'
import type { AccountDatabase } from './database.ts'
import type { Charge, Gate, GateRequest, Verdict } from './gate.ts'
import type { Ledger } from './ledger.ts'
import type { CountingPlace } from './counting-place.ts'
import { refundInPostgres, type PostgresGate } from './postgres-gate.ts'
import type { RedisRecords, Reply } from './redis-records.ts'
import { dayOf } from './windows.ts'

/** What the Redis gate works with. */
export type RedisGateOptions = {
  readonly records: RedisRecords
  readonly db: AccountDatabase
  readonly planIds: readonly string[]
  /** The epoch in which this instance trusts Redis. */
  readonly epoch: () => number
  readonly ledger: Ledger
  /** Answers why a key that is not in Redis is refused, and counts the accounts that are counted in Postgres. */
  readonly postgres: PostgresGate
  readonly place: CountingPlace
  /** Told of an account that Redis had no record of: see second-look.ts. */
  readonly gaveAnew: (tag: string) => void
}

/** The gate that counts in Redis. */
export type RedisGate = Gate

/** The gate that counts in Redis; what the records there do not know it reads from Postgres, and asks again. */
export function redisGate(options: RedisGateOptions): RedisGate {
  const filling = new Map<string, Promise<boolean>>()

  /** Reads an account from Postgres into Redis, once for all who wait for it; false when there is none. */
  function fill(tag: string, now: number): Promise<boolean> {
    const underWay =
      filling.get(tag) ??
      copyToRedis(options, tag, now)
        .then((snapshot) => snapshot !== undefined)
        .finally(() => filling.delete(tag))
    filling.set(tag, underWay)
    return underWay
  }

  return {
    check: (request) => check(options, fill, request),
    refund: (charge) => refund(options, charge),
  }
}

/**
 * Writes the state of an account from Postgres to Redis; resolves when Redis has acknowledged it. What Redis had
 * counted of an account that Postgres counts from now on is in the ledger then.
 */
export async function replicate(
  options: Pick<RedisGateOptions, 'records' | 'db' | 'epoch' | 'ledger'>,
  tag: string,
): Promise<void> {
  const { records, ledger } = options
  const snapshot = await copyToRedis(options, tag, await records.now(), tombstone)
  if (snapshot?.state === 'p') await ledger.flush()
}

type Fill = (tag: string, now: number) => Promise<boolean>

async function check(options: RedisGateOptions, fill: Fill, request: GateRequest): Promise<Verdict> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const reply = await options.records.ask(request)
    if (reply.outcome === 'absent' || reply.outcome === 'stale') {
      if (!(await fill(request.tag, reply.now))) return { outcome: 'unknown' }
      if (reply.outcome === 'absent') options.gaveAnew(request.tag)
    } else if (reply.outcome === 'unknown') {
      const reason = await reasonFor(options.postgres, request)
      if (reason !== undefined) return reason
      await fill(request.tag, reply.now)
    } else if (reply.outcome === 'elsewhere') {
      const verdict = await options.postgres.checkHere(request)
      if (verdict !== 'back') return verdict
      await options.place.toRedis(request.tag)
    } else {
      return verdictOf(options, request, reply)
    }
  }
  // A record that is newer than Postgres, as after Postgres came back from a copy, is no reason to distrust Redis.
  return options.postgres.check(request)
}

const attempts = 3

/**
 * The epoch is taken before Postgres is read: a snapshot that was overtaken by a new epoch counts as of the old one.
 *
 * @param gone what stands for an account that does not exist; without it nothing is written then
 */
async function copyToRedis(
  { db, records, epoch, ledger }: Pick<RedisGateOptions, 'records' | 'db' | 'epoch' | 'ledger'>,
  tag: string,
  now: number,
  gone?: Snapshot,
): Promise<Snapshot | undefined> {
  const epochRead = epoch()
  const day = dayOf(now)
  const found = await readSnapshot(db, tag, day, new Date(now))
  const snapshot = found ?? gone
  if (snapshot === undefined) return undefined
  const counted = await records.write(tag, epochRead, found?.day ?? day, snapshot)
  if (counted.used > snapshot.used || counted.refunded > snapshot.refunded)
    ledger.saw(ledger.of(tag), counted)
  return snapshot
}

function verdictOf({ ledger, planIds }: RedisGateOptions, request: GateRequest, reply: Reply): Verdict {
  const { tag, cost, tally = ledger.of(tag) } = request
  const { outcome, plan, now, day, used, refunded, direct, usedBefore, burstRemaining, waitMs } = reply
  if (outcome === 'expired' || outcome === 'suspended') return { outcome }
  ledger.saw(tally, { day, used, refunded })
  const usedToday = used - refunded + direct
  const standing = { plan: planIds[plan] ?? '', now, day, usedToday, usedBefore, burstRemaining }
  if (outcome !== 'ok') return { ...standing, outcome: outcome === 'over' ? 'over' : 'burst', waitMs }
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

async function refund({ records, ledger, db }: RedisGateOptions, charge: Charge): Promise<void> {
  const refunded = await records.refund(charge.tag, charge.day)
  if (refunded === undefined) return refundInPostgres(db, charge)
  const tally = ledger.of(charge.tag)
  const used = tally.counter?.day === charge.day ? tally.counter.used : 0
  ledger.saw(tally, { day: charge.day, used, refunded })
}
