import fc from 'fast-check'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { asDone, inOrder } from './ahead.ts'

describe.each([
  ['inOrder', inOrder],
  ['asDone', asDone],
])('%s', (name, ahead) => {
  test('gives every result once, and works on so many items at once and no more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (turns, most) => {
          let [running, busiest] = [0, 0]
          const work = async (at: number) => {
            busiest = Math.max(busiest, ++running)
            for (let turn = 0; turn < (turns[at] ?? 0); turn++) await nextTurn()
            running--
            return at
          }
          const results: number[] = []
          for await (const result of ahead(each(turns.keys()), work, most)) results.push(result)
          const expected = [...turns.keys()]
          expect(name === 'inOrder' ? results : results.toSorted((a, b) => a - b)).toEqual(expected)
          expect(busiest).toBe(Math.min(most, turns.length))
        },
      ),
      { numRuns: 100 },
    )
  })

  test('fails with the work, and asks for no more items then', async () => {
    let asked = 0
    async function* items() {
      for (; asked < 100; asked++) yield asked
    }
    const work = async (item: number) => {
      await nextTurn()
      if (item === 3) throw new Error('the third is broken')
      return item
    }
    await expect(drained(ahead(items(), work, 2))).rejects.toThrow('the third is broken')
    expect(asked).toBeLessThan(8)
  })

  test('fails with the sequence', async () => {
    async function* items() {
      yield 1
      throw new Error('the file ended early')
    }
    await expect(drained(ahead(items(), (item) => Promise.resolve(item), 3))).rejects.toThrow(
      'the file ended early',
    )
  })
})

test('as they come is not in order', async () => {
  const work = async (turns: number) => {
    for (let turn = 0; turn < turns; turn++) await nextTurn()
    return turns
  }
  expect(await drained(asDone(each([20, 1, 2]), work, 3))).toEqual([1, 2, 20])
  expect(await drained(inOrder(each([20, 1, 2]), work, 3))).toEqual([20, 1, 2])
})

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}

async function drained<T>(results: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const result of results) all.push(result)
  return all
}
