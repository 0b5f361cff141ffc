import { sightOfChanges } from '../src/sight.ts'

describe('what an instance can be sure to know', () => {
  const time = { now: 0 }
  /** Looks at the changes after so many milliseconds, and finds Postgres there or away. */
  const looks = (
    sight: ReturnType<typeof open>,
    ...steps: readonly [afterMs: number, isThere: boolean][]
  ) => {
    for (const [afterMs, isThere] of steps) {
      time.now += afterMs
      const look = sight.begins()
      time.now += 5
      if (isThere) look.succeeds()
      else look.fails()
    }
  }
  const open = () => sightOfChanges(() => time.now)

  test('is nothing before it has looked, and all while it looks often enough', () => {
    const sight = open()
    expect(sight.isClear()).toBe(false)

    looks(sight, [50, true], [150, true])
    expect(sight.isClear()).toBe(true)
    time.now += 250
    expect(sight.isClear()).toBe(false)
    looks(sight, [0, true])
    expect(sight.isClear()).toBe(true)
  })

  test('remains all while Postgres is away, when it went soon after a look', () => {
    const sight = open()

    looks(sight, [0, true], [100, false], [1_000, false], [1_500, false])

    expect(sight.isClear()).toBe(true)
  })

  test('ends as usual when a look fails that was begun before one that was answered', () => {
    const sight = open()
    looks(sight, [0, true])
    const slow = sight.begins()
    looks(sight, [50, true])
    slow.fails()

    time.now += 250
    expect(sight.isClear()).toBe(false)
  })

  test('is not all when Postgres was found away only after it was not looked at for longer', () => {
    const sight = open()

    looks(sight, [0, true], [300, false], [50, false], [50, false])
    expect(sight.isClear()).toBe(false)

    looks(sight, [50, true], [50, false], [3_000, false], [50, false])
    expect(sight.isClear()).toBe(false)
  })

  test('is not told by an answer to what was asked before a stop', () => {
    const sight = open()
    looks(sight, [0, true])
    time.now += 50
    const before = sight.begins()
    time.now += 60_000

    const after = sight.begins()
    before.succeeds()
    after.fails()

    expect(sight.isClear()).toBe(false)
  })
})
