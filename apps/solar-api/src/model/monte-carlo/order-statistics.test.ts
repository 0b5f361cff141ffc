import { orderStatistics, percentiles } from './order-statistics.ts'

const shares = [0, 0.005, 0.05, 0.25, 0.5, 0.75, 0.95, 0.995, 1]

describe('percentiles and order statistics', () => {
  test.each([
    ['even values', (index: number) => index],
    ['two values', (index: number) => index % 2],
    ['one value', () => -3.5],
    ['a far outlier', (index: number) => (index === 7 ? 1e300 : Math.sin(index))],
    ['outliers on both sides', (index: number) => (index < 2 ? -1e300 : index < 4 ? 1e300 : index)],
    ['a long tail', (index: number) => Math.exp(Math.sin(index * index) * 30)],
    ['subnormal differences', (index: number) => (index % 5) * 5e-324],
    ['some that are infinite', (index: number) => (index % 3 === 0 ? Infinity : Math.cos(index))],
    ['all but one infinite', (index: number) => (index === 5 ? 2 : Infinity)],
    ['all infinite', () => Infinity],
  ])('of %s are exactly those of a sort', (_, value) => {
    for (const size of [1, 2, 100, 1000, 20_011]) {
      const values = Float64Array.from({ length: size }, (_unused, index) => value((index * 7919) % size))
      const before = values.slice()
      const sorted = values.slice().sort()
      const ranks = [size - 1, 0, size >>> 1, Math.floor(size / 20)]
      expect(orderStatistics(values, ranks)).toEqual(ranks.map((rank) => sorted[rank]))
      expect(percentiles(values, shares)).toEqual(shares.map((share) => sortedPercentile(sorted, share)))
      expect(values).toEqual(before)
    }
  })

  // numpy.percentile([15, 20, 35, 40, 50], [5, 30, 40, 95])
  test('are those of NumPy', () => {
    const found = percentiles(Float64Array.of(50, 15, 40, 20, 35), [0.05, 0.3, 0.4, 0.95])
    for (const [index, value] of [16, 23, 29, 48].entries()) expect(found[index]).toBeCloseTo(value, 12)
  })
})

function sortedPercentile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1)
  const lower = sorted[Math.floor(place)] ?? NaN
  const upper = sorted[Math.ceil(place)] ?? NaN
  return lower === upper ? lower : lower + (place - Math.floor(place)) * (upper - lower)
}
