import fc from 'fast-check'
import { createOdiNumbers } from './odi-numbers.ts'

test('numbers that come again are known, and no others', () => {
  const number = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 999_999_999 }))
  fc.assert(
    fc.property(fc.array(number, { maxLength: 60 }), (numbers) => {
      const seen = createOdiNumbers()
      for (const odi of numbers) seen.add(String(odi))
      const repeated = numbers.filter((odi, at) => numbers.indexOf(odi) < at).map(String)
      expect(seen.scattered).toEqual(new Set(repeated))
    }),
  )
})
