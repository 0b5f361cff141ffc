import fc from 'fast-check'
import { percentilesOf, shareAbove, shareBelow } from './score-shares.ts'

const sharesOf = (scores: readonly number[], score: number) => {
  const scorePercentiles = percentilesOf(scores)
  return [shareBelow(score, { scorePercentiles }), shareAbove(score, { scorePercentiles })]
}

test('shares are those of the vehicles, whatever the shape of their distribution', () => {
  // Most vehicles have one score, as in a category that few complaints are about.
  const scores = [...Array(700).fill(58), ...Array(200).fill(30), ...Array(100).fill(3)] as number[]
  expect(sharesOf(scores, 58)).toEqual([30, 0])
  expect(sharesOf(scores, 30)).toEqual([10, 69])
  expect(sharesOf(scores, 3)).toEqual([0, 89])
  expect(sharesOf(scores, 99)).toEqual([100, 0])
})

test('they are never greater than the true ones, and less than one per cent below, or two', () => {
  const anyScores = fc.array(
    fc.integer({ min: 10, max: 990 }).map((tenths) => tenths / 10),
    { minLength: 1, maxLength: 300 },
  )
  fc.assert(
    fc.property(anyScores, fc.nat(299), (scores, at) => {
      const score = scores[at % scores.length] ?? NaN
      const [below = NaN, above = NaN] = sharesOf(scores, score).map(Number)
      const trueBelow = (100 * scores.filter((other) => other < score).length) / scores.length
      const trueAbove = (100 * scores.filter((other) => other > score).length) / scores.length
      expect(below).toBeLessThanOrEqual(trueBelow + 1e-9)
      expect(below).toBeGreaterThan(trueBelow - 1 - 1e-9)
      expect(above).toBeLessThanOrEqual(trueAbove + 1e-9)
      expect(above).toBeGreaterThan(trueAbove - 2)
    }),
  )
})

test('they are unknown where nothing is stored to count them from', () => {
  expect(shareBelow(50, {})).toBeNull()
  expect(shareAbove(50, { scorePercentiles: [] })).toBeNull()
  expect(percentilesOf([])).toEqual([])
})
