import fc from 'fast-check'
import { roundTo } from './rounding.ts'

describe('roundTo', () => {
  test.each([
    [0.125, 2, 0.13],
    [-0.125, 2, -0.13],
    [0.375, 2, 0.38],
    [2.5, 0, 3],
    [-2.5, 0, -3],
    // 1.005 and 8.345 lie just below and just above what their names say
    [1.005, 2, 1],
    [8.345, 2, 8.35],
    [1.45, 1, 1.4],
    [0.062156175103820877, 6, 0.062156],
    [123456789.125, 2, 123456789.13],
    [9007199254740993, 2, 9007199254740992],
    [1e21, 2, 1e21],
    [-3.7e300, 5, -3.7e300],
  ])('rounds %d to %d places as %d', (x, places, expected) => {
    expect(roundTo(x, places)).toBe(expected)
  })

  test.each([-0, -0.001, -1e-300])('never gives -0 for %d', (x) => {
    expect(Object.is(roundTo(x, 2), 0)).toBe(true)
  })

  test('rounds the exact binary value, ties away from zero', () => {
    const anyDouble = fc.double({ noNaN: true, noDefaultInfinity: true })
    const amount = fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 1, max: 1e9 })).map(([a, b]) => a / b)
    const nearTie = fc
      .tuple(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), fc.integer({ min: -3, max: 3 }))
      .map(([half, ulps]) => half / 2000 + ulps * 1.2e-10)
    fc.assert(
      fc.property(fc.oneof(amount, nearTie, anyDouble), fc.integer({ min: 0, max: 6 }), (x, places) => {
        expect(roundTo(x, places)).toBe(roundExactly(x, places))
      }),
      { numRuns: 5000 },
    )
  })
})

/** x = sign * mantissa * 2^exponent in whole numbers, so that the quotient and its remainder are exact. */
function roundExactly(x: number, places: number): number {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, Math.abs(x))
  const raw = bits.getBigUint64(0)
  const biased = Number(raw >> 52n)
  const fraction = raw & 0xfffffffffffffn
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n
  const exponent = BigInt(Math.max(biased, 1) - 1075)
  const scale = BigInt(`1${'0'.repeat(places)}`)
  const numerator = mantissa * scale * (exponent > 0n ? 1n << exponent : 1n)
  const denominator = exponent < 0n ? 1n << -exponent : 1n
  const whole = (2n * numerator + denominator) / (2n * denominator)
  const digits = whole.toString().padStart(places + 1, '0')
  const point = digits.length - places
  const rounded = Number(`${digits.slice(0, point)}.${digits.slice(point)}`)
  return x < 0 && rounded > 0 ? -rounded : rounded
}
