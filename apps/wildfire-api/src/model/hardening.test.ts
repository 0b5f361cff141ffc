import { anyHome, jackson, jacksonHome, placer, placerHome } from '../../test/homes.ts'
import { calculateHardening } from './hardening.ts'
import { resolveHazard, type CountyHazard } from './hazard.ts'
import type { HardeningInput } from './input.ts'
import { measureIds, type MeasureId } from './measures.ts'

// The expected numbers come from an independent reference implementation of the model (two homes, 30 years, 3.1 %).

describe('a partly hardened home in Placer County', () => {
  const result = calculate(placerHome, placer)

  test('is as likely to be lost as it was worked out', () => {
    expect(result.hazard.p).toBeCloseTo(0.006097, 6)
    expect(result.baseline.destructionProbability).toBeCloseTo(0.338889, 6)
    expect(result.baseline.expectedAnnualLoss).toBeCloseTo(2107.643669, 5)
    expect(result.baseline.valueAtRisk).toBe(1_020_000)
  })

  test('gains from vents alone', () => {
    expect(alone(result, 'ember_vents')).toMatchObject({
      upfrontCost: 1625,
      avoidedAnnualLoss: near(209.884203),
      pvCost: near(2382.507144),
      societal: { npv: near(1678.644755), bcr: near(1.704571), paybackYears: near(7.742364) },
      household: { premiumSaving: near(24) },
    })
  })

  test('loses on a zone 0, and never gets the outer defensible space back', () => {
    expect(alone(result, 'zone0').societal).toMatchObject({ npv: near(-5055.589426), bcr: near(0.493452) })
    expect(alone(result, 'defensible_30_100').societal).toMatchObject({
      npv: near(-11596.79147),
      paybackYears: null,
    })
  })

  test('does best with vents and a fence break', () => {
    const { measures, central, sensitivity } = result.bestBundle
    expect(measures).toEqual(['ember_vents', 'fence_break'])
    expect(central).toMatchObject({ upfrontCost: 2265, societal: { npv: near(1730.003687) } })
    expect(sensitivity).toMatchObject({ discountRate: 0.07 })
    expect(sensitivity.npv).toBeLessThan(1730)
  })

  test('loses on all measures together, and the household more so', () => {
    expect(result.allMeasures.central).toMatchObject({
      upfrontCost: near(53681.579238),
      pvCost: near(78444.858636),
      riskReduction: near(0.405136),
      societal: { npv: near(-61922.678941), bcr: near(0.210622) },
      household: {
        annualBenefit: near(307.797804),
        premiumSaving: near(132.835708),
        npv: near(-72489.128665),
      },
    })
  })
})

describe('a home with a wooden roof in Jackson County', () => {
  const result = calculate(jacksonHome, jackson)

  test('gains from a roof', () => {
    expect(result.baseline.destructionProbability).toBeCloseTo(0.490938, 6)
    expect(alone(result, 'roof_class_a').societal).toMatchObject({
      annualBenefit: near(1044.964228),
      npv: near(5419.022967),
      paybackYears: near(14.163643),
    })
  })

  test.each([
    [5000, 10730.711151, 4240, ['ember_vents', 'underdeck_clear', 'fence_break', 'outbuildings_30ft']],
    [10_000, 14581.690801, 7366.933327, ['ember_vents', 'enclosed_eaves', 'fence_break']],
    [undefined, 14581.690801, 7366.933327, ['ember_vents', 'enclosed_eaves', 'fence_break']],
  ])('finds the best bundle for %p USD', (budget, npv, upfrontCost, measures) => {
    const { bestBundle } = calculate({ ...jacksonHome, budget }, jackson)
    expect(bestBundle.measures).toEqual(measures)
    expect(bestBundle.central).toMatchObject({ upfrontCost: near(upfrontCost), societal: { npv: near(npv) } })
  })

  test('has no premium saving outside California', () => {
    expect(result.allMeasures.central.household.premiumSaving).toBe(0)
  })

  test('has one when its insurer gives one', () => {
    const { measures } = calculate({ ...jacksonHome, premiumDiscounts: { zone0: 0.05 } }, jackson)
    const saving = (id: MeasureId) => measures.find((row) => row.id === id)?.alone?.central.household
    expect(saving('zone0')?.premiumSaving).toBeCloseTo(120, 9)
    expect(saving('ember_vents')?.premiumSaving).toBe(0)
  })

  test('gives the outer defensible space no value alone, because the inner one is missing', () => {
    const row = result.measures.find(({ id }) => id === 'defensible_30_100')
    expect(row).toMatchObject({ alone: null, requires: ['defensible_5_30'], upfrontCost: 3500 })
    expect(row?.marginal).toMatchObject({ rank: 14, npv: near(-12407.694578) })
  })
})

describe('measures that are not calculated', () => {
  test('are there already or have nothing to work on', () => {
    const { measures, notConsidered } = calculate(
      { ...anyHome, deckSqft: 0, existingMeasures: ['zone0', 'ember_vents'] },
      placer,
    )
    expect(notConsidered).toEqual([
      { id: 'ember_vents', reason: 'already_in_place' },
      { id: 'deck_noncombustible', reason: 'nothing_to_harden' },
      { id: 'underdeck_clear', reason: 'nothing_to_harden' },
      { id: 'zone0', reason: 'already_in_place' },
    ])
    expect(measures).toHaveLength(11)
  })

  test('lower the risk when the part is missing, as if the measure were in place', () => {
    const chance = (deckSqft: number, existingMeasures: MeasureId[]) =>
      calculate({ ...anyHome, deckSqft, existingMeasures }, placer).baseline.destructionProbability
    expect(chance(0, [])).toBe(chance(200, ['deck_noncombustible', 'underdeck_clear']))
    expect(chance(0, [])).toBeLessThan(chance(200, []))
  })

  test('leave the others in the order of the catalogue', () => {
    const { measures } = calculate({ ...anyHome, existingMeasures: ['zone0'] }, placer)
    expect(measures.map(({ id }) => id)).toEqual(measureIds.filter((id) => id !== 'zone0'))
    expect(measures.map(({ marginal }) => marginal.rank)).not.toEqual(measures.map((_, index) => index + 1))
  })

  test('leave nothing to do when all are in place', () => {
    const result = calculate({ ...anyHome, existingMeasures: measureIds }, placer)
    expect(result).toMatchObject({ measures: [], bestBundle: { measures: [] } })
    expect(result.allMeasures.central).toMatchObject({ upfrontCost: 0, riskReduction: 0 })
  })
})

function calculate(input: HardeningInput, county: CountyHazard) {
  const hazard = resolveHazard(county, input.exposure, input.burnProbability)
  if (hazard === undefined) throw new Error('These counties have losses.')
  return calculateHardening(input, hazard)
}

function alone(result: ReturnType<typeof calculate>, id: MeasureId) {
  const row = result.measures.find((measure) => measure.id === id)
  if (row?.alone == null) throw new Error(`${id} should have values alone.`)
  return row.alone.central
}

/** Equal to 1e-6 of the value; the reference has six digits after the point. */
function near(value: number): unknown {
  return {
    asymmetricMatch: (x: unknown) =>
      typeof x === 'number' && Math.abs(x - value) <= 1e-6 * Math.abs(value) + 6e-7,
    toString: () => `near ${value}`,
  }
}
