import { setTimeout as sleep } from 'node:timers/promises'
import { gathered } from '../src/gathered.ts'

describe('work for many keys', () => {
  const runs: string[][] = []
  const lengths = gathered(async (keys) => {
    runs.push([...keys])
    await sleep(5)
    if (keys.includes('bad')) throw new Error('cannot be done')
    return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, key.length]))
  })
  beforeEach(() => runs.splice(0))

  test('begins at once, and what is asked for meanwhile is done together, each key once', async () => {
    const [one, three, ...others] = await Promise.all(['a', 'abc', 'ab', 'unknown', 'ab'].map(lengths))

    expect([one, three, others]).toEqual([1, 3, [2, undefined, 2]])
    expect(runs).toEqual([['a'], ['abc'], ['ab', 'unknown']])
  })

  test('that is asked for again while it is done is done again', async () => {
    const first = lengths('a')
    await sleep(1)
    await Promise.all([first, lengths('a')])

    expect(runs).toEqual([['a'], ['a']])
  })

  test('that fails fails for those alone who were waiting for it', async () => {
    const before = ['a', 'b'].map(lengths)
    const failing = ['bad', 'with it'].map((key) => lengths(key).catch(String))
    await Promise.all(before)
    const after = lengths('a')

    expect(await Promise.all(failing)).toEqual(Array(2).fill('Error: cannot be done'))
    expect(await after).toBe(1)
  })

  test('is done for all, however many', async () => {
    const keys = Array.from({ length: 1_000 }, (_, i) => String(i))

    expect(await Promise.all(keys.map(lengths))).toEqual(keys.map((key) => key.length))
    expect(Math.max(...runs.map((run) => run.length))).toBe(200)
  })
})
