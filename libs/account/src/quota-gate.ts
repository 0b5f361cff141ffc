import { keptConnections } from '@hearth/chassis/database'
import type { Cluster, Redis } from 'ioredis'
import type { Logger } from 'pino'
import { countingPlace } from './counting-place.ts'
import type { Deployment } from './credentials.ts'
import type { AccountDatabase } from './database.ts'
import { evictionWatch, type EvictionWatch } from './eviction-watch.ts'
import { failoverGate } from './failover-gate.ts'
import { anyCountsInRedis, gateInstances, type GateInstances } from './gate-instances.ts'
import { every, housekeeping, stop } from './gate-timers.ts'
import type { Burst, Gate } from './gate.ts'
import { createLedger, writtenWithinMs, type Ledger } from './ledger.ts'
import { noOutbox, redisOutbox, type Outbox, type OutboxOptions } from './outbox.ts'
import type { Plans } from './plans.ts'
import { postgresGate } from './postgres-gate.ts'
import { redisGate, replicate, type RedisGateOptions } from './redis-gate.ts'
import { beat, checkWritable, connectedOrNot, onDisconnect } from './redis-nodes.ts'
import { redisRecords } from './redis-records.ts'
import { redisTrust, type RedisTrust, type RedisTrustOptions } from './redis-trust.ts'
import { secondLook } from './second-look.ts'

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
  readonly db: AccountDatabase
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

function openPostgresGate({ db, plans, burst, log, clock }: QuotaGateOptions): QuotaGate {
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
  const parts = partsOf(options, redis, {
    trusting: () => trust.isTrusted(),
    holds: async () => trust.holds() || trust.renew(),
    late: () => (trust.isTrusted() ? trust.failed(changeIsLate) : undefined),
  })
  const { ledger, onRedis, outbox, instances, postgres } = parts
  const stay = () => stayOrBeginAnew(instances, trust)
  const trust: RedisTrust = redisTrust({
    ...trustOptions(options, redis, parts),
    catchUp: () => stay().then(outbox.drain),
  })
  const timers = [
    ...housekeeping(options.db, ledger, log),
    every(drainEveryMs, log, stay),
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
      trust.close()
      await stop(timers, ledger)
      await instances.leave()
    },
  }
}

/** The others may have gone on without an instance that they took for crashed: it reads every account anew. */
async function stayOrBeginAnew(instances: GateInstances, trust: RedisTrust): Promise<void> {
  if (await instances.stay()) return
  trust.failed(wasTakenForCrashed)
  void trust.restore()
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
 * Asks Postgres about nobody, on as many connections as stay open: an outage of Redis then finds them open, though
 * each ends after an hour, the statement prepared and the code compiled.
 */
async function rehearse(postgres: Gate): Promise<void> {
  const nobody = { tag: '-', selector: '-', digests: '', cost: 0 } as const
  await Promise.all(Array.from({ length: keptConnections }, () => postgres.check(nobody)))
}

function trustOptions(
  { deployment, log, answerWithinMs = 75 }: QuotaGateOptions,
  redis: Redis | Cluster,
  { ledger, epoch, instances, again }: ReturnType<typeof partsOf>,
): Omit<RedisTrustOptions, 'catchUp'> {
  return {
    ...{ log, hasOneNode: !redis.isCluster },
    connected: () => redis.status === 'ready',
    beat: () => beat(redis, answerWithinMs),
    async beforeTrust() {
      await checkWritable(redis, deployment.code, answerWithinMs)
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
function partsOf(
  options: QuotaGateOptions,
  redis: Redis | Cluster,
  { trusting, late, holds }: Pick<OutboxOptions, 'trusting' | 'late'> & Pick<RedisGateOptions, 'holds'>,
) {
  const { deployment, db, plans, burst, log, instance, clock, answerWithinMs } = options
  const epoch = { current: 0 }
  const ledger: Ledger = createLedger(db, {
    // Charges made while Redis was away reach the records of accounts that are in use again.
    async onDirect(tags) {
      // Once Redis is trusted again, every record is read anew.
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
  })
  const copying = { records, db, ledger, epoch: () => epoch.current }
  const copy = (tags: readonly string[]) => replicate(copying, tags)
  const instances = gateInstances(db, instance)
  const outbox = redisOutbox({ db, instances, trusting, late, replicate: copy })
  const place = countingPlace(db, outbox)
  const postgres = postgresGate({ ...common, place, outbox })
  const again = secondLook(copy)
  const { gaveAnew } = again
  const onRedis = redisGate({ ...copying, holds, place, postgres, gaveAnew, planIds: Object.keys(plans) })
  return { ledger, postgres, onRedis, epoch, outbox, again, instances }
}

const drainEveryMs = 50
const changeIsLate = new Error('A change of an account could not be brought to Redis in time.')
const wasTakenForCrashed = new Error('The other instances may have taken this one for crashed.')
const lookAtSettingsEveryMs = 10_000
const lookForOthersEveryMs = 10_000
const rehearseEveryMs = 5_000
/** By then every instance has written what it had seen when a record was found to be missing. */
const lookAgainEveryMs = 2 * writtenWithinMs
