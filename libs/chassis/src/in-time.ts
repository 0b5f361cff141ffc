/** What was waited for did not come in time. */
export class LateError extends Error {
  override readonly name = 'LateError'

  constructor(ms: number) {
    super(`There was no answer within ${ms} ms.`)
  }
}

/**
 * The value of a promise if it comes within `ms` milliseconds.
 *
 * A process that was busy with itself for as long has not waited: what has arrived meanwhile is read before the time
 * counts as up. So a burst of work is not taken for an outage of others.
 *
 * @throws LateError when it does not come
 */
export function inTime<T>(ms: number, coming: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // Between the timers of a turn of the event loop and its immediates lie the sockets.
      setImmediate(() => setImmediate(() => reject(new LateError(ms))))
    }, ms)
    coming.then(resolve, reject).finally(() => {
      clearTimeout(timer)
    })
  })
}
