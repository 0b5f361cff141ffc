import { geometricSum, segmentValue, wholePower } from './geometric.ts'

describe('geometricSum', () => {
  test.each([
    [2, 0, 0],
    [2, 1, 1],
    [2, 10, 1023],
    [1, 25, 25],
    [0, 7, 1],
    [-1, 5, 1],
    [-1, 6, 0],
    [0.5, 3, 1.75],
    [3, 21, 5230176601],
  ])('with ratio %d over %d terms is %d exactly', (q, terms, expected) => {
    expect(geometricSum(q, terms)).toBe(expected)
  })

  test('agrees with adding the terms one by one, also next to a ratio of 1', () => {
    for (const q of [0.5, 0.97, 1 - 1e-9, 1 + 1e-12, 1.0001, 1.06, 1.25]) {
      let sum = 0
      let term = 1
      for (let terms = 1; terms <= 64; terms++) {
        sum += term
        term *= q
        expect(Math.abs(geometricSum(q, terms) / sum - 1)).toBeLessThan(5e-14)
      }
    }
  })
})

describe('wholePower', () => {
  test.each([
    [3, 0, 1],
    [0, 0, 1],
    [0, 3, 0],
    [3, 13, 1594323],
    [-2, 5, -32],
    [0.5, 10, 0.0009765625],
  ])('raises %d to %d', (q, exponent, expected) => {
    expect(wholePower(q, exponent)).toBe(expected)
  })
})

describe('segmentValue', () => {
  test('values a growing flow at the end of each year of the segment', () => {
    // 100 in year 1 growing 10 %: 121 in year 3 and 133.1 in year 4, discounted at 25 %
    const expected = 121 * 0.8 * 0.8 * 0.8 + 133.1 * 0.8 * 0.8 * 0.8 * 0.8
    expect(segmentValue(100, 1.1, 2, 4, 0.8)).toBeCloseTo(expected, 10)
  })

  test('is the first flow times the years when growth and discount cancel', () => {
    expect(segmentValue(8, 1.25, 0, 10, 0.8)).toBeCloseTo(64, 12)
  })

  test('is nothing for an empty segment', () => {
    expect(segmentValue(100, 1.1, 4, 4, 0.8)).toBe(0)
    expect(segmentValue(100, 1.1, 5, 4, 0.8)).toBe(0)
  })

  test('pays a flow that vanishes after its first year once', () => {
    expect(segmentValue(100, 0, 0, 25, 0.5)).toBe(50)
    expect(segmentValue(100, 0, 1, 25, 0.5)).toBe(0)
  })
})
