import type { Logger } from 'pino'

/** Whether Redis is trusted to count: a circuit breaker. */
export type RedisTrust = {
  readonly holds: () => boolean
  /** Redis answered a question that was sent at `sentAt` (performance.now()). */
  readonly succeeded: (sentAt: number) => void
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
  /** Asks Redis for a sign of life. @throws when there is none in time */
  readonly beat: () => Promise<unknown>
  /** Makes everything true that must be before Redis is trusted: a new epoch, nothing left in the outbox. */
  readonly beforeTrust: () => Promise<void>
  readonly log: Logger
}

/**
 * Trust is lost when the connection breaks, when three questions in a row fail, or when nothing was heard from Redis
 * for the time of a lease: an instance that is idle or busy with itself must not go on believing what others, cut off
 * from Redis, have changed meanwhile. From then on it is tried four times a second to win it back.
 */
export function redisTrust(options: RedisTrustOptions): RedisTrust {
  const { connected, log } = options
  const state: TrustState = { trusting: false, failures: 0, losses: 0, heardAt: 0 }
  let restoring: Promise<boolean> | undefined

  function holds(): boolean {
    if (state.trusting && performance.now() - state.heardAt > leaseMs) lose(state, log, leaseOver)
    return state.trusting
  }

  const succeeded = (sentAt: number): void => {
    hear(state, sentAt)
  }
  const failed = (error: unknown): void => {
    state.failures += 1
    if (!connected() || state.failures >= failuresToTrip) lose(state, log, error)
  }

  function restore(): Promise<boolean> {
    restoring ??= winBack(options, state).finally(() => (restoring = undefined))
    return restoring
  }

  const probe = setInterval(() => {
    if (!state.trusting && connected()) void restore()
  }, probeEveryMs).unref()
  const pulse = setInterval(() => {
    const sentAt = performance.now()
    if (holds())
      options.beat().then(() => {
        succeeded(sentAt)
      }, failed)
  }, beatEveryMs).unref()

  return {
    ...{ holds, succeeded, failed, restore },
    disconnected: () => lose(state, log, connectionOver),
    close: () => {
      clearInterval(probe)
      clearInterval(pulse)
      state.trusting = false // the connection that is closed next is no news
    },
  }
}

/** How long an instance trusts a Redis that it does not hear from, in milliseconds. */
export const leaseMs = 200

const beatEveryMs = 50
const leaseOver = new Error('Nothing was heard from Redis for the time of a lease.')
const connectionOver = new Error('The connection to Redis has ended.')

function hear(state: TrustState, sentAt: number): void {
  state.failures = 0
  state.heardAt = Math.max(state.heardAt, sentAt)
}

type TrustState = { trusting: boolean; failures: number; losses: number; heardAt: number }

function lose(state: TrustState, log: Logger, error: unknown): void {
  state.losses += 1
  if (!state.trusting) return
  state.trusting = false
  log.warn({ err: error }, 'quota gate: Redis is away, serving from Postgres')
}

async function winBack({ beforeTrust, beat, log }: RedisTrustOptions, state: TrustState): Promise<boolean> {
  const { losses } = state
  let sentAt = 0
  try {
    await beforeTrust()
    sentAt = performance.now()
    await beat()
  } catch (error) {
    log.debug({ err: error }, 'quota gate: Redis cannot be trusted yet')
    return false // the next probe tries again
  }
  if (state.losses !== losses) return false // lost again meanwhile
  state.failures = 0
  state.heardAt = sentAt
  state.trusting = true
  log.info('quota gate: serving from Redis')
  return true
}

const probeEveryMs = 250
const failuresToTrip = 3
