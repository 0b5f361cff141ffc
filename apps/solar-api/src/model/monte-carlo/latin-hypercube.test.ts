import { fillStrata, permutationSeeds, permute } from './latin-hypercube.ts'

describe('permute()', () => {
  test.each([1, 2, 7, 64, 1000, 1025])('visits each of %p places once, whatever the seed', (length) => {
    for (const seed of [0, 1, 0x9e3779b9, 0xffffffff]) {
      const places = Array.from({ length }, (_, index) => permute(index, length, seed))
      expect([...places].sort((a, b) => a - b)).toEqual(Array.from({ length }, (_, index) => index))
    }
  })

  test('gives unrelated orders for different seeds', () => {
    const length = 1000
    const order = (seed: number) => Array.from({ length }, (_, index) => permute(index, length, seed))
    const rank = correlation(order(1), order(2))
    expect(Math.abs(rank)).toBeLessThan(0.1)
    expect(Math.abs(correlation(order(3), [...order(3).keys()]))).toBeLessThan(0.1)
  })
})

describe('fillStrata()', () => {
  const words = Uint32Array.from({ length: 400 }, (_, index) => Math.imul(index, 0x9e3779b9))

  test('puts one trial in each stratum, also when asked in parts', () => {
    const column = new Float64Array(100)
    fillStrata(100, 5, 0, 60, words, 2, column, 0)
    fillStrata(100, 5, 60, 40, words.subarray(240), 2, column, 60)
    expect(new Set([...column].map((x) => Math.floor(x * 100))).size).toBe(100)
  })

  test('stays below 1 in the last stratum of the longest runs', () => {
    const length = 131_072
    const last = Array.from({ length }, (_, index) => permute(index, length, 9)).indexOf(length - 1)
    const column = new Float64Array(1)
    fillStrata(length, 9, last, 1, Uint32Array.of(0xffffffff), 0, column, 0)
    expect(column[0]).toBeGreaterThan(1 - 1 / length)
    expect(column[0]).toBeLessThan(1)
  })
})

test('permutationSeeds() gives distinct words for any number of units', () => {
  expect(new Set(permutationSeeds({ low: 1, high: 2 }, 2, 63)).size).toBe(63)
})

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [ma, mb] = [mean(a), mean(b)]
  const product = mean(a.map((value, index) => (value - ma) * ((b[index] ?? NaN) - mb)))
  return (
    product / Math.sqrt(mean(a.map((x) => (x - ma) * (x - ma))) * mean(b.map((x) => (x - mb) * (x - mb))))
  )
}
