import { inverseIncompleteBeta, logBeta, logGamma, logIncompleteBeta } from './incomplete-beta.ts'

describe('logGamma()', () => {
  // scipy.special.gammaln 1.17
  test.each([
    [0.1, 2.252712651734206],
    [2.5, 0.2846828704729192],
    [14.5, 23.86276584168909],
    [100, 359.1342053695754],
    [1000.5, 5908.674175848678],
  ])('of %p is %p', (x, value) => {
    expect(Math.abs(logGamma(x) / value - 1)).toBeLessThan(5e-14)
  })
})

describe('the regularised incomplete beta function', () => {
  // scipy.special.betainc 1.17
  test.each([
    [2, 3, 0.25, 0.26171875],
    [0.5, 0.5, 0.1, 0.20483276469913345],
    [50, 20, 0.6, 0.021479401354675253],
    [0.1, 1000, 1e-4, 0.8275215358137913],
  ])('of a = %p, b = %p at %p is %p', (a, b, x, value) => {
    const logit = Math.log(x / (1 - x))
    expect(Math.abs(Math.exp(logIncompleteBeta(logit, a, b, logBeta(a, b))) / value - 1)).toBeLessThan(1e-12)
  })

  test('is that of whole numbers where binomial sums give it', () => {
    // I_x(1, b) = 1 - (1 - x)^b and I_x(a, 1) = x^a
    const logit = Math.log(0.3 / 0.7)
    expect(Math.exp(logIncompleteBeta(logit, 1, 4, logBeta(1, 4)))).toBeCloseTo(1 - 0.7 * 0.7 * 0.7 * 0.7, 14)
    expect(Math.exp(logIncompleteBeta(logit, 3, 1, logBeta(3, 1)))).toBeCloseTo(0.3 * 0.3 * 0.3, 14)
  })
})

describe('its inverse', () => {
  const shapes = [0.1, 0.5, 1, 2, 7.5, 60, 1000]

  test.each(shapes.flatMap((a) => shapes.map((b) => [a, b])))(
    'for a = %p, b = %p undoes it',
    (a = 0, b = 0) => {
      const logB = logBeta(a, b)
      for (const p of [1e-15, 1e-9, 1e-4, 0.03, 0.25, 0.5]) {
        const logit = inverseIncompleteBeta(Math.log(p), a, b)
        expect(Math.abs(Math.exp(logIncompleteBeta(logit, a, b, logB)) / p - 1)).toBeLessThan(1e-10)
      }
    },
  )

  test('converges from any start', () => {
    const found = [-60, -1, 0, 1, 60].map((start) =>
      inverseIncompleteBeta(Math.log(0.2), 3, 5, undefined, start),
    )
    for (const logit of found) expect(logit).toBeCloseTo(found[0] ?? NaN, 12)
  })
})
