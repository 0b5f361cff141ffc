import type { Logger } from 'pino'
import type { Charge, Gate, GateRequest, Verdict } from './gate.ts'
import { RedisAway, type RedisGate } from './redis-gate.ts'

/** The switch between the two gates, and what the world may know of it. */
export type FailoverGate = Gate & {
  /** Which gate serves now. */
  serving(): 'redis' | 'postgres'
  /** Tries at once to serve from Redis; false when that is not possible now. */
  enter(): Promise<boolean>
  /** Stops the probes. */
  close(): void
}

/** What the switch works with. */
export type FailoverOptions = {
  readonly redis: RedisGate
  readonly postgres: Gate
  /** Whether there is a connection to Redis. */
  readonly connected: () => boolean
  /** Everything that must be true before Redis is trusted: new epoch, nothing left in the outbox. */
  readonly beforeTrust: () => Promise<void>
  readonly log: Logger
}

/**
 * Serves from Redis while Redis answers, from Postgres while it does not. A question that Redis failed to answer is
 * put to Postgres, so a caller sees neither the failure nor a wait beyond Redis's deadline.
 *
 * Trust is lost when the connection is gone or three questions in a row fail; it is won back by `beforeTrust`.
 */
export function failoverGate(options: FailoverOptions): FailoverGate {
  const { redis, postgres, connected, beforeTrust, log } = options
  let trusting = false
  let failures = 0
  let entering: Promise<boolean> | undefined
  const probe = setInterval(() => {
    if (!trusting && connected()) void enter()
  }, probeEveryMs)
  probe.unref()

  function failed(error: unknown): void {
    failures += 1
    if (!trusting || (connected() && failures < failuresToTrip)) return
    trusting = false
    log.warn({ err: error }, 'quota gate: Redis is away, serving from Postgres')
  }

  function enter(): Promise<boolean> {
    entering ??= beforeTrust()
      .then(
        () => {
          failures = 0
          trusting = true
          log.info('quota gate: serving from Redis')
          return true
        },
        () => false, // the next probe tries again
      )
      .finally(() => (entering = undefined))
    return entering
  }

  /** Asks Redis while it is trusted; Postgres when it is not, or when Redis fails. */
  async function either<T>(viaRedis: () => Promise<T>, viaPostgres: () => Promise<T>): Promise<T> {
    if (!trusting) return viaPostgres()
    try {
      const answer = await viaRedis()
      failures = 0
      return answer
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error
      failed(error)
      return viaPostgres()
    }
  }

  return {
    check: (request: GateRequest): Promise<Verdict> =>
      either(
        () => redis.check(request),
        () => postgres.check(request),
      ),
    refund: (charge: Charge): Promise<void> =>
      charge.by === 'postgres'
        ? postgres.refund(charge)
        : either(
            () => redis.refund(charge),
            () => postgres.refund(charge),
          ),
    serving: () => (trusting ? 'redis' : 'postgres'),
    enter,
    close: () => {
      clearInterval(probe)
    },
  }
}

const probeEveryMs = 250
const failuresToTrip = 3
