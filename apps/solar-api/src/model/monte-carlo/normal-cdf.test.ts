import { normalCdf } from './normal-cdf.ts'
import { inverseNormal } from './normal.ts'

describe('the normal distribution function', () => {
  // scipy.special.ndtr 1.17
  test.each([
    [-8, 6.22096057427174e-16],
    [-5.7, 5.99037140106353e-9],
    [-3, 0.0013498980316300933],
    [-1, 0.15865525393145707],
    [-0.5, 0.3085375387259869],
    [0, 0.5],
    [0.3, 0.6179114221889527],
    [2, 0.9772498680518208],
  ])('at %p is %p', (z, p) => {
    expect(Math.abs(normalCdf(z) / p - 1)).toBeLessThan(1e-14)
  })

  test('undoes the quantile', () => {
    for (const p of [1e-15, 1e-9, 1e-3, 0.2, 0.4, 0.6, 0.999]) {
      expect(Math.abs(normalCdf(inverseNormal(p)) / p - 1)).toBeLessThan(1e-13)
    }
  })
})
