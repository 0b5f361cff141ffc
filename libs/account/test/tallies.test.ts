import { remembering, type Remembered } from '../src/tallies.ts'

describe('what is remembered though it is written', () => {
  const entryOf = (name: string) => ({ name, isWaiting: false, isListed: false })

  test('is so many at most; the first to be written is the first to go', () => {
    const forgotten: string[] = []
    const written = remembering<Remembered & { name: string }>(2, ({ name }) => forgotten.push(name))
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(entryOf)
    for (const entry of [a, b, a, c, d]) if (entry !== undefined) written([entry])

    expect(forgotten).toEqual(['a', 'b'])
  })

  test('is not forgotten while it waits to be written again, but in its turn after that', () => {
    const forgotten: string[] = []
    const written = remembering<Remembered & { name: string }>(1, ({ name }) => forgotten.push(name))
    const [a, b, c] = [entryOf('a'), entryOf('b'), entryOf('c')]
    written([a])
    a.isWaiting = true
    written([b])
    expect(forgotten).toEqual([])

    a.isWaiting = false
    written([a])
    written([c])
    expect(forgotten).toEqual(['b', 'a'])
  })
})
