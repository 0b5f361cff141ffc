import fc from 'fast-check'
import { quickSet } from './quick-set.ts'

test('says the same as a set', () => {
  const hash = fc.oneof(fc.integer(), fc.constantFrom(0, 16, 32, 64, -16))
  fc.assert(
    fc.property(fc.array(hash), fc.array(hash), (members, others) => {
      const set = new Set(members)
      const isIn = quickSet(members)
      for (const one of [...members, ...others, 0]) expect(isIn(one)).toBe(set.has(one))
    }),
    { numRuns: 300 },
  )
})
