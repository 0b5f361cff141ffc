import { monotoneTrend, trendLabel } from './monotone-trend.ts'

const series = (first: number, ...values: number[]) =>
  values.map((value, index) => ({ year: first + index, value }))

test('slope and line are those of Theil and Sen, the test that of Mann and Kendall with ties', () => {
  // scipy.stats.theilslopes(y, x, method='joint'); z by hand from S = 21 and variance 64.33
  const points = [
    ...[{ year: 2010, value: 30.5 }, ...series(2011, 41, 35, 41, 52.5)],
    ...series(2016, 50, 61, 58.5),
  ]
  const trend = monotoneTrend(points.toReversed())
  expect(trend).toMatchObject({ slope: 3.5, first: 30.5, last: 58.5 })
  expect(trend?.z).toBeCloseTo(2.4935149047701484, 12)
  expect(trendLabel(trend, 1, 'better')).toBe('improving')
  expect(trendLabel(trend, 1, 'worse')).toBe('worsening')
})

test('a steep slope over few years may be chance', () => {
  const trend = monotoneTrend(series(2015, 10, 40, 30, 55, 52))
  expect(trend?.slope).toBe(10.25)
  expect(trend?.z).toBeCloseTo(1.2247448713915892, 12)
  expect(trendLabel(trend, 1, 'better')).toBe('stable')
})

test('a sure but small change is stable', () => {
  const trend = monotoneTrend(series(2010, 50, 50.5, 51, 51.5, 52, 52.5, 53))
  expect(trend?.z).toBeGreaterThan(1.28)
  expect(trendLabel(trend, 1, 'better')).toBe('stable')
})

test('equal values have no trend', () => {
  expect(monotoneTrend(series(2010, 5, 5, 5, 5))).toEqual({ slope: 0, z: 0, first: 5, last: 5 })
})

test('three years are no trend', () => {
  expect(trendLabel(monotoneTrend(series(2010, 1, 2, 3)), 1, 'better')).toBe('insufficient_data')
})
