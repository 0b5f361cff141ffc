import { unavailable } from '@hearth/chassis/errors'

/** A number of places, and a waiting line of bounded length in front of them. */
export type Line<Place> = {
  /**
   * Works in a place, as soon as one is free and everybody who came earlier has had one.
   *
   * @param work gives the place back with its end; until then it alone uses it
   * @throws HttpError temporarily_unavailable when the line is full; the reason of the signal when it is aborted
   * while waiting; whatever `work` throws
   */
  readonly serve: <T>(signal: AbortSignal, work: (place: Place) => Promise<T>) => Promise<T>
  readonly load: () => LineLoad
}

/** How many are being served, and how many wait. */
export type LineLoad = { readonly running: number; readonly waiting: number }

/** @param longest how many may wait */
export function createLine<Place>(places: readonly Place[], longest: number): Line<Place> {
  const free = [...places]
  const waiting = new Set<(place: Place) => void>()

  async function takePlace(signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted()
    const place = free.pop()
    if (place !== undefined) return place
    if (waiting.size >= longest) throw unavailable('Too many simulations are under way and waiting.')
    return waitFor(waiting, signal)
  }

  function givePlace(place: Place): void {
    const [next] = waiting
    if (next === undefined) {
      free.push(place)
    } else {
      waiting.delete(next)
      next(place)
    }
  }

  return {
    async serve(signal, work) {
      const place = await takePlace(signal)
      try {
        return await work(place)
      } finally {
        givePlace(place)
      }
    },
    load: () => ({ running: places.length - free.length, waiting: waiting.size }),
  }
}

/** The next place that is given to somebody who waits. */
function waitFor<Place>(waiting: Set<(place: Place) => void>, signal: AbortSignal): Promise<Place> {
  return new Promise((resolve, reject) => {
    const enter = (place: Place) => {
      signal.removeEventListener('abort', leave)
      resolve(place)
    }
    const leave = () => {
      waiting.delete(enter)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', leave)
    waiting.add(enter)
  })
}
