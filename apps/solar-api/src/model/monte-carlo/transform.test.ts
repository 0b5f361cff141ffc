import type { Distribution } from './distribution.ts'
import { normalCdf } from './normal-cdf.ts'
import { inverseNormal } from './normal.ts'
import { applyTransform, planTransform } from './transform.ts'

const anything = { low: -1e9, high: 1e9 }
const places = [1e-6, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99, 1 - 1e-6]

describe('quantiles', () => {
  // scipy.stats 1.17: beta.ppf and triang.ppf at the places above
  test.each<[Distribution, number[]]>([
    [
      { distribution: 'beta', alpha: 2, beta: 3 },
      [
        0.0004083594602042573, 0.04199863562170072, 0.14255931671003072, 0.27238394207510536,
        0.3857275681323895, 0.5824535745243333, 0.859132457305454, 0.9936904263297945,
      ],
    ],
    [
      { distribution: 'beta', alpha: 0.1, beta: 5 },
      [
        1.332100872189538e-61, 1.3321008721895307e-21, 1.3321008722540561e-11, 7.865944939454454e-7,
        0.00013014955240919684, 0.015103304916354527, 0.2935069421957024, 0.8701910532149782,
      ],
    ],
    [
      { distribution: 'beta', alpha: 300, beta: 700 },
      [
        0.23432612992469437, 0.2669142322587996, 0.28151941741064423, 0.2923037496203767, 0.29986661939179127,
        0.3121566763208283, 0.33426161522558223, 0.3713982572130263,
      ],
    ],
    [
      { distribution: 'pert', min: 1, mode: 2, max: 5 },
      [
        1.001265311285575, 1.1307284488024116, 1.448939834183434, 1.8721076630528988, 2.25524068182279,
        2.9607693718887775, 4.111710866460007, 4.915047127197175,
      ],
    ],
    [
      { distribution: 'triangular', min: 1, mode: 2, max: 5 },
      [
        1.002, 1.2, 1.632455532033676, 2.1017246507621126, 2.550510257216822, 3.450806661517033,
        4.653589838486225, 4.9965358983848125,
      ],
    ],
    [{ distribution: 'uniform', min: -1, max: 3 }, places.map((p) => 4 * p - 1)],
    [{ distribution: 'normal', mean: 3, standardDeviation: 2 }, places.map((p) => 3 + 2 * inverseNormal(p))],
    [
      { distribution: 'lognormal', median: 3, sigma: 0.5 },
      places.map((p) => 3 * Math.exp(0.5 * inverseNormal(p))),
    ],
    [
      { distribution: 'lognormal', median: 3, sigma: 3 },
      places.map((p) => 3 * Math.exp(3 * inverseNormal(p))),
    ],
    [{ distribution: 'fixed', value: 3 }, places.map(() => 3)],
  ])('of %j are those of scipy or of their formula', (distribution, expected) => {
    for (const [index, value] of quantiles(distribution, places).entries()) {
      const reference = expected[index] ?? NaN
      expect(Math.abs(value - reference)).toBeLessThanOrEqual(2e-10 * Math.abs(reference))
    }
  })

  // A density, integrated by Simpson's rule and inverted by bisection: nothing shared with the code.
  test.each<[Distribution, (x: number) => number, number, number]>([
    [
      { distribution: 'triangular', min: 0, mode: 0.5, max: 2 },
      (x) => (x < 0.5 ? 2 * x : (2 * (2 - x)) / 3),
      0,
      2,
    ],
    [{ distribution: 'triangular', min: 0, mode: 0, max: 2 }, (x) => 2 - x, 0, 2],
    [{ distribution: 'beta', alpha: 4, beta: 2 }, (x) => x * x * x * (1 - x), 0, 1],
    [
      { distribution: 'beta', alpha: 3, beta: 3, min: 2, max: 4 },
      (x) => (x - 2) * (4 - x) * ((x - 2) * (4 - x)),
      2,
      4,
    ],
    [{ distribution: 'pert', min: 0, mode: 1, max: 4 }, (x) => x * (4 - x) * (4 - x) * (4 - x), 0, 4],
    [
      { distribution: 'normal', mean: 1, standardDeviation: 0.5 },
      (x) => Math.exp(-2 * (x - 1) * (x - 1)),
      -5,
      7,
    ],
  ])('of %j invert the integral of the density', (distribution, density, low, high) => {
    const inner = [0.02, 0.2, 0.5, 0.77, 0.98]
    for (const [index, value] of quantiles(distribution, inner).entries()) {
      expect(value).toBeCloseTo(invert(density, low, high, inner[index] ?? NaN), 5)
    }
  })

  test('rise with the score over its whole range', () => {
    for (const distribution of shapes) {
      const scores = Float64Array.from({ length: 4001 }, (_, index) => (index - 2000) / 250)
      const values = transform(distribution, scores)
      const falls = values.filter(
        (value, index) => index > 0 && value < (values[index - 1] ?? 0) * (1 - 1e-14),
      )
      expect([distribution, falls.length]).toEqual([distribution, 0])
    }
  })

  test('stay within the limits of the distribution and of the input', () => {
    const scores = Float64Array.of(-8, -1, 0, 1, 8)
    const wide: Distribution = { distribution: 'normal', mean: 1, standardDeviation: 2, min: 0, max: 2.5 }
    expect([...transform(wide, scores)]).toEqual([0, 0, 1, 2.5, 2.5])
    expect([...transform(wide, scores, { low: 0.5, high: 2 })]).toEqual([0.5, 0.5, 1, 2, 2])
    const skew: Distribution = { distribution: 'lognormal', median: 1, sigma: 1, min: 0.5 }
    expect([...transform(skew, scores, { low: 0, high: 2 })]).toEqual([0.5, 0.5, 1, 2, 2])
  })
})

test('a beta between knots agrees with its distribution function', () => {
  // alpha = 2, beta = 3: I_x = 6x^2 - 8x^3 + 3x^4
  for (let score = -6; score < 6; score += 0.0371) {
    const [x = NaN] = transform({ distribution: 'beta', alpha: 2, beta: 3 }, Float64Array.of(score))
    const below = x * x * (6 - x * (8 - 3 * x))
    expect(Math.abs(below - normalCdf(score))).toBeLessThan(1e-11 * Math.max(below, 1e-4))
  }
})

const shapes: Distribution[] = [
  { distribution: 'normal', mean: 30, standardDeviation: 2 },
  { distribution: 'lognormal', median: 2, sigma: 0.5 },
  { distribution: 'uniform', min: 1, max: 2 },
  { distribution: 'triangular', min: 1, mode: 2, max: 2 },
  { distribution: 'pert', min: 0, mode: 0, max: 4, weight: 100 },
  { distribution: 'beta', alpha: 0.1, beta: 0.1 },
  { distribution: 'beta', alpha: 1000, beta: 0.1 },
  { distribution: 'beta', alpha: 1000, beta: 1000 },
]

function quantiles(distribution: Distribution, chances: readonly number[]): number[] {
  return [...transform(distribution, Float64Array.from(chances, inverseNormal))]
}

function transform(distribution: Distribution, scores: Float64Array, range = anything): Float64Array {
  const values = new Float64Array(scores.length + 2)
  applyTransform(planTransform(distribution, range), scores, 0, scores.length, values, 1)
  expect([values[0], values.at(-1)]).toEqual([0, 0])
  return values.slice(1, -1)
}

function invert(density: (x: number) => number, low: number, high: number, chance: number): number {
  const total = integral(density, low, high)
  let [left, right] = [low, high]
  for (let round = 0; round < 40; round++) {
    const middle = (left + right) / 2
    if (integral(density, low, middle) < chance * total) left = middle
    else right = middle
  }
  return left
}

function integral(density: (x: number) => number, low: number, high: number): number {
  const panels = 400
  const width = (high - low) / panels
  let sum = 0
  for (let panel = 0; panel < panels; panel++) {
    const x = low + panel * width
    sum += density(x) + 4 * density(x + width / 2) + density(x + width)
  }
  return (sum * width) / 6
}
