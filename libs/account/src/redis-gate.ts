import type { Cluster, Redis } from 'ioredis'
import { createHash } from 'node:crypto'
import { readSnapshot, tombstone, type Snapshot } from './account-snapshot.ts'
import type { AccountDatabase } from './database.ts'
import type { Burst, Charge, Gate, GateRequest, Verdict } from './gate.ts'
import type { Ledger } from './ledger.ts'
import type { Plans } from './plans.ts'
import { refundInPostgres } from './postgres-gate.ts'
import { gateReplyFields, gateScript, refundScript, scriptOutcomes, writeScript } from './redis-scripts.ts'

/** What the Redis gate works with. */
export type RedisGateOptions = {
  readonly redis: Redis | Cluster
  /** First part of every Redis key: one per deployment. */
  readonly prefix: string
  readonly db: AccountDatabase
  readonly plans: Plans
  readonly burst: Burst
  readonly ledger: Ledger
  /** Answers why a key that is not in Redis is refused. */
  readonly postgres: Gate
  /** The epoch in which this instance trusts Redis. */
  readonly epoch: () => number
  /** Overrides the clock of Redis (Unix milliseconds), for tests. */
  readonly clock: (() => number) | undefined
}

/** The gate that counts in Redis. */
export type RedisGate = Gate & {
  /** Writes the state of accounts from Postgres to Redis; resolves when Redis has acknowledged it. */
  replicate(tag: string): Promise<void>
}

/** Redis did not do what it was asked, or not in time. Nothing is said of whether it was done after all. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway'
}

/**
 * The gate that counts in Redis. All requests of one turn of the event loop share one call of one script; what the
 * script does not know it reads from Postgres and asks again.
 */
export function redisGate(options: RedisGateOptions): RedisGate {
  const { prefix, db, ledger, postgres, epoch, clock } = options
  const run = scriptRunner(options.redis)
  const planIds = Object.keys(options.plans)
  const script = prepare(gateScript(options.plans, options.burst))
  const filling = new Map<string, Promise<boolean>>()
  const recordOf = (tag: string): string => `${prefix}:{${tag}}`

  const ask = batched<GateRequest, Reply>(async (requests) => {
    const args: (string | number)[] = [epoch(), clock === undefined ? '' : clock()]
    for (const { tag, selector, digests, cost } of requests) {
      const seen = ledger.highest(tag)
      args.push(selector, digests.join(' '), cost, seen?.day ?? 0, seen?.used ?? 0)
    }
    const keys = requests.map(({ tag }) => recordOf(tag))
    const flat = await run(script, keys, args)
    return requests.map((_, index) => readReply(flat, index))
  }, batchSize(options.redis))

  async function check(request: GateRequest): Promise<Verdict> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const reply = await ask(request)
      if (reply.outcome === 'miss') {
        if (!(await fill(request.tag, reply.day))) return { outcome: 'unknown' }
      } else if (reply.outcome === 'unknown') {
        const reason = await reasonFor(request)
        if (reason !== undefined) return reason
        await fill(request.tag, reply.day)
      } else {
        return verdictOf(request, reply)
      }
    }
    throw new RedisAway(`The record of an account did not settle in ${attempts} attempts.`)
  }

  function verdictOf({ tag, cost }: GateRequest, reply: Reply): Verdict {
    const { outcome, plan, now, day, used, refunded, direct, usedBefore, burstRemaining, waitMs } = reply
    if (outcome === 'expired' || outcome === 'suspended') return { outcome }
    ledger.saw(tag, { day, used, refunded })
    const usedToday = used - refunded + direct
    const standing = { plan: planIds[plan] ?? '', now, day, usedToday, usedBefore, burstRemaining }
    if (outcome !== 'ok') return { ...standing, outcome: outcome === 'over' ? 'over' : 'burst', waitMs }
    const charge = cost === 0 ? undefined : ({ tag, day, by: 'redis' } as const)
    return { ...standing, outcome: 'ok', charge }
  }

  /** Why Postgres refuses a key, or undefined when it does not: then the record in Redis is behind. */
  async function reasonFor(request: GateRequest): Promise<Verdict | undefined> {
    try {
      const verdict = await postgres.check({ ...request, cost: 0 })
      return 'plan' in verdict ? undefined : verdict
    } catch {
      // Without Postgres the record in Redis is the best there is, and it says no.
      return { outcome: 'unknown' }
    }
  }

  /** Reads an account from Postgres into Redis, once for all who wait for it; false when there is none. */
  function fill(tag: string, day: number): Promise<boolean> {
    const underWay = filling.get(tag)
    if (underWay !== undefined) return underWay
    const filled = readSnapshot(db, tag, day).then(async (snapshot) => {
      if (snapshot !== undefined) await write(tag, day, snapshot)
      return snapshot !== undefined
    })
    filling.set(tag, filled)
    return filled.finally(() => filling.delete(tag))
  }

  async function write(tag: string, day: number, snapshot: Snapshot): Promise<void> {
    const { version, state, plan, used, refunded, directUsed, directRefunded, before, keys } = snapshot
    const seen = ledger.highest(tag)
    const floor = seen?.day === day ? seen : { used: 0, refunded: 0 }
    const counters = [
      Math.max(used, floor.used),
      Math.max(refunded, floor.refunded),
      directUsed,
      directRefunded,
      before,
    ]
    const packed = keys.flatMap((key) => [key.selector, `${key.digest} ${key.expiresAt}`])
    await run(prepared.write, [recordOf(tag)], [epoch(), version, state, plan, day, ...counters, ...packed])
  }

  async function replicate(tag: string): Promise<void> {
    const day = await today()
    await write(tag, day, (await readSnapshot(db, tag, day)) ?? tombstone)
  }

  async function today(): Promise<number> {
    const ms = clock === undefined ? await redisTime(options.redis) : clock()
    return Math.floor(ms / 86_400_000)
  }

  async function refund(charge: Charge): Promise<void> {
    const [state, refunded] = await run(prepared.refund, [recordOf(charge.tag)], [charge.day])
    const used = ledger.highest(charge.tag)?.used ?? 0
    if (state === 1) ledger.saw(charge.tag, { day: charge.day, used, refunded: refunded ?? 0 })
    else await refundInPostgres(db, charge)
  }

  return { check, refund, replicate }
}

const attempts = 4

/** In a cluster the records of a call must lie in one slot, so each account has its own. */
function batchSize(redis: Redis | Cluster): number {
  return redis.isCluster ? 1 : 256
}

async function redisTime(redis: Redis | Cluster): Promise<number> {
  try {
    const [seconds, micros] = await redis.time()
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
  } catch (error) {
    throw new RedisAway('Redis did not tell the time.', { cause: error })
  }
}

type Script = { readonly text: string; readonly sha: string }

function prepare(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

const prepared = { refund: prepare(refundScript), write: prepare(writeScript) }

/** Runs scripts by their digest, and by their text where the server does not know them yet. */
function scriptRunner(redis: Redis | Cluster) {
  return async (
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<number[]> => {
    try {
      return (await redis.evalsha(script.sha, keys.length, ...keys, ...args).catch((error: unknown) => {
        if (error instanceof Error && error.message.startsWith('NOSCRIPT')) {
          return redis.eval(script.text, keys.length, ...keys, ...args)
        }
        throw error
      })) as number[] // our scripts reply with integers only
    } catch (error) {
      throw new RedisAway('Redis did not answer.', { cause: error })
    }
  }
}

/** Collects the questions of one turn of the event loop and answers them together. */
function batched<Question, Answer>(
  answerAll: (questions: readonly Question[]) => Promise<Answer[]>,
  size: number,
): (question: Question) => Promise<Answer> {
  let waiting: { question: Question; settle: PromiseWithResolvers<Answer> }[] = []

  function flush(): void {
    const batch = waiting
    waiting = []
    for (let from = 0; from < batch.length; from += size) {
      const part = batch.slice(from, from + size)
      answerAll(part.map(({ question }) => question)).then(
        (answers) => {
          part.forEach(({ settle }, index) => {
            settle.resolve(answers[index] as Answer)
          })
        }, // one each
        (error: unknown) => {
          part.forEach(({ settle }) => {
            settle.reject(error)
          })
        },
      )
    }
  }

  return (question) => {
    if (waiting.length === 0) setImmediate(flush)
    const settle = Promise.withResolvers<Answer>()
    waiting.push({ question, settle })
    return settle.promise
  }
}

function readReply(flat: readonly number[], index: number): Reply {
  const at = 1 + index * gateReplyFields
  const [
    outcome = 0,
    plan = 0,
    day = 0,
    used = 0,
    refunded = 0,
    direct = 0,
    usedBefore = 0,
    burstRemaining = 0,
    waitMs = 0,
  ] = flat.slice(at, at + gateReplyFields)
  return {
    outcome: scriptOutcomes[outcome] ?? 'miss',
    now: flat[0] ?? 0,
    plan, day, used, refunded, direct, usedBefore, burstRemaining, waitMs,
  } // prettier-ignore
}

type Reply = {
  readonly outcome: (typeof scriptOutcomes)[number]
  readonly now: number
  readonly plan: number
  readonly day: number
  readonly used: number
  readonly refunded: number
  readonly direct: number
  readonly usedBefore: number
  readonly burstRemaining: number
  readonly waitMs: number
}
