/**
 * Works on several items of a sequence at once and gives the results in its order. Items are asked for one at a time,
 * and only when a result is wanted.
 *
 * @param most items that are worked on at once
 */
export async function* inOrder<T, R>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<R>,
  most: number,
): AsyncGenerator<R> {
  const results: Promise<R>[] = []
  for await (const item of items) {
    const result = work(item)
    // Whoever waits for it is told; nobody does once an earlier one has failed.
    result.catch(() => undefined)
    results.push(result)
    const [first] = results
    if (results.length < most || first === undefined) continue
    yield await first
    void results.shift()
  }
  for (const result of results) yield await result
}

/** The same with the results as they come. */
export async function* asDone<T, R>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<R>,
  most: number,
): AsyncGenerator<R> {
  const done: R[] = []
  const running = new Set<Promise<void>>()
  for await (const item of items) {
    // What fails stays among those that are waited for.
    const one: Promise<void> = work(item).then((result) => {
      done.push(result)
      running.delete(one)
    })
    one.catch(() => undefined)
    running.add(one)
    if (running.size >= most) await Promise.race(running)
    yield* done.splice(0)
  }
  while (running.size > 0) {
    await Promise.race(running)
    yield* done.splice(0)
  }
  yield* done.splice(0)
}
