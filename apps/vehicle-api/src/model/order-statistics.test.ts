import { median, medianDeviation, quantile, sorted } from './order-statistics.ts'

const values = [50, 300, 420, 600, 880, 1000, 1500, 24000]

test('quantiles are those of NumPy', () => {
  // numpy.quantile(values, [0, 0.05, 0.5, 0.95, 1])
  const shares = [0, 0.05, 0.5, 0.95, 1]
  const expected = [50, 137.5, 740, 16125, 24000]
  for (const [index, share] of shares.entries())
    expect(quantile(values, share)).toBeCloseTo(expected[index] ?? NaN, 9)
})

test('the median does not depend on the order, and of one value is that value', () => {
  expect(median([5, 1, 9])).toBe(5)
  expect(median([9, 1, 5, 2])).toBe(3.5)
  expect(median([7])).toBe(7)
})

test('numbers are sorted as numbers', () => {
  expect([...sorted([10, 9, -1, 100])]).toEqual([-1, 9, 10, 100])
})

test('the median deviation is the median of the distances', () => {
  expect(medianDeviation([1, 2, 4, 8, 100], 4)).toBe(3)
})
