/**
 * Does work piece by piece, each in a turn of the event loop of its own: what many send at once holds up everybody else
 * for no longer than one piece takes.
 *
 * @returns puts a piece of work, which must not throw, at the end of the line
 */
export function turns(): (work: () => void) => void {
  const waiting: (() => void)[] = []

  function doNext(): void {
    const work = waiting.shift()
    if (waiting.length > 0) setImmediate(doNext)
    work?.()
  }

  return (work) => {
    waiting.push(work)
    if (waiting.length === 1) setImmediate(doNext)
  }
}
