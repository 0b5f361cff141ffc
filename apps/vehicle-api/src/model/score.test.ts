import { labelOf, ratingOf, scoreOf } from './score.ts'

const scale = { median: -1.5, sigma: 0.8 }

test('the median vehicle scores 50, one sigma better 84, one sigma worse 16', () => {
  expect(scoreOf(-1.5, scale)).toBe(50)
  expect(scoreOf(-2.3, scale)).toBe(84.1)
  expect(scoreOf(-0.7, scale)).toBe(15.9)
})

test('scores end at 1 and 99', () => {
  expect(scoreOf(50, scale)).toBe(1)
  expect(scoreOf(-50, scale)).toBe(99)
})

test('the rating is the score on a scale of five', () => {
  expect([1, 49.9, 50, 99].map(ratingOf)).toEqual([0.1, 2.5, 2.5, 5])
})

test('labels are quintiles', () => {
  const labels = [99, 80, 79.9, 60, 40, 20, 19.9].map((score) => labelOf(score, 'medium'))
  expect(labels).toEqual(['excellent', 'excellent', 'good', 'good', 'average', 'below_average', 'poor'])
  expect(labelOf(50, 'insufficient_data')).toBe('insufficient_data')
})
