import { isDown, isRefusal } from '@hearth/chassis/database'
import { inTime } from '@hearth/chassis/in-time'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createLease, leaseMs, type Lease } from './lease.ts'

/*
 * How trust in Redis is lost, renewed and won back; redis-trust.ts says when.
 */

/** What trust depends on. */
export type RedisTrustOptions = {
  /** Whether one answer tells that all of Redis is there; in a cluster only the beat does. */
  readonly hasOneNode: boolean
  /** Whether there is a connection to Redis. */
  readonly connected: () => boolean
  /** Asks every node of Redis that counts for a sign of life. @throws when one does not give it in time */
  readonly beat: () => Promise<unknown>
  /**
   * Delivers to Redis what others could not.
   *
   * @throws when Postgres does not answer, or the others do not know that this instance counts in Redis
   */
  readonly catchUp: () => Promise<void>
  /** Whether nobody can have been told to go on with a change that this instance does not know of. */
  readonly isSure: () => boolean
  /** Whether the others still wait for this instance, and nothing that is under way can end that. */
  readonly isWaitedFor: () => boolean
  /** A sign of life of Postgres. @throws when there is none */
  readonly reachPostgres: () => Promise<unknown>
  /** Asks every node of Redis that counts to write. @throws when one does not in time */
  readonly checkWritable: () => Promise<unknown>
  /** Makes everything else true that must be before Redis is trusted: above all, a new epoch has begun. */
  readonly beforeTrust: () => Promise<void>
  /** Writes down what was counted, and says that no more comes. */
  readonly afterTrust: () => Promise<void>
  /** Told that trust goes on although Postgres may have heard that it had ended. */
  readonly onReturn: () => void
  readonly log: Logger
}

/** Where trust stands, and what its return depends on. */
export type TrustState = {
  readonly lease: Lease
  trusting: boolean
  losses: number
  /** When trust was lost. */
  lostAt: number
  /** Settles when Postgres has heard of the end of the last trust, or trust goes on. */
  left: Promise<void>
  isClosed: boolean
  /** Trust was held on this very connection, and no new epoch was tried since. */
  mayResume: boolean
  /** How often a change was answered of which this instance need not have heard. */
  missed: number
  /**
   * Trust was held on this very connection and with a clear sight of all changes, and nothing has happened since but that
   * Redis did not answer.
   */
  mayGoOn: boolean
}

export function withoutTrust(): TrustState {
  return {
    ...{ lease: createLease(), trusting: false, losses: 0, lostAt: -Infinity, left: Promise.resolve() },
    ...{ isClosed: false, mayResume: false, missed: 0, mayGoOn: false },
  }
}

export function lose(options: RedisTrustOptions, state: TrustState, error: unknown): void {
  state.losses += 1
  if (!state.trusting) return
  state.trusting = false
  // A clock that may have stood still cannot say how long ago the last look was.
  state.mayGoOn &&= !state.lease.isInDoubt() && options.isSure()
  state.lostAt = performance.now()
  state.left = leave(options, state)
  options.log.warn({ err: error }, 'quota gate: Redis is away, serving from Postgres')
}

/** While it is lost: it must not go on without Postgres. */
export function forbidGoingOn(state: TrustState): void {
  if (!state.trusting) state.mayGoOn = false
}

/** What Redis says when it is back may be older than what it has acknowledged. */
export function loseConnection(options: RedisTrustOptions, state: TrustState): void {
  state.mayGoOn = false
  state.mayResume = false
  lose(options, state, connectionOver)
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
      if (isRefusal(error)) {
        state.mayGoOn = false
        if (await resume(options, state)) return
      }
      if (state.mayGoOn && isDown(error) && (await goOn(options, state))) return
      await sleep(leaveEveryMs) // close() waits for it
    }
  }
}

export function leaving({ lostAt, left }: TrustState): Promise<unknown> | undefined {
  const rest = lostAt + leaveWithinMs - performance.now()
  return rest > 0 ? inTime(rest, left).catch(() => undefined) : undefined
}

export async function goesOn(state: TrustState): Promise<boolean> {
  await inTime(goOnWithinMs, state.left).catch(() => undefined)
  return state.trusting && state.lease.runs(leaseMs + catchUpWithinMs)
}

async function goOn(options: RedisTrustOptions, state: TrustState): Promise<boolean> {
  let sentAt = 0
  try {
    await options.checkWritable()
    sentAt = performance.now()
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

export async function beatOnce(options: RedisTrustOptions, state: TrustState): Promise<void> {
  const sentAt = performance.now()
  try {
    await options.beat()
    state.lease.heard(sentAt)
  } catch (error) {
    lose(options, state, error)
  }
}

export async function tryRenewal(
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

/**
 * Nobody could be told that trust had ended: it is as if the lease had to be renewed. What was noted meanwhile is
 * delivered, and the look that has found it must not be older in the end than others wait.
 */
async function resume(options: RedisTrustOptions, state: TrustState): Promise<boolean> {
  const { missed } = state
  const isSafe = () => state.mayResume && state.missed === missed && options.isWaitedFor()
  return isSafe() && beginTrust(options, state, () => isSafe() && options.isSure())
}

export async function winBack(options: RedisTrustOptions, state: TrustState): Promise<boolean> {
  await state.left
  if (state.trusting || state.isClosed) return state.trusting
  const { losses } = state
  state.mayGoOn = false
  state.mayResume = false
  const isSafe = () => state.losses === losses
  if (await beginTrust(options, state, isSafe, options.beforeTrust)) return true
  state.left = leave(options, state)
  return false // the next probe tries again
}

/**
 * @param isSafe whether nothing has happened meanwhile that trust must not outlive
 * @param prepare what comes first, when Redis takes writes
 */
async function beginTrust(
  { checkWritable, beat, catchUp, log }: RedisTrustOptions,
  state: TrustState,
  isSafe: () => boolean,
  prepare?: () => Promise<void>,
): Promise<boolean> {
  const { lease } = state
  const doubts = lease.doubts()
  let sentAt = 0
  try {
    await checkWritable()
    await prepare?.()
    const isRenewed = lease.renewal()
    // A change that has waited meanwhile must not be found late as soon as Redis is trusted.
    await catchUp()
    // Last of all: with a Postgres that is slow, the lease would be over before it began.
    sentAt = performance.now()
    await beat()
    if (state.isClosed || !isSafe()) throw happenedMeanwhile
    if (!isRenewed()) throw wasStopped
  } catch (error) {
    log.debug({ err: error }, 'quota gate: Redis cannot be trusted yet')
    return false
  }
  lease.begin(sentAt, doubts)
  state.trusting = true
  state.mayGoOn = true
  state.mayResume = true
  log.info('quota gate: serving from Redis')
  return true
}

/** How often Postgres is told that trust has ended, until it has heard of it. */
const leaveEveryMs = 250
/** Who was about to ask Redis waits no longer for Postgres to hear that nobody does any more. */
const leaveWithinMs = 50
/** Redis writes, and gives a sign of life: mostly in far less. */
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
const happenedMeanwhile = new Error(
  'While Redis was won back it was lost, or something was changed elsewhere.',
)
