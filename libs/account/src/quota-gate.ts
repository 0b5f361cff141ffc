import { sql } from 'kysely'
import { Cluster, type Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Deployment } from './credentials.ts'
import type { AccountDatabase } from './database.ts'
import { failoverGate } from './failover-gate.ts'
import type { Burst, Gate } from './gate.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { noOutbox, redisOutbox, type Outbox } from './outbox.ts'
import type { Plans } from './plans.ts'
import { postgresGate } from './postgres-gate.ts'
import { redisGate, type RedisGate } from './redis-gate.ts'
import { redisRecords } from './redis-records.ts'
import { redisTrust, type RedisTrust } from './redis-trust.ts'

/** The gate of a process with everything that belongs to it. */
export type QuotaGate = Gate & {
  readonly ledger: Ledger
  readonly outbox: Outbox
  readonly serving: () => 'redis' | 'postgres'
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
}

/** Opens the gate: on Redis with Postgres behind it when there is a Redis, else on Postgres. */
export async function openGate(options: QuotaGateOptions): Promise<QuotaGate> {
  return options.redis === undefined ? openPostgresGate(options) : openRedisGate(options, options.redis)
}

function openPostgresGate({ db, plans, burst, log, instance, clock }: QuotaGateOptions): QuotaGate {
  const ledger = createLedger(db, instance)
  const timer = every(flushEveryMs, log, ledger.flush)
  return {
    ...postgresGate({ db, plans, burst, ledger, clock }),
    ledger,
    outbox: noOutbox,
    serving: () => 'postgres',
    close: () => stop([timer], ledger),
  }
}

async function openRedisGate(options: QuotaGateOptions, redis: Redis | Cluster): Promise<QuotaGate> {
  const { db, log } = options
  const { ledger, postgres, onRedis, epoch } = partsOf(options, redis)
  const trust: RedisTrust = redisTrust({
    log,
    connected: () => redis.status === 'ready',
    beat: () => redis.ping(),
    beforeTrust: async () => {
      await ledger.flush()
      // Records of earlier epochs are read anew from Postgres: whatever Redis has forgotten or missed is repaired.
      epoch.current = await nextEpoch(db)
      await outbox.drain()
    },
  })
  const outbox = redisOutbox(db, onRedis.replicate, trust.holds)
  const timers = [
    every(flushEveryMs, log, ledger.flush),
    every(drainEveryMs, log, () => (trust.holds() ? outbox.drain() : Promise.resolve())),
  ]
  onDisconnect(redis, trust.disconnected)
  await connectedOrNot(redis)
  await trust.restore()
  return {
    ...failoverGate(onRedis, postgres, trust),
    ...{ ledger, outbox },
    serving: () => (trust.holds() ? 'redis' : 'postgres'),
    close: () => {
      trust.close()
      return stop(timers, ledger)
    },
  }
}

/** Both gates and the ledger between them. */
function partsOf(options: QuotaGateOptions, redis: Redis | Cluster) {
  const { deployment, db, plans, burst, log, instance, clock } = options
  const epoch = { current: 0 }
  const ledger: Ledger = createLedger(db, instance, (tags) => {
    // Charges made while Redis was away reach the records of accounts that are in use again.
    replicateAll(onRedis, tags).catch((error: unknown) => {
      log.warn({ err: error }, 'direct charges reach Redis later')
    })
  })
  const postgres = postgresGate({ db, plans, burst, ledger, clock })
  const common = { ledger, epoch: () => epoch.current }
  const records = redisRecords({
    ...common,
    redis,
    plans,
    burst,
    clock,
    prefix: deployment.code,
    floor: ledger.highest,
  })
  const onRedis: RedisGate = redisGate({ ...common, records, db, planIds: Object.keys(plans), postgres })
  return { ledger, postgres, onRedis, epoch }
}

const flushEveryMs = 250
const drainEveryMs = 50

async function replicateAll(gate: RedisGate, tags: readonly string[]): Promise<void> {
  for (const tag of tags) await gate.replicate(tag)
}

async function stop(timers: readonly NodeJS.Timeout[], ledger: Ledger): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  await ledger.flush()
}

async function nextEpoch(db: AccountDatabase): Promise<number> {
  const { rows } = await sql<{
    epoch: number
  }>`update gate_epoch set epoch = epoch + 1 returning epoch`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('The table gate_epoch has no row; run the migrations.')
  return row.epoch
}

/** Tells of every connection that ends, in a cluster that of any node. */
function onDisconnect(redis: Redis | Cluster, listener: () => void): void {
  redis.on('close', listener)
  if (!(redis instanceof Cluster)) return
  for (const node of redis.nodes()) node.on('close', listener)
  redis.on('+node', (node: Redis) => node.on('close', listener))
}

/** Waits for the first connection, but not for a Redis that is away: the service then starts on Postgres. */
async function connectedOrNot(redis: Redis | Cluster): Promise<void> {
  if (redis.status === 'ready') return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, firstConnectionMs)
    redis.once('ready', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

const firstConnectionMs = 500

/** Repeats work that must not overlap with itself; failures are logged once per spell. */
function every(ms: number, log: Logger, work: () => Promise<void>): NodeJS.Timeout {
  let running = false
  let failing = false

  async function runOnce(): Promise<void> {
    if (running) return
    running = true
    try {
      await work()
      failing = false
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'background work of the quota gate fails; it goes on trying')
      failing = true
    } finally {
      running = false
    }
  }

  return setInterval(() => void runOnce(), ms).unref()
}
