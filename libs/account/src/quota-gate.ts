import { keptConnections } from '@hearth/chassis/database'
import type { Cluster, Redis } from 'ioredis'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { countingPlace } from './counting-place.ts'
import type { Deployment } from './credentials.ts'
import type { AccountConnections, AccountDatabase } from './database.ts'
import { evictionWatch, type EvictionWatch } from './eviction-watch.ts'
import { failoverGate } from './failover-gate.ts'
import { anyCountsInRedis, gateInstances } from './gate-instances.ts'
import { every, housekeeping, stop } from './gate-timers.ts'
import type { Burst, Gate } from './gate.ts'
import { createLedger, writtenWithinMs, type Ledger } from './ledger.ts'
import { noOutbox, redisOutbox, type Outbox, type OutboxOptions } from './outbox.ts'
import type { Plans } from './plans.ts'
import { postgresGate } from './postgres-gate.ts'
import { redisGate, replicate } from './redis-gate.ts'
import { checkWritable, connectedOrNot, onDisconnect } from './redis-nodes.ts'
import { redisRecords } from './redis-records.ts'
import { redisTrust, type RedisTrust } from './redis-trust.ts'
import { secondLook } from './second-look.ts'
import { sightOfChanges } from './sight.ts'
import type { RedisTrustOptions } from './trust-changes.ts'

/** The gate of a process with everything that belongs to it. */
export type QuotaGate = Gate & {
  readonly ledger: Ledger
  readonly outbox: Outbox
  readonly serving: () => 'redis' | 'postgres'
  /** Whether Redis is set up so that it may forget counters. */
  readonly mayForget: () => boolean
  /** Writes the ledger for the last time and stops all timers. */
  readonly close: () => Promise<void>
}

/** What a gate is made of. */
export type QuotaGateOptions = {
  readonly deployment: Deployment
  readonly plans: Plans
  readonly burst: Burst
  readonly database: AccountConnections
  readonly redis?: Redis | Cluster | undefined
  readonly log: Logger
  /** Unique name of this process. */
  readonly instance: string
  readonly clock?: (() => number) | undefined
  /** How long Redis is waited for, in milliseconds; 75 unless told. */
  readonly answerWithinMs?: number | undefined
}

/** Opens the gate: on Redis with Postgres behind it when there is a Redis, else on Postgres. */
export async function openGate(options: QuotaGateOptions): Promise<QuotaGate> {
  return options.redis === undefined ? openPostgresGate(options) : openRedisGate(options, options.redis)
}

function openPostgresGate({ database: { db }, plans, burst, log, clock }: QuotaGateOptions): QuotaGate {
  const ledger = createLedger(db)
  const lookForOthers = () => complainOfRedis(db, log)
  const timers = [...housekeeping(db, ledger, log), every(lookForOthersEveryMs, log, lookForOthers)]
  lookForOthers().catch(() => undefined) // the next look says what is wrong
  return {
    ...postgresGate({ db, plans, burst, ledger, clock }),
    ledger,
    outbox: noOutbox,
    serving: () => 'postgres',
    mayForget: () => false,
    close: () => stop(timers, ledger),
  }
}

/** Those who count in Redis hear nothing of what an instance without Redis counts and changes. */
async function complainOfRedis(db: AccountDatabase, log: Logger): Promise<void> {
  if (await anyCountsInRedis(db)) {
    log.error(
      'Other instances of this service count in Redis and this one has no REDIS_URL: quotas may be exceeded and revoked keys go on there. Give all of them a REDIS_URL, or none.',
    )
  }
}

async function openRedisGate(options: QuotaGateOptions, redis: Redis | Cluster): Promise<QuotaGate> {
  const { log } = options
  const eviction = evictionWatch(redis, log)
  const parts = partsOf(options, redis, () => trust)
  const { ledger, onRedis, outbox, instances, postgres } = parts
  const trust: RedisTrust = redisTrust(trustOptions(options, redis, parts))
  const timers = [
    ...housekeeping(options.database.db, ledger, log),
    every(drainEveryMs, log, instances.stay),
    ...whileTrusted(parts, eviction, trust, log),
  ]
  onDisconnect(redis, trust.disconnected)
  await connectedOrNot(redis)
  await trust.restore()
  await Promise.allSettled([rehearse(postgres), trust.isTrusted() && eviction.look()])
  return {
    ...failoverGate(onRedis, postgres, trust),
    ...{ ledger, outbox },
    serving: () => (trust.isTrusted() ? 'redis' : 'postgres'),
    mayForget: eviction.mayEvict,
    async close() {
      await trust.close()
      await stop(timers, ledger)
      await instances.leave()
    },
  }
}

function whileTrusted(
  { outbox, again, postgres }: ReturnType<typeof partsOf>,
  eviction: EvictionWatch,
  trust: RedisTrust,
  log: Logger,
): NodeJS.Timeout[] {
  const works = [
    [drainEveryMs, outbox.drain],
    [lookAgainEveryMs, again.look],
    [rehearseEveryMs, () => rehearse(postgres)],
    [lookAtSettingsEveryMs, eviction.look],
  ] as const
  return works.map(([ms, work]) => every(ms, log, () => (trust.isTrusted() ? work() : Promise.resolve())))
}

/**
 * Asks Postgres about nobody, on nearly all connections: an outage of Redis then finds them open, though
 * each ends after an hour, the statement prepared and the code compiled.
 */
async function rehearse(postgres: Gate): Promise<void> {
  const nobody = { tag: '-', selector: '-', digests: '', cost: 0 } as const
  await Promise.all(Array.from({ length: rehearsedConnections }, () => postgres.check(nobody)))
}

function trustOptions(
  { deployment, database: { aside }, log, answerWithinMs = 75 }: QuotaGateOptions,
  redis: Redis | Cluster,
  { ledger, records, epoch, instances, again, outbox, sight }: ReturnType<typeof partsOf>,
): RedisTrustOptions {
  return {
    ...{ log, hasOneNode: !redis.isCluster, isSure: sight.isClear, catchUp: outbox.drain },
    isWaitedFor: instances.isIn,
    connected: () => redis.status === 'ready',
    beat: records.beat,
    checkWritable: () => checkWritable(redis, deployment.code, answerWithinMs),
    reachPostgres: () => sql`select`.execute(aside),
    async beforeTrust() {
      await records.hearClock()
      await ledger.flush()
      // Records of earlier epochs are read anew from Postgres: whatever Redis has forgotten or missed is repaired.
      epoch.current = await instances.join()
      again.forget()
    },
    onReturn: instances.comeBack,
    async afterTrust() {
      await ledger.flush()
      await instances.leave()
    },
  }
}

/** Both gates, and what keeps them together. */
function partsOf(options: QuotaGateOptions, redis: Redis | Cluster, trust: () => RedisTrust) {
  const { deployment, plans, burst, log, instance, clock, answerWithinMs } = options
  const { db, aside } = options.database
  const epoch = { current: 0 }
  const trusting = () => trust().isTrusted()
  const ledger: Ledger = createLedger(db, {
    // Charges made while Redis was away reach the records of accounts that are in use again.
    async onDirect(tags) {
      // Once Redis is trusted again, every record is read anew that has changed.
      if (!trusting()) return
      try {
        const [failure] = await copy(tags)
        if (failure !== undefined) throw failure.cause
      } catch (error) {
        log.warn({ err: error }, 'direct charges reach Redis later')
        throw error
      }
    },
  })
  const common = { db, ledger, plans, burst, clock }
  const records = redisRecords({
    ...{ ...common, redis, answerWithinMs, prefix: deployment.code },
    ...{ epoch: () => epoch.current, floor: ({ tag, tally = ledger.of(tag) }) => tally.counter },
    ...{ onLate: () => trust().doubt(), trustedAt: () => trust().heldAt() },
  })
  const gaveAnew = (tag: string) => again.gaveAnew(tag)
  const copying = { records, db, ledger, gaveAnew, epoch: () => epoch.current }
  const copy = (tags: readonly string[], from = db) => replicate({ ...copying, db: from }, tags)
  const again = secondLook(copy)
  const [instances, sight] = [gateInstances(aside, instance), sightOfChanges()]
  const outbox = redisOutbox({
    ...{ db, aside, log, instances, sight, trusting, replicate: copy },
    outdate: records.outdate,
    ...tellTrust(trust),
  })
  const place = countingPlace({ db, outbox, replicate: copy })
  const postgres = postgresGate({ ...common, place, outbox })
  const onRedis = redisGate({ ...copying, trust, place, postgres, planIds: Object.keys(plans) })
  return { ledger, postgres, records, onRedis, epoch, outbox, again, instances, sight }
}

/** What the outbox tells of changes. */
function tellTrust(trust: () => RedisTrust): Pick<OutboxOptions, 'late' | 'forgotten' | 'missed'> {
  const lose = (reason: Error) => {
    if (trust().isTrusted()) trust().failed(reason)
  }
  return {
    late: () => {
      lose(changeIsLate)
    },
    forgotten: () => {
      lose(wasTakenForCrashed)
      trust().wentElsewhere() // the others may have
    },
    missed: () => {
      trust().missed()
    },
  }
}

const drainEveryMs = 50
const changeIsLate = new Error('A change of an account could not be brought to Redis in time.')
const wasTakenForCrashed = new Error('The other instances may have taken this one for crashed.')
const lookAtSettingsEveryMs = 10_000
const lookForOthersEveryMs = 10_000
const rehearseEveryMs = 5_000
/** Two are left to who asks meanwhile. */
const rehearsedConnections = keptConnections - 2
/** By then every instance has written what it had seen when a record was found to be missing. */
const lookAgainEveryMs = 2 * writtenWithinMs
