import { combineDirections, directionNumbers, fillSobol, scrambledDirections } from './sobol.ts'
import { wordsPerDimension } from './sobol.ts'

describe('Sobol points', () => {
  // The first points of Joe and Kuo's own program (sobol.cc with new-joe-kuo-6.21201), in Gray-code order.
  test.each([
    [0, [0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125]],
    [1, [0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625]],
    [2, [0, 0.5, 0.25, 0.75, 0.625, 0.125, 0.875, 0.375]],
    [3, [0, 0.5, 0.25, 0.75, 0.875, 0.375, 0.625, 0.125]],
    [7, [0, 0.5, 0.75, 0.25, 0.875, 0.375, 0.125, 0.625]],
    [15, [0, 0.5, 0.25, 0.75, 0.875, 0.375, 0.625, 0.125]],
  ])('of dimension %p start as published', (dimension, points) => {
    const directions = directionNumbers(dimension)
    const own = points.map((_, index) => combineDirections(directions, 0, index ^ (index >>> 1)) >>> 0)
    expect(own.map((word) => word / 4294967296)).toEqual(points)
  })

  // scipy.stats.qmc.Sobol(16, scramble=False, bits=32), point 1,000,003
  test('keep to the published numbers far along', () => {
    const index = 1_000_003
    const words = Array.from({ length: 16 }, (_, dimension) =>
      combineDirections(directionNumbers(dimension), 0, index ^ (index >>> 1)),
    )
    expect(words.map((word) => word >>> 0)).toEqual(farPoint)
  })

  test('exist in 16 dimensions', () => {
    expect(() => directionNumbers(16)).toThrow(RangeError)
  })
})

describe('scrambled Sobol points', () => {
  const directions = scrambledDirections({ low: 7, high: 0 }, 1, 16, 3)
  const unit = (randomisation: number, dimension: number): number =>
    (randomisation * 16 + dimension) * wordsPerDimension

  test('put one point in each of equal intervals, in every dimension and randomisation', () => {
    for (let at = 0; at < directions.length; at += wordsPerDimension) {
      const column = draw(directions, at, 0, 256)
      const cells = column.map((x) => Math.floor(x * 256))
      expect(new Set(cells).size).toBe(256)
    }
  })

  test('put one point in each elementary box of the first two dimensions', () => {
    const [x, y] = [draw(directions, unit(1, 0), 0, 256), draw(directions, unit(1, 1), 0, 256)]
    for (const split of [1, 2, 4, 16, 64, 128]) {
      const boxes = x.map((value, index) => {
        return Math.floor(value * split) * 256 + Math.floor(((y[index] ?? 0) * 256) / split)
      })
      expect(new Set(boxes).size).toBe(256)
    }
  })

  test('differ between randomisations, keys and streams, and have low digits too', () => {
    const others = [
      scrambledDirections({ low: 8, high: 0 }, 1, 16, 1),
      scrambledDirections({ low: 7, high: 1 }, 1, 16, 1),
      scrambledDirections({ low: 7, high: 0 }, 4, 16, 1),
      directions.slice(unit(1, 0)),
    ]
    const own = draw(directions, 0, 0, 64)
    for (const other of others) expect(draw(other, 0, 0, 64)).not.toEqual(own)
    expect(own.some((x) => (x * 4294967296 - 0.5) % 2 !== 0)).toBe(true)
  })

  test('do not depend on where a block is entered', () => {
    const whole = draw(directions, unit(2, 5), 0, 1024)
    for (const [from, to] of [
      [0, 1],
      [100, 128],
      [128, 256],
      [777, 780],
    ] as const) {
      expect(draw(directions, unit(2, 5), from, to)).toEqual(whole.slice(from, to))
    }
  })
})

/** Points from..to-1, in pieces. */
function draw(directions: Uint32Array, at: number, from: number, to: number): number[] {
  const words = new Uint32Array(to - from)
  for (let first = from; first < to;) {
    const count = Math.min(to, first - (first % 128) + 128) - first
    fillSobol(directions, at, first, count, words, first - from)
    first += count
  }
  return [...words].map((word) => (word + 0.5) / 4294967296)
}

const farPoint = [
  1187450880, 2413424640, 334991360, 1796354048, 3773812736, 2341023744, 948097024, 1145868288, 216535040,
  18903040, 3815354368, 2925629440, 2247200768, 1216950272, 3861630976, 2001866752,
]
