import { fillScores } from './normal-scores.ts'
import { inverseNormal } from './normal.ts'

describe('fillScores()', () => {
  test('gives the normal quantile of every word, whatever its size', () => {
    for (const word of wordsOfAllSizes()) {
      const z = inverseNormal((word + 0.5) / 4294967296)
      expect([word, Math.abs(scoreOf(word) - z) <= 2e-15 * Math.max(1, Math.abs(z))]).toEqual([word, true])
    }
  })

  test('is antisymmetric and increasing, also where two pieces meet', () => {
    // a piece ends at every multiple of 1/32 of a power of two
    const borders = Array.from({ length: 26 }, (_, power) => power + 5).flatMap((power) =>
      Array.from({ length: 32 }, (_, part) => 2 ** power + part * 2 ** (power - 5)),
    )
    for (const border of borders) {
      const [before, after] = [scoreOf(border - 1), scoreOf(border)]
      expect([border, after > before]).toEqual([border, true])
      expect(scoreOf(4294967295 - border)).toBe(-after)
    }
  })

  test('touches nothing else', () => {
    const scores = new Float64Array(6).fill(9)
    fillScores(Uint32Array.of(1, 2, 3, 4, 5, 6), 4, scores)
    expect([...scores].map((score) => score === 9)).toEqual([false, false, false, false, true, true])
  })
})

function scoreOf(word: number): number {
  const scores = new Float64Array(2)
  fillScores(Uint32Array.of(0, word), 2, scores)
  return scores[1] ?? NaN
}

function wordsOfAllSizes(): number[] {
  const random = Array.from({ length: 4000 }, (_, index) => Math.imul(index + 1, 0x9e3779b9) >>> 0)
  const small = random.map((word, index) => word >>> (index % 32))
  return [...random, ...small, ...small.map((word) => 4294967295 - word)]
}
