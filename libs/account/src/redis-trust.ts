import type { Logger } from 'pino'

/** Whether Redis is trusted to count: a circuit breaker. */
export type RedisTrust = {
  readonly holds: () => boolean
  readonly succeeded: () => void
  readonly failed: (error: unknown) => void
  /** Tries at once to win the trust back; false when that is not possible now. */
  readonly restore: () => Promise<boolean>
  /** Stops trying. */
  readonly close: () => void
}

/** What trust depends on. */
export type RedisTrustOptions = {
  /** Whether there is a connection to Redis. */
  readonly connected: () => boolean
  /** Makes everything true that must be before Redis is trusted: a new epoch, nothing left in the outbox. */
  readonly beforeTrust: () => Promise<void>
  readonly log: Logger
}

/**
 * Trust is lost when the connection is gone or three questions in a row fail. From then on it is tried four times a
 * second to win it back.
 */
export function redisTrust({ connected, beforeTrust, log }: RedisTrustOptions): RedisTrust {
  let trusting = false
  let failures = 0
  let restoring: Promise<boolean> | undefined
  const probe = setInterval(() => {
    if (!trusting && connected()) void restore()
  }, probeEveryMs).unref()

  function restore(): Promise<boolean> {
    restoring ??= tryBeforeTrust().finally(() => (restoring = undefined))
    return restoring
  }

  async function tryBeforeTrust(): Promise<boolean> {
    try {
      await beforeTrust()
    } catch {
      return false // the next probe tries again
    }
    failures = 0
    trusting = true
    log.info('quota gate: serving from Redis')
    return true
  }

  return {
    holds: () => trusting,
    succeeded: () => (failures = 0),
    failed(error) {
      failures += 1
      if (!trusting || (connected() && failures < failuresToTrip)) return
      trusting = false
      log.warn({ err: error }, 'quota gate: Redis is away, serving from Postgres')
    },
    restore,
    close: () => {
      clearInterval(probe)
    },
  }
}

const probeEveryMs = 250
const failuresToTrip = 3
