import { normalCdf } from './normal-cdf.ts'

// mpmath 1.3, ncdf with 30 digits
test.each([
  [-8, 6.2209605742717841e-16],
  [-5, 2.8665157187919391e-7],
  [-2.3263478740408408, 0.010000000000000009],
  [-1, 0.15865525393145705],
  [-0.5, 0.3085375387259869],
  [0, 0.5],
  [0.3, 0.61791142218895263],
  [1, 0.84134474606854295],
  [2, 0.97724986805182079],
  [4, 0.99996832875816688],
])('the normal distribution function at %p is %p', (z, expected) => {
  expect(Math.abs(normalCdf(z) - expected)).toBeLessThan(1e-15)
})

test('it ends at 0 and 1', () => {
  expect([normalCdf(-40), normalCdf(40)]).toEqual([0, 1])
})
