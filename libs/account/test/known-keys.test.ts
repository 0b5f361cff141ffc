import fc from 'fast-check'
import { fingerprintOf, knownKeys, type KnownKey } from '../src/known-keys.ts'

describe('known keys', () => {
  const keys = fc.array(fc.nat({ max: 30 }).map(String), { maxLength: 200 })
  const keyOf = (text: string): KnownKey => ({
    ...{ tag: `tag of ${text}`, selector: 'sel1', digests: `digest of ${text}` },
    tally: { tag: `tag of ${text}`, isKept: false, counter: undefined, uses: undefined },
  })

  test('finds each of the last so many different keys, and only keys that were good', () => {
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 10 }), (added, size) => {
        const known = knownKeys(size)
        for (const key of added) known.add(fingerprintOf(key), keyOf(key))
        const last = [...new Set(added.toReversed())].slice(0, size)

        expect(last.map((key) => known.find(fingerprintOf(key)))).toEqual(last.map(keyOf))
        expect(known.find(fingerprintOf('other'))).toBeUndefined()
      }),
    )
  })

  test('keeps a key that goes on being asked for, however many others come', () => {
    const known = knownKeys(10)
    known.add('kept', keyOf('kept'))
    for (let i = 0; i < 1000; i++) {
      known.add(String(i), keyOf(String(i)))

      expect(known.find('kept')).toEqual(keyOf('kept'))
    }
  })

  test('forgets a key that is good no longer, whenever it was added, and none of the others', () => {
    fc.assert(
      fc.property(keys, fc.nat({ max: 30 }).map(String), (added, gone) => {
        const known = knownKeys(5)
        for (const key of added) known.add(key, keyOf(key))
        known.forget(gone)
        const others = [...new Set(added.toReversed())].slice(0, 5).filter((key) => key !== gone)

        expect(known.find(gone)).toBeUndefined()
        expect(others.map((key) => known.find(key))).toEqual(others.map(keyOf))
      }),
    )
  })

  test('forgets keys that were good long ago', () => {
    const known = knownKeys(10)
    const thousand = Array.from({ length: 1000 }, (_, i) => String(i))
    for (const key of thousand) known.add(key, keyOf(key))

    expect(thousand.filter((key) => known.find(key) !== undefined).length).toBeLessThan(21)
  })
})
