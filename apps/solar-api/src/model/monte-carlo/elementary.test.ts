import { exp, log, log1p } from './elementary.ts'

const places = Array.from({ length: 4001 }, (_, index) => (index - 2000) / 2.9)

describe('elementary functions', () => {
  test('agree with those of the platform to a few units in the last place', () => {
    for (const x of places) {
      expect(exp(x)).toEqual(near(Math.exp(x)))
      expect(exp(x / 1e4)).toEqual(near(Math.exp(x / 1e4)))
      expect(log(Math.exp(x))).toEqual(near(Math.log(Math.exp(x))))
      expect(log(1 + Math.abs(x) / 1e4)).toEqual(near(Math.log(1 + Math.abs(x) / 1e4)))
      expect(log1p(x / 700)).toEqual(near(Math.log1p(x / 700)))
      expect(log1p(x * 1e-12)).toEqual(near(Math.log1p(x * 1e-12)))
    }
  })

  test('know their limits', () => {
    expect([exp(-Infinity), exp(-800), exp(0), exp(710), exp(Infinity)]).toEqual([
      0,
      0,
      1,
      Infinity,
      Infinity,
    ])
    expect([log(0), log(1), log(5e-324), log(Infinity)]).toEqual([
      -Infinity,
      0,
      near(-744.4400719213812),
      Infinity,
    ])
    expect([log1p(-1), log1p(0), log1p(1e-300)]).toEqual([-Infinity, 0, 1e-300])
    for (const value of [exp(NaN), log(NaN), log(-1), log1p(NaN), log1p(-2)]) expect(value).toBeNaN()
  })
})

function near(value: number): unknown {
  return {
    asymmetricMatch: (actual: unknown) =>
      typeof actual === 'number' &&
      (actual === value || Math.abs(actual - value) <= 1e-15 * Math.abs(value) || Math.abs(value) < 1e-307),
    toString: () => `near ${value}`,
    toAsymmetricMatcher: () => `near ${value}`,
  }
}
