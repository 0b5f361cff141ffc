import { isDown } from '@hearth/chassis/database'
import { inTime } from '@hearth/chassis/in-time'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createLease, leaseMs, type Lease } from './lease.ts'

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
  /** Redis failed to do what only an outage keeps it from. */
  readonly failed: (error: unknown) => void
  /** The connection broke: what Redis says when it is back may be older than what it has acknowledged. */
  readonly disconnected: () => void
  /** How often trust was lost. */
  readonly losses: () => number
  /** For 50 ms after the end of trust: resolves when Postgres knows of it, or they are over. After that undefined. */
  readonly leaving: () => Promise<unknown> | undefined
  /** For who has found Postgres down: whether trust goes on without it, in a moment. */
  readonly goesOn: () => Promise<boolean>
  /** Tries at once to win the trust back; false when that is not possible now. */
  readonly restore: () => Promise<boolean>
  /** Stops trying. */
  readonly close: () => Promise<void>
}

/** What trust depends on. */
export type RedisTrustOptions = {
  /** Whether one answer tells that all of Redis is there; in a cluster only the beat does. */
  readonly hasOneNode: boolean
  /** Whether there is a connection to Redis. */
  readonly connected: () => boolean
  /** Asks every node of Redis that counts for a sign of life. @throws when one does not give it in time */
  readonly beat: () => Promise<unknown>
  /** Delivers to Redis what others could not. @throws when Postgres does not answer */
  readonly catchUp: () => Promise<void>
  /** Whether nobody can have been told to go on with a change that this instance does not know of. */
  readonly isSure: () => boolean
  /** A sign of life of Postgres. @throws when there is none */
  readonly reachPostgres: () => Promise<unknown>
  /** Makes everything true that must be before Redis is trusted: it can write, and a new epoch has begun. */
  readonly beforeTrust: () => Promise<void>
  /** Writes down what was counted, and says that no more comes. */
  readonly afterTrust: () => Promise<void>
  /** Told that trust goes on although Postgres may have heard that it had ended. */
  readonly onReturn: () => void
  readonly log: Logger
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
 */
export function redisTrust(options: RedisTrustOptions): RedisTrust {
  const state = withoutTrust()
  const { lease } = state
  const holds = (): boolean => state.trusting && lease.runs()
  const failed = (error: unknown): void => {
    lose(options, state, error)
  }
  const renew = oneAtATime(() => tryRenewal(options, state))
  const restore = oneAtATime(() => winBack(options, state))

  const timers = startTimers(options, state, { holds, renew, restore })

  return {
    ...{ holds, renew, failed, restore },
    heldAt: lease.ranAt,
    isTrusted: () => state.trusting,
    doubt: () => {
      lease.doubt()
      if (!state.trusting) state.mayGoOn = false
    },
    wentElsewhere: () => {
      if (!state.trusting) state.mayGoOn = false
    },
    heard: (sentAt) => {
      if (options.hasOneNode) lease.heard(sentAt)
    },
    disconnected: () => {
      state.mayGoOn = false
      failed(connectionOver)
    },
    losses: () => state.losses,
    leaving: () => leaving(state),
    goesOn: () => goesOn(state),
    async close() {
      for (const timer of timers) clearInterval(timer)
      state.trusting = false // the connection that is closed next is no news
      state.isClosed = true
      state.losses += 1
      await restore() // should it be under way, it ends now
    },
  }
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
/** Who was about to ask Redis waits no longer for Postgres to hear that nobody does any more. */
const leaveWithinMs = 50
/** One sign of life, and the time for its answer. */
const goOnWithinMs = 100
/** A renewal does not wait longer than this for Postgres, and Redis's sign of life is as old when it ends. */
const catchUpWithinMs = 200
/** Who is stopped during as many renewals in a row, or is too busy for them, asks Postgres. */
const mostRenewals = 2
const leaseOver = new Error('Nothing was heard from Redis for the time of a lease.')
const changesUnknown = new Error(
  'Neither was Postgres heard from for long: what has been changed meanwhile is not known.',
)
const wasStopped = new Error('The process was stopped while Redis was won back, or busy with itself.')
const connectionOver = new Error('The connection to Redis has ended.')

type TrustState = {
  readonly lease: Lease
  trusting: boolean
  losses: number
  /** When trust was lost. */
  lostAt: number
  /** Settles when Postgres has heard of the end of the last trust, or trust goes on. */
  left: Promise<void>
  isClosed: boolean
  /**
   * Trust was held on this very connection and with a clear sight of all changes, and nothing has happened since but that
   * Redis did not answer.
   */
  mayGoOn: boolean
}

function withoutTrust(): TrustState {
  return {
    ...{ lease: createLease(), trusting: false, losses: 0, lostAt: -Infinity, left: Promise.resolve() },
    ...{ isClosed: false, mayGoOn: false },
  }
}

function lose(options: RedisTrustOptions, state: TrustState, error: unknown): void {
  state.losses += 1
  if (!state.trusting) return
  state.trusting = false
  // A clock that may have stood still cannot say how long ago the last look was.
  state.mayGoOn &&= !state.lease.isInDoubt() && options.isSure()
  state.lostAt = performance.now()
  state.left = leave(options, state)
  options.log.warn({ err: error }, 'quota gate: Redis is away, serving from Postgres')
}

/**
 * The others wait for it, so it is tried until Postgres has heard it. While Postgres is down, and was down from the
 * beginning, nobody can have counted elsewhere or changed anything, and trust goes on as soon as Redis, still the same
 * one, answers again.
 */
async function leave(options: RedisTrustOptions, state: TrustState): Promise<void> {
  while (!state.isClosed) {
    try {
      await options.reachPostgres()
      state.mayGoOn = false
      await options.afterTrust()
      return
    } catch (error) {
      options.log.debug({ err: error }, 'quota gate: counts reach Postgres later')
      if (state.mayGoOn && isDown(error) && (await goOn(options, state))) return
      await sleep(probeEveryMs) // close() waits for it
    }
  }
}

function leaving({ lostAt, left }: TrustState): Promise<unknown> | undefined {
  const rest = lostAt + leaveWithinMs - performance.now()
  return rest > 0 ? inTime(rest, left).catch(() => undefined) : undefined
}

async function goesOn(state: TrustState): Promise<boolean> {
  await inTime(goOnWithinMs, state.left).catch(() => undefined)
  return state.trusting && state.lease.runs(leaseMs + catchUpWithinMs)
}

async function goOn(options: RedisTrustOptions, state: TrustState): Promise<boolean> {
  const sentAt = performance.now()
  try {
    await options.beat()
  } catch {
    return false
  }
  if (!state.mayGoOn || state.isClosed) return false
  options.onReturn()
  state.lease.begin(sentAt)
  state.trusting = true
  options.log.warn('quota gate: serving from Redis again, while Postgres does not answer')
  return true
}

async function beatOnce(options: RedisTrustOptions, state: TrustState): Promise<void> {
  const sentAt = performance.now()
  try {
    await options.beat()
    state.lease.heard(sentAt)
  } catch (error) {
    lose(options, state, error)
  }
}

async function tryRenewal(
  options: RedisTrustOptions,
  state: TrustState,
  attempts = mostRenewals,
): Promise<boolean> {
  if (!state.trusting) return false
  const { losses, lease } = state
  const isRenewed = lease.renewal()
  const catchingUp = inTime(catchUpWithinMs, options.catchUp()).then(
    () => true,
    () => false,
  )
  try {
    await options.beat()
  } catch {
    lose(options, state, leaseOver)
    return false
  }
  const isCaughtUp = await catchingUp
  if (state.losses !== losses) return false // lost meanwhile
  if (!isCaughtUp && (lease.isInDoubt() || !options.isSure())) {
    lose(options, state, changesUnknown)
    return false
  }
  return isRenewed() || (attempts > 1 && tryRenewal(options, state, attempts - 1))
}

async function winBack(options: RedisTrustOptions, state: TrustState): Promise<boolean> {
  const { beforeTrust, beat, catchUp, log } = options
  await state.left
  if (state.trusting || state.isClosed) return state.trusting
  const { losses, lease } = state
  const doubts = lease.doubts()
  let sentAt = 0
  try {
    state.mayGoOn = false
    await beforeTrust()
    const isRenewed = lease.renewal()
    // A change that has waited meanwhile must not be found late as soon as Redis is trusted.
    await catchUp()
    // Last of all: with a Postgres that is slow, the lease would be over before it began.
    sentAt = performance.now()
    await beat()
    if (state.losses !== losses) throw connectionOver // meanwhile
    if (!isRenewed()) throw wasStopped
  } catch (error) {
    log.debug({ err: error }, 'quota gate: Redis cannot be trusted yet')
    state.left = leave(options, state)
    return false // the next probe tries again
  }
  lease.begin(sentAt, doubts)
  state.trusting = true
  state.mayGoOn = true
  log.info('quota gate: serving from Redis')
  return true
}
