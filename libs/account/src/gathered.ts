/**
 * Does some work for many keys together: while it is under way, the keys that are asked for wait, and go with the next.
 * So the more there are, the less each of them costs. Whoever asks is served by work that begins after the question.
 *
 * @param work for keys that are all different
 * @returns what the work has found for a key. Rejects with what the work for it rejected with
 */
export function gathered<Found>(
  work: (keys: readonly string[]) => Promise<ReadonlyMap<string, Found>>,
): (key: string) => Promise<Found | undefined> {
  const waiting = new Map<string, PromiseWithResolvers<Found | undefined>>()
  let running = 0

  function start(): void {
    const some = [...waiting].slice(0, mostTogether)
    for (const [key] of some) waiting.delete(key)
    running += 1
    void runFor(work, some).finally(() => {
      running -= 1
      if (waiting.size > 0) start()
    })
  }

  return (key) => {
    const settle = waiting.get(key) ?? Promise.withResolvers<Found | undefined>()
    waiting.set(key, settle)
    if (running < atOnce) start()
    return settle.promise
  }
}

async function runFor<Found>(
  work: (keys: readonly string[]) => Promise<ReadonlyMap<string, Found>>,
  some: readonly (readonly [string, PromiseWithResolvers<Found | undefined>])[],
): Promise<void> {
  try {
    const found = await work(some.map(([key]) => key))
    for (const [key, settle] of some) settle.resolve(found.get(key))
  } catch (error) {
    for (const [, settle] of some) settle.reject(error)
  }
}

const atOnce = 2
const mostTogether = 200
