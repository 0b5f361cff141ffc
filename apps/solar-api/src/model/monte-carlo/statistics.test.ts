import { describeOutput, shareAbove, sharesUpTo, tailMean, type OutputStatistics } from './statistics.ts'

const whole = (values: Float64Array) => [{ start: 0, end: values.length }]

describe('describeOutput()', () => {
  test('describes 0..1000', () => {
    const values = Float64Array.from({ length: 1001 }, (_, index) => (index * 8) % 1001)
    const result = describeOutput(values, whole(values))
    // variance of 0..n-1 with n - 1: n (n + 1) / 12
    const deviation = Math.sqrt((1001 * 1002) / 12)
    expect(result).toMatchObject({ mean: 500, min: 0, max: 1000 })
    expect(result.standardDeviation).toBeCloseTo(deviation, 9)
    expect(result.standardError).toBeCloseTo(deviation / Math.sqrt(1001), 9)
    expect(result.percentiles).toEqual({ p5: 50, p10: 100, p25: 250, p50: 500, p75: 750, p90: 900, p95: 950 })
    // order statistics one binomial deviation to the sides: sqrt(1001 / 4) = 15.8, sqrt(1001 * 0.0475) = 6.9
    expect(result.percentileStandardErrors).toMatchObject({ p5: 7, p50: 16, p95: 7 })
    expect(result.histogram.edges).toHaveLength(41)
    expect([result.histogram.edges[0], result.histogram.edges[40]]).toEqual([5, 995])
    expect(result.histogram).toMatchObject({ underflow: 5, overflow: 5 })
    expect(new Set(result.histogram.counts.slice(0, -1))).toEqual(new Set([24, 25]))
    expect(inHistogram(result)).toBe(1001)
  })

  test('takes standard errors from the scatter of the replicates', () => {
    // means 1, 3, 5, 7: deviation sqrt(20 / 3), over sqrt(4)
    const values = Float64Array.from({ length: 400 }, (_, index) => 2 * Math.floor(index / 100) + 1)
    const replicates = [0, 100, 200, 300].map((start) => ({ start, end: start + 100 }))
    const result = describeOutput(values, replicates)
    expect(result.standardError).toBeCloseTo(Math.sqrt(20 / 3) / 2, 12)
    expect(result.percentileStandardErrors.p50).toBeCloseTo(Math.sqrt(20 / 3) / 2, 12)
  })

  test('leaves infinite values out of the mean and counts them in percentiles and overflow', () => {
    const values = Float64Array.from({ length: 100 }, (_, index) => (index < 80 ? index : Infinity))
    const result = describeOutput(values, whole(values))
    expect(result).toMatchObject({ mean: 39.5, min: 0, max: 79 })
    expect(result.percentiles).toMatchObject({ p50: 49.5, p75: 74.25, p90: null, p95: null })
    expect(result.percentileStandardErrors.p90).toBeNull()
    expect(inHistogram(result)).toBe(100)
    expect(result.histogram.overflow).toBeGreaterThanOrEqual(20)
    const halves = [0, 50].map((start) => ({ start, end: start + 50 }))
    expect(describeOutput(values, halves).percentileStandardErrors.p90).toBeNull()
  })

  test('says null where all are infinite, and has one bin where all are the same', () => {
    const never = new Float64Array(100).fill(Infinity)
    expect(describeOutput(never, whole(never))).toMatchObject({
      mean: null,
      standardDeviation: null,
      standardError: null,
      min: null,
      max: null,
      percentiles: { p5: null, p95: null },
      histogram: { edges: [], counts: [], underflow: 0, overflow: 100 },
    })
    const same = new Float64Array(100).fill(7)
    expect(describeOutput(same, whole(same))).toMatchObject({
      mean: 7,
      standardDeviation: 0,
      standardError: 0,
      percentiles: { p5: 7, p95: 7 },
      histogram: { edges: [7, 7], counts: [100], underflow: 0, overflow: 0 },
    })
  })
})

test('tailMean() is the mean of the worst, ties counted as often as they fit', () => {
  expect(
    tailMean(
      Float64Array.from({ length: 100 }, (_, index) => 99 - index),
      0.05,
    ),
  ).toBe(2)
  expect(tailMean(Float64Array.of(...new Array<number>(119).fill(4), -20), 0.05)).toBe(0)
  // floor(0.05 * 139) = 6 of them
  expect(
    tailMean(
      Float64Array.from({ length: 139 }, (_, index) => index),
      0.05,
    ),
  ).toBe(2.5)
})

test('sharesUpTo() and shareAbove() count on either side, the limit below', () => {
  const values = Float64Array.of(1, 2, 3, Infinity)
  expect(shareAbove(values, 2)).toBe(0.5)
  expect([...sharesUpTo(values, 4)]).toEqual([0, 0.25, 0.5, 0.75, 0.75])
  expect([...sharesUpTo(Float64Array.of(0, 0.1, 1.5, 2.5, 2), 2)]).toEqual([0.2, 0.4, 0.8])
})

function inHistogram({ histogram }: OutputStatistics): number {
  return histogram.counts.reduce((sum, count) => sum + count, histogram.underflow + histogram.overflow)
}
