import { jackson, jacksonHome } from '../../test/homes.ts'
import { calculateHardening } from './hardening.ts'
import { resolveHazard } from './hazard.ts'
import { roundResult, roundTo } from './rounding.ts'

test.each([
  [0.125, 2, 0.13],
  [-0.125, 2, -0.13],
  [1.005, 2, 1],
  [7366.933327, 2, 7366.93],
  [-0.001, 2, 0],
  [0.0123456789, 9, 0.012345679],
])('%p is rounded to %p places as %p', (x, places, expected) => {
  expect(Object.is(roundTo(x, places), expected)).toBe(true)
})

describe('a rounded result', () => {
  const hazard = resolveHazard(jackson, 'exposed', undefined)
  const result = hazard && calculateHardening(jacksonHome, hazard)
  const rounded = result && roundResult(result)

  test('has money in cents, ratios in four digits and probabilities in six', () => {
    expect(rounded?.bestBundle).toMatchObject({
      measures: ['ember_vents', 'enclosed_eaves', 'fence_break'],
      upfrontCost: 7366.93,
      npv: 14581.69,
      bcr: 2.7331,
      destructionProbability: 0.364358,
    })
    expect(rounded?.hazard).toEqual({ p: 0.012272828, d0: 0.3, source: 'nri_expected_loss', d0Source: 'nri' })
  })

  test('has nulls where a measure cannot be valued alone', () => {
    expect(rounded?.measures.find(({ id }) => id === 'defensible_30_100')).toMatchObject({
      ...{ upfrontCost: 3500, avoidedAnnualLoss: null, npv: null, bcr: null, paybackYears: null },
      ...{ range: null, requires: ['defensible_5_30'] },
      marginal: { rank: 14, npv: -12407.69, stop: true },
    })
  })

  test('stops where a measure adds nothing', () => {
    const ranked = rounded?.measures.toSorted((a, b) => a.marginal.rank - b.marginal.rank)
    expect(ranked?.map(({ marginal }) => marginal.stop)).toEqual(
      ranked?.map((_, index) => index > 2), // after vents, fence and eaves
    )
    expect(ranked?.[2]?.marginal.cumulative).toEqual({
      upfrontCost: 7366.93,
      npv: 14581.69,
      destructionProbability: 0.364358,
    })
  })

  test('keeps the two views apart', () => {
    expect(rounded?.societal.allMeasures).toMatchObject({ annualBenefit: 2716.58, npv: -43305.34 })
    expect(rounded?.household.allMeasures).toMatchObject({ annualBenefit: 552.19, premiumSaving: 0 })
    expect(rounded?.societal.allMeasures.range.optimistic.npv).toBeGreaterThan(-43305.34)
    expect(rounded?.household.allMeasures.range.pessimistic.npv).toBeLessThan(
      rounded?.household.allMeasures.npv ?? NaN,
    )
  })
})
