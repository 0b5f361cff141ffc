/**
 * Whether an instance can be sure to know of every change that others have been told to go on with: they wait a fifth
 * of a second for it at least, so it must have looked within that time, or Postgres must have been away ever since it
 * last did. Times are by performance.now().
 */
export type Sight = {
  /** It begins to look for changes. */
  readonly begins: () => Look
  readonly isClear: () => boolean
}

/** One look for changes. */
export type Look = {
  /** Postgres has answered it. */
  readonly succeeds: () => void
  /** Postgres has not, or not in time. */
  readonly fails: () => void
}

/** @param clock milliseconds of a clock that is never set */
export function sightOfChanges(clock = () => performance.now()): Sight {
  const state = { begunAt: -Infinity, answeredAt: -Infinity, isAway: false, isClear: false, gaps: 0 }
  const isInTouch = () => clock() - state.begunAt <= (state.isAway ? mostMsAway : mostMs)

  return {
    begins() {
      // Who was stopped for longer does not know what has happened meanwhile.
      if (!isInTouch()) {
        state.isClear = false
        state.gaps += 1
      }
      state.begunAt = clock()
      const { begunAt, gaps } = state
      return {
        succeeds() {
          // What was answered before the process was stopped says nothing of the time after.
          if (gaps !== state.gaps) return
          state.answeredAt = clock()
          state.isAway = false
          state.isClear = true
        },
        fails() {
          // Another may have been answered since.
          if (state.answeredAt <= begunAt) state.isAway = true
        },
      }
    },
    isClear: () => state.isClear && isInTouch(),
  }
}

/** Nobody goes on with a change earlier than so long after it was noted. */
const mostMs = 200
/** An answer that does not come is given up after a second. Nobody comes back and goes again within two. */
const mostMsAway = 2_000
