import fc from 'fast-check'
import { recentKeys } from '../src/recent-keys.ts'

describe('recent keys', () => {
  const digests = fc.array(fc.nat({ max: 30 }).map(String), { maxLength: 200 })

  test('has each of the last so many different keys, and only keys that were good', () => {
    fc.assert(
      fc.property(digests, fc.integer({ min: 1, max: 10 }), (added, size) => {
        const recent = recentKeys(size)
        for (const digest of added) recent.add(digest)
        const last = [...new Set(added.toReversed())].slice(0, size)

        expect(last.filter((digest) => !recent.has(digest))).toEqual([])
        expect(recent.has('other')).toBe(false)
      }),
    )
  })

  test('forgets keys that were good long ago', () => {
    const recent = recentKeys(10)
    for (let i = 0; i < 1000; i++) recent.add(String(i))

    expect(Array.from({ length: 1000 }, (_, i) => recent.has(String(i))).filter(Boolean).length).toBeLessThan(
      21,
    )
  })
})
