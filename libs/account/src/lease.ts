/**
 * For how long this process may believe that Redis is as it has heard. Times are by performance.now().
 *
 * A process that is stopped does not notice. So what it does rests on the last instant at which the lease was found to
 * run, and a renewal during which it was stopped is none. Where its clock may have stood still with it, the lease is in
 * doubt until it is renewed.
 */
export type Lease = {
  /** Whether Redis was heard from not longer ago than that (a lease unless told), and nothing is in doubt. */
  readonly runs: (ms?: number) => boolean
  /** The latest instant at which it was found to run, or was renewed. */
  readonly ranAt: () => number
  /** How long Redis was not heard from, in milliseconds. Asked often, so that a stop of this process is known by it. */
  readonly silence: () => number
  /** Redis answered a question that was sent then. */
  readonly heard: (sentAt: number) => void
  /** The clock of this process may have stood still with it. */
  readonly doubt: () => void
  /** How often that was said. */
  readonly doubts: () => number
  readonly isInDoubt: () => boolean
  /**
   * It begins anew, with an answer to a question that was sent then.
   *
   * @param doubts so many are cleared by what was asked since
   */
  readonly begin: (sentAt: number, doubts?: number) => void
  /**
   * To be called before Redis is asked for it, and what that returns when it has answered: false when the process was
   * stopped or the lease doubted meanwhile, so that what the answers said may be long over.
   */
  readonly renewal: () => () => boolean
}

export function createLease(): Lease {
  const state: LeaseState = {
    ...{ heardAt: 0, ranAt: 0, lookedAt: performance.now() },
    ...{ stops: 0, doubts: 0, cleared: 0 },
  }
  return {
    runs: (ms = leaseMs) => runs(state, ms),
    ranAt: () => state.ranAt,
    silence: () => lookAtClock(state) - state.heardAt,
    heard: (sentAt) => {
      hear(state, sentAt)
    },
    doubt: () => {
      state.doubts += 1
    },
    doubts: () => state.doubts,
    isInDoubt: () => isInDoubt(state),
    begin(sentAt, doubts = state.cleared) {
      state.heardAt = sentAt
      state.cleared = doubts
    },
    renewal: () => renewal(state),
  }
}

type LeaseState = {
  heardAt: number
  ranAt: number
  /** When this process last looked at its clock, and how often it had not for the time of a lease. */
  lookedAt: number
  stops: number
  /** How often the lease was doubted, and how many of these doubts are cleared. */
  doubts: number
  cleared: number
}

function runs(state: LeaseState, ms: number): boolean {
  const now = performance.now()
  const isRunning = !isInDoubt(state) && now - state.heardAt <= ms
  if (isRunning) state.ranAt = now
  return isRunning
}

function isInDoubt({ doubts, cleared }: LeaseState): boolean {
  return doubts !== cleared
}

function hear(state: LeaseState, sentAt: number): void {
  state.heardAt = Math.max(state.heardAt, sentAt)
}

/** So that it is known when this process was stopped for the time of a lease, or busy with itself. */
function lookAtClock(state: LeaseState): number {
  const now = performance.now()
  if (now - state.lookedAt > leaseMs) state.stops += 1
  state.lookedAt = now
  return now
}

function renewal(state: LeaseState): () => boolean {
  const sentAt = lookAtClock(state)
  const { stops, doubts } = state
  return () => {
    const now = lookAtClock(state)
    if (state.stops !== stops || state.doubts !== doubts) return false
    state.cleared = doubts
    state.ranAt = now
    hear(state, sentAt)
    return true
  }
}

/** How long an instance trusts a Redis that it does not hear from, in milliseconds. */
export const leaseMs = 100
