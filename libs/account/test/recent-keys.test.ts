import fc from 'fast-check'
import { fingerprintOf, recentKeys } from '../src/recent-keys.ts'

describe('recent keys', () => {
  const keys = fc.array(fc.nat({ max: 30 }).map(String), { maxLength: 200 })

  test('knows the digests of each of the last so many different keys, and only of keys that were good', () => {
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 10 }), (added, size) => {
        const recent = recentKeys(size)
        for (const key of added) recent.add(fingerprintOf(key), [`digest of ${key}`])
        const last = [...new Set(added.toReversed())].slice(0, size)

        expect(last.map((key) => recent.digestsOf(fingerprintOf(key)))).toEqual(
          last.map((key) => [`digest of ${key}`]),
        )
        expect(recent.digestsOf(fingerprintOf('other'))).toBeUndefined()
      }),
    )
  })

  test('forgets keys that were good long ago', () => {
    const recent = recentKeys(10)
    const thousand = Array.from({ length: 1000 }, (_, i) => String(i))
    for (const key of thousand) recent.add(key, [])

    expect(thousand.filter((key) => recent.digestsOf(key) !== undefined).length).toBeLessThan(21)
  })
})
