import {
  beatOnce,
  goesOn,
  leaving,
  lose,
  loseConnection,
  forbidGoingOn,
  tryRenewal,
  winBack,
  withoutTrust,
  type RedisTrustOptions,
  type TrustState,
} from './trust-changes.ts'

/** Whether Redis is trusted to count: a circuit breaker with a lease. */
export type RedisTrust = {
  /** Redis is trusted, and was heard from within a lease. */
  readonly holds: () => boolean
  /** The latest instant (performance.now()) of which it is known that trust held or was renewed. */
  readonly heldAt: () => number
  /** Redis is trusted, though the lease may have to be renewed before it is asked. */
  readonly isTrusted: () => boolean
  /** When the lease has run out: renews it if Redis answers, else gives the trust up. True when trust holds then. */
  readonly renew: () => Promise<boolean>
  /** This process may have been stopped without its clock telling so: the lease must be renewed before it counts. */
  readonly doubt: () => void
  /** Redis answered a question that was sent at `sentAt` (performance.now()). */
  readonly heard: (sentAt: number) => void
  /** Postgres has answered a question about an account, though Redis may have been trusted when it was put. */
  readonly wentElsewhere: () => void
  /** A change was answered of which this instance need not have heard, because it does not count in Redis. */
  readonly missed: () => void
  /** Redis failed to do what only an outage keeps it from. */
  readonly failed: (error: unknown) => void
  /** The connection broke: what Redis says when it is back may be older than what it has acknowledged. */
  readonly disconnected: () => void
  /** How often trust was lost. */
  readonly losses: () => number
  /** For 50 ms after the end of trust: resolves when Postgres knows of it, or they are over. After that undefined. */
  readonly leaving: () => Promise<unknown> | undefined
  /** For who finds Postgres down, or is refused there: whether trust goes on without it, in a moment. */
  readonly goesOn: () => Promise<boolean>
  /** Tries at once to win the trust back; false when that is not possible now. */
  readonly restore: () => Promise<boolean>
  /** Stops trying. */
  readonly close: () => Promise<void>
}

/**
 * Trust is lost when the connection breaks, when Redis leaves one question unanswered, or when nothing was heard from
 * it for the time of a lease: an instance that is idle must not go on believing what others, cut off from Redis, have
 * changed meanwhile. From then on it is tried four times a second to win it back.
 *
 * An instance that was busy with itself for as long as a lease has not heard anything either, but Redis was not away.
 * It asks before it goes on: Redis for a sign of life, and Postgres for changes that it should have heard of.
 *
 * Trust outlives a Postgres that goes away, because nobody can change anything then; see the README for the exception.
 * But what was changed between the last look of this instance and the end of Postgres it does not know. So trust goes on,
 * or comes back, without Postgres only when its sight was clear when trust would have ended (see sight.ts), and each try
 * to reach Postgres since has found it down.
 *
 * A Postgres that answers and refuses to write cannot hear that trust has ended. The others go on waiting for this
 * instance then, which is as good as trusted again when Redis answers and it has caught up with them.
 */
export function redisTrust(options: RedisTrustOptions): RedisTrust {
  const state = withoutTrust()
  const { lease } = state
  const holds = (): boolean => state.trusting && lease.runs()
  const renew = oneAtATime(() => tryRenewal(options, state))
  const restore = oneAtATime(() => winBack(options, state))
  const timers = startTimers(options, state, { holds, renew, restore })

  return {
    ...{ holds, renew, restore },
    heldAt: lease.ranAt,
    isTrusted: () => state.trusting,
    doubt: () => {
      lease.doubt()
      forbidGoingOn(state)
    },
    wentElsewhere: () => {
      forbidGoingOn(state)
    },
    missed: () => {
      state.missed += 1
      forbidGoingOn(state)
    },
    heard: (sentAt) => {
      if (options.hasOneNode) lease.heard(sentAt)
    },
    failed: (error) => {
      lose(options, state, error)
    },
    disconnected: () => {
      loseConnection(options, state)
    },
    losses: () => state.losses,
    leaving: () => leaving(state),
    goesOn: () => goesOn(state),
    close: () => close(state, timers, restore),
  }
}

async function close(
  state: TrustState,
  timers: readonly NodeJS.Timeout[],
  restore: RedisTrust['restore'],
): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  state.trusting = false // the connection that is closed next is no news
  state.isClosed = true
  state.losses += 1
  await restore() // should it be under way, it ends now
}

/** While Redis is not trusted it is tried now and then, and while it is it must give signs of life. */
function startTimers(
  options: RedisTrustOptions,
  state: TrustState,
  { holds, renew, restore }: Pick<RedisTrust, 'holds' | 'renew' | 'restore'>,
): readonly NodeJS.Timeout[] {
  const probe = () => {
    if (!state.trusting && options.connected()) void restore()
  }
  const pulse = () => {
    // Answers to requests are signs of life as well; that of the last beat is a whole interval old.
    if (state.lease.silence() < beatEveryMs / 2) return
    if (holds()) void beatOnce(options, state)
    else if (state.trusting) void renew()
  }
  return [setInterval(probe, probeEveryMs).unref(), setInterval(pulse, beatEveryMs).unref()]
}

/** Everybody who asks while it is under way gets the same outcome. */
function oneAtATime(attempt: () => Promise<boolean>): () => Promise<boolean> {
  let underWay: Promise<boolean> | undefined
  return () => {
    underWay ??= attempt().finally(() => (underWay = undefined))
    return underWay
  }
}

const probeEveryMs = 250
const beatEveryMs = 30
