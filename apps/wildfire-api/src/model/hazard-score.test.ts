import { rateScore, scoreHazard, statePercentile } from './hazard-score.ts'

test('the score is the rank by risk to homes in percent', () => {
  expect(scoreHazard(0.977, 12)).toEqual({ score: 97.7, rating: 'very_high', basis: 'wrc.risk_to_homes' })
})

test('every rank of three decimals becomes a score of one', () => {
  for (let thousandth = 0; thousandth <= 1000; thousandth++) {
    expect(scoreHazard(thousandth / 1000, null).score).toBe(Number((thousandth / 10).toFixed(1)))
  }
})

test('without a rank it is the percentile of the loss rate, and without both there is none', () => {
  expect(scoreHazard(null, 41.3486)).toEqual({
    score: 41.3,
    rating: 'moderate',
    basis: 'nri.loss_rate_percentile',
  })
  expect(scoreHazard(null, null)).toEqual({ score: null, rating: null, basis: null })
})

test.each([
  [0, 'very_low'],
  [19.9, 'very_low'],
  [20, 'low'],
  [40, 'moderate'],
  [60, 'high'],
  [79.9, 'high'],
  [80, 'very_high'],
  [100, 'very_high'],
])('a score of %d is %s', (score, rating) => {
  expect(rateScore(score)).toBe(rating)
})

test('the state percentile counts the other counties with a lower score', () => {
  expect(statePercentile(3, [1, 2, 3, 4])).toBe(66.7)
  expect(statePercentile(1, [1, 1, 1])).toBe(0)
  expect(statePercentile(5, [5, 1, 1])).toBe(100)
  expect(statePercentile(5, [5])).toBeNull()
})
