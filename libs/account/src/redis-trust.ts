import type { Logger } from 'pino'

/** Whether Redis is trusted to count: a circuit breaker. */
export type RedisTrust = {
  readonly holds: () => boolean
  readonly succeeded: () => void
  readonly failed: (error: unknown) => void
  /** The connection broke: what Redis says when it is back may be older than what it has acknowledged. */
  readonly disconnected: () => void
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
export function redisTrust(options: RedisTrustOptions): RedisTrust {
  const { connected, log } = options
  const state: TrustState = { trusting: false, failures: 0, losses: 0 }
  let restoring: Promise<boolean> | undefined
  const probe = setInterval(() => {
    if (!state.trusting && connected()) void restore()
  }, probeEveryMs).unref()

  function restore(): Promise<boolean> {
    restoring ??= winBack(options, state).finally(() => (restoring = undefined))
    return restoring
  }

  return {
    holds: () => state.trusting,
    succeeded: () => (state.failures = 0),
    failed(error) {
      state.failures += 1
      if (!connected() || state.failures >= failuresToTrip) lose(state, log, error)
    },
    disconnected: () => {
      lose(state, log)
    },
    restore,
    close: () => {
      clearInterval(probe)
      state.trusting = false // the connection that is closed next is no news
    },
  }
}

type TrustState = { trusting: boolean; failures: number; losses: number }

function lose(state: TrustState, log: Logger, error?: unknown): void {
  state.losses += 1
  if (!state.trusting) return
  state.trusting = false
  log.warn({ err: error }, 'quota gate: Redis is away, serving from Postgres')
}

async function winBack({ beforeTrust, log }: RedisTrustOptions, state: TrustState): Promise<boolean> {
  const { losses } = state
  try {
    await beforeTrust()
  } catch {
    return false // the next probe tries again
  }
  if (state.losses !== losses) return false // lost again meanwhile
  state.failures = 0
  state.trusting = true
  log.info('quota gate: serving from Redis')
  return true
}

const probeEveryMs = 250
const failuresToTrip = 3
