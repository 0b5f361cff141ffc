import type { Background } from './background.ts'
import { distinctiveness } from './log-odds.ts'

/** A background in which every term has the same count. */
const background = (count: number, total: number, every = 1): Background => ({
  ...{ every, add: () => undefined, countOf: () => count, total: () => total },
})

// The formula of Monroe, Colaresi and Quinn, equations 15, 16, 19 and 22, in Python.
test.each([
  [20, 2_000, background(60, 500_000), 16.860575312246116],
  [3, 2_000, background(300, 500_000), 1.4370120560934396],
  [30, 2_000, background(5, 60_000, 8), 7.063950219072817],
])('a term in %p texts of %p terms', (own, ownTerms, against, expected) => {
  expect(distinctiveness(own, ownTerms, 1, against)).toBeCloseTo(expected, 10)
})

test('a term that is as frequent as elsewhere is not distinctive, a rarer one is the opposite', () => {
  expect(Math.abs(distinctiveness(20, 2_000, 1, background(5_000, 500_000)))).toBeLessThan(0.1)
  expect(distinctiveness(5, 2_000, 1, background(5_000, 500_000))).toBeLessThan(-1)
})
