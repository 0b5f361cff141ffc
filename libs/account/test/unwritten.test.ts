import fc from 'fast-check'
import { inTurn, paceMs, unwritten } from '../src/unwritten.ts'

type Entry = { readonly addedAt: number; isWaiting: boolean }

const withinMs = 250

/** Entries that wait, the time, and the statements that have written them. */
function writing() {
  const state = { now: 0, failsAfter: Infinity, told: 0 }
  const [statements, waits]: [Entry[][], number[]] = [[], []]
  const changed = unwritten<Entry>({
    withinMs,
    clock: () => state.now,
    write(entries) {
      if (statements.length >= state.failsAfter) return Promise.reject(new Error('Postgres is away'))
      statements.push([...entries])
      waits.push(...entries.map(({ addedAt }) => state.now - addedAt))
      return Promise.resolve()
    },
    written: (entries) => void (state.told += entries.length),
  })
  const change = (count: number) => {
    const entries = Array.from({ length: count }, () => ({ addedAt: state.now, isWaiting: false }))
    for (const entry of entries) changed.add(entry)
    return entries
  }
  return { state, statements, waits, changed, change }
}

describe('what is yet to be written', () => {
  test('waits for no longer than it may, and is written once', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(400), { maxLength: 4 }), { maxLength: 40 }),
        async (ticks) => {
          const { state, statements, waits, changed, change } = writing()
          let added = 0
          for (const counts of [...ticks, ...Array.from({ length: withinMs / paceMs }, () => [])]) {
            for (const [index, count] of counts.entries()) {
              state.now += index === 0 ? 0 : paceMs / 5
              change(count)
              added += count
            }
            state.now = Math.floor(state.now / paceMs + 1) * paceMs
            await changed.writeDue()
          }

          expect(waits).toHaveLength(added)
          expect(new Set(statements.flat()).size).toBe(added)
          expect(Math.max(0, ...waits)).toBeLessThanOrEqual(withinMs)
          expect(state.told).toBe(added)
        },
      ),
    ))

  test('is written steadily when there is much of it, not in bursts', async () => {
    const { state, waits, changed, change } = writing()
    const perTick: number[] = []
    for (let tick = 0; tick < 100; tick++) {
      change(400)
      state.now += paceMs
      const before = waits.length
      await changed.writeDue()
      perTick.push(waits.length - before)
    }

    // From the moment when the first may wait no longer.
    expect(perTick.slice(withinMs / paceMs)).toEqual(Array.from({ length: 90 }, () => 400))
  })

  test('is written in few statements when there is little of it', async () => {
    const { state, statements, changed, change } = writing()
    for (let second = 0; second < 4; second++) {
      for (let tick = 0; tick < 1000 / paceMs; tick++) {
        change(1)
        state.now += paceMs
        await changed.writeDue()
      }
    }

    expect(statements.length).toBeLessThanOrEqual(4 * (1000 / withinMs + 1))
  })

  test('is not asked for when there is none', async () => {
    const { statements, changed } = writing()
    await changed.writeDue()
    await changed.writeAll()

    expect(statements).toEqual([])
  })

  test('stays when it cannot be written, and is written again after that', async () => {
    const { state, statements, changed, change } = writing()
    const early = change(2500)
    state.failsAfter = 1
    await expect(changed.writeAll()).rejects.toThrow('away')
    expect(early.filter(({ isWaiting }) => isWaiting)).toEqual(early.slice(1000))
    expect(state.told).toBe(1000)

    state.failsAfter = Infinity
    for (const entry of early.slice(1000)) changed.add(entry) // changed again, but waits already
    await changed.writeAll()
    expect(statements.map(({ length }) => length)).toEqual([1000, 1000, 500])
    expect(state.told).toBe(2500)
  })

  test('waits anew when it changes while it is written', async () => {
    const written = Promise.withResolvers<undefined>()
    let times = 0
    const entry = { isWaiting: false }
    const changed = unwritten<{ isWaiting: boolean }>({
      ...{ withinMs, clock: () => 0 },
      async write() {
        times += 1
        if (times === 1) await written.promise
      },
      written: () => undefined,
    })
    changed.add(entry)
    const first = changed.writeAll()
    changed.add(entry)
    written.resolve(undefined)
    await first

    expect(entry.isWaiting).toBe(true)
    await changed.writeAll()
    expect(times).toBe(2)
  })
})

describe('work in turn', () => {
  test('everything begins after what was under way, once for all who have asked meanwhile', async () => {
    const log: string[] = []
    const ends: (() => void)[] = []
    const work = (name: string) => () => {
      log.push(`${name} begins`)
      return new Promise<void>((resolve) => ends.push(resolve)).then(() => void log.push(`${name} ends`))
    }
    const endFirst = async () => {
      ends.shift()?.()
      await new Promise(setImmediate)
    }
    const turn = inTurn(work('everything'), work('what is due'))
    const asked = [turn.whatIsDue(), turn.everything(), turn.everything(), turn.whatIsDue()]
    expect(log).toEqual(['what is due begins'])

    await endFirst()
    expect(log).toEqual(['what is due begins', 'what is due ends', 'everything begins'])

    const later = turn.everything() // what has changed since the shared run began is not in it
    await endFirst()
    await Promise.all(asked)
    expect(log.slice(3)).toEqual(['everything ends', 'everything begins'])

    await endFirst()
    await later
  })

  test('everything begins although what was under way has failed, which tells who asked for that', async () => {
    let runs = 0
    const turn = inTurn(
      () => Promise.resolve(void (runs += 1)),
      () => Promise.reject(new Error('away')),
    )
    const due = turn.whatIsDue()
    const all = turn.everything()

    await expect(due).rejects.toThrow('away')
    await all
    expect(runs).toBe(1)
  })
})
