import { inverseNormal } from './normal.ts'

describe('the normal quantile', () => {
  // AS 241 publishes 0.25, 0.001 and 1e-20; the others are of scipy.special.ndtri
  test.each([
    [0.25, -0.6744897501960817],
    [0.001, -3.090232306167813],
    [1e-20, -9.262340089798408],
    [1.1641532182693481e-10, -6.337957754553788],
    [0.074, -1.446632067158978],
    [0.076, -1.4325027208258114],
    [0.5, 0],
    [0.975, 1.9599639845400536],
    [0.999999, 4.753424308817089],
  ])('of %p is %p', (p, z) => {
    expect(Math.abs(inverseNormal(p) - z)).toBeLessThanOrEqual(2e-15 * Math.max(1, Math.abs(z)))
  })

  test('is antisymmetric and increasing, also where the approximations meet', () => {
    const places = Array.from({ length: 4095 }, (_, index) => (index + 1) / 4096)
    const z = places.map(inverseNormal)
    for (const [index, value] of z.entries()) {
      expect(value).toBe(0 - (z[4094 - index] ?? NaN))
      if (index > 0) expect(value).toBeGreaterThan(z[index - 1] ?? NaN)
    }
    const close = [0.07499999, 0.075, 0.07500001, Math.exp(-25.0000001), Math.exp(-24.9999999)].map(
      inverseNormal,
    )
    expect(close[0]).toBeLessThan(close[1] ?? NaN)
    expect(close[1]).toBeLessThan(close[2] ?? NaN)
    expect(close[3]).toBeLessThan(close[4] ?? NaN)
  })
})
