import fc from 'fast-check'
import { internalRateOfReturn } from './irr.ts'
import { npv } from './measures.ts'

describe('internalRateOfReturn', () => {
  test.each([
    [[-100, 110], 0.1],
    [[-100, 60, 72], 0.2],
    [[-100, 50], -0.5],
    [[-100, 2], -0.98],
    [[-100, 1090], 9.9],
    [[100, -110], 0.1],
    [[-4, 0, 9], 0.5],
  ])('of %j is %d', (flows, expected) => {
    const { irr, irrStatus } = internalRateOfReturn(flows, 0.06)
    expect(irrStatus).toBe('ok')
    expect(irr).toBeCloseTo(expected, 11)
  })

  test.each([-0.98, -0.5, 0, 0.06, 1])('does not depend on the guess %d', (guess) => {
    const { irr } = internalRateOfReturn([-24300, ...Array<number>(25).fill(1900)], guess)
    expect(npv([-24300, ...Array<number>(25).fill(1900)], irr ?? NaN)).toBeCloseTo(0, 8)
  })

  test.each([[[]], [[0, 0]], [[-1, -2]], [[0, 5, 5]], [[-100, 0, 0]]])(
    'of %j is null for want of a change of sign',
    (flows) => {
      expect(internalRateOfReturn(flows, 0.06)).toEqual({ irr: null, irrStatus: 'no_sign_change' })
    },
  )

  test.each([[[-100, 0.5]], [[-100, 1200]], [[10, -15, 10]]])(
    'of %j is null for want of a rate between -99 %% and 1,000 %%',
    (flows) => {
      expect(internalRateOfReturn(flows, 0.06)).toEqual({ irr: null, irrStatus: 'no_root' })
    },
  )

  test('is null where two rates fit', () => {
    // worth nothing at 10 % and at 20 %
    expect(internalRateOfReturn([-100, 230, -132], 0.06)).toEqual({ irr: null, irrStatus: 'multiple' })
  })

  test('is found where the flows change sign twice but only one rate is in range', () => {
    // (1 - 1.1 q)(1 - 20 q) with q = 1 / (1 + rate): 10 % and 1,900 %
    const { irr, irrStatus } = internalRateOfReturn([-1, 21.1, -22], 0.06)
    expect(irrStatus).toBe('ok')
    expect(irr).toBeCloseTo(0.1, 12)
  })

  test('makes the flows of any investment worth nothing', () => {
    const gains = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), gains, (cost, years) => {
        const { irr } = internalRateOfReturn([-cost, ...years], 0.06)
        if (irr === null) return
        const worth = npv([0, ...years], irr)
        expect(Math.abs(worth / cost - 1)).toBeLessThan(1e-10)
      }),
    )
  })
})
