import { formatSeed, parseSeed, seedOf } from './seed.ts'

describe('a seed', () => {
  test.each([
    [0, { low: 0, high: 0 }],
    [42, { low: 42, high: 0 }],
    [Number.MAX_SAFE_INTEGER, { low: 0xffffffff, high: 0x1fffff }],
    ['18446744073709551615', { low: 0xffffffff, high: 0xffffffff }],
    ['4294967296', { low: 0, high: 1 }],
  ])('%p is a key and is written as it was', (seed, key) => {
    expect(parseSeed(seed)).toEqual(key)
    expect(formatSeed(key)).toBe(String(seed))
  })

  test.each([-1, 1.5, NaN, 2 ** 53, '', '-1', '1e3', '007', '0x10', ' 1', '18446744073709551616'])(
    'is not %p',
    (seed) => {
      expect(parseSeed(seed)).toBeUndefined()
    },
  )

  test('of a request is the first 8 bytes of the SHA-256 of its ordered JSON', () => {
    // printf '{"a":[1,{"b":2,"c":3}],"d":"x"}' | sha256sum
    const key = seedOf({ d: 'x', a: [1, { c: 3, b: 2 }] })
    expect(key).toEqual(seedOf({ a: [1, { b: 2, c: 3 }], d: 'x' }))
    expect(((BigInt(key.high) << 32n) | BigInt(key.low)).toString(16).padStart(16, '0')).toBe(
      '0d3f0063d40a842e',
    )
    expect(key).not.toEqual(seedOf({ a: [1, { b: 3, c: 2 }], d: 'x' }))
  })
})
