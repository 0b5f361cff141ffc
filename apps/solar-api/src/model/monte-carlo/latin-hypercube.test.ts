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
  const random = (length: number) => Uint32Array.from({ length }, (_, index) => Math.imul(index, 0x9e3779b9))

  test.each([100, 1000, 1024, 3001])(
    'puts one trial in each of %p strata, also when asked in parts',
    (length) => {
      const words = random(length)
      fillStrata(length, 5, 0, 60, words, 0)
      fillStrata(length, 5, 60, length - 60, words, 60)
      expect(new Set([...words].map((word) => stratumOf(word, length))).size).toBe(length)
    },
  )

  test('reaches from end to end of a stratum, also of the last of the longest runs', () => {
    const length = 131_072
    for (const stratum of [0, 77_777, length - 1]) {
      const trial = Array.from({ length }, (_, index) => permute(index, length, 9)).indexOf(stratum)
      const ends = Uint32Array.of(0, 0xffffffff)
      fillStrata(length, 9, trial, 1, ends, 0)
      fillStrata(length, 9, trial, 1, ends, 1)
      expect([...ends].map((word) => stratumOf(word, length))).toEqual([stratum, stratum])
      expect((ends[1] ?? NaN) - (ends[0] ?? NaN)).toBe(4294967296 / length - 1)
    }
  })
})

test('permutationSeeds() gives distinct words for any number of units', () => {
  expect(new Set(permutationSeeds({ low: 1, high: 2 }, 2, 63)).size).toBe(63)
})

function stratumOf(word: number, length: number): number {
  return Math.floor(((word + 0.5) / 4294967296) * length)
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [ma, mb] = [mean(a), mean(b)]
  const product = mean(a.map((value, index) => (value - ma) * ((b[index] ?? NaN) - mb)))
  return (
    product / Math.sqrt(mean(a.map((x) => (x - ma) * (x - ma))) * mean(b.map((x) => (x - mb) * (x - mb))))
  )
}
