import { philox } from './philox.ts'

describe('Philox4x32-10', () => {
  // kat_vectors of Random123 1.14: counter, key, result
  test.each([
    [[0, 0, 0, 0], [0, 0], '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
    [
      [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      '408f276d 41c83b0e a20bc7c6 6d5451fd',
    ],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      'd16cfe09 94fdcceb 5001e420 24126ea1',
    ],
  ])(
    'gives the published words for counter %p',
    ([c0 = 0, c1 = 0, c2 = 0, c3 = 0], [low = 0, high = 0], words) => {
      const out = new Uint32Array(6)
      philox({ low, high }, c0, c1, c2, c3, out, 1)
      expect([...out.subarray(1, 5)].map((word) => word.toString(16).padStart(8, '0')).join(' ')).toBe(words)
      expect([out[0], out[5]]).toEqual([0, 0])
    },
  )
})
