import { anyHome, jackson, jacksonHome, placer, placerHome } from '../../test/homes.ts'
import { calculateHardening } from './hardening.ts'
import { resolveHazard, type CountyHazard, type CountyLosses } from './hazard.ts'
import type { HardeningInput } from './input.ts'
import { measureIds } from './measures.ts'
import { limits } from './warnings.ts'

describe('the verdict', () => {
  test('is plain where nothing pays back', () => {
    const { verdict, bestBundle } = calculate({ ...anyHome, burnProbability: 0.0001 }, placer)
    expect(verdict.code).toBe('nothing_pays_back')
    expect(verdict.message).toMatch(/^Nothing here pays back: within 30 years, no measure/)
    expect(bestBundle.measures).toEqual([])
  })

  test('names the bundle, the doubt and the household where only central assumptions carry it', () => {
    expect(calculate(placerHome, placer).verdict).toEqual({
      code: 'may_pay_back',
      message:
        'The best choice costs $2,265 and, within 30 years, avoids $1,730 more loss than it costs, in money of today and for everyone together: Ember-resistant vents; Noncombustible fence within 5 ft of the house. With pessimistic assumptions it would cost $5,140 more than it avoids. The household itself, which pays for the work but has most of its losses insured, is left $1,583 short.',
    })
  })

  test('is sure where pessimistic assumptions carry it as well', () => {
    const { verdict } = calculate({ ...jacksonHome, burnProbability: 0.2, uninsuredShare: 1 }, jackson)
    expect(verdict.code).toBe('pays_back')
    expect(verdict.message).toContain('even with pessimistic assumptions')
    expect(verdict.message).toMatch(/The household itself gains \$\d{1,3}(,\d{3})+,/)
  })

  test('blames the budget only where more money would help', () => {
    const poor = calculate({ ...placerHome, budget: 500 }, placer)
    expect(poor.verdict).toMatchObject({ code: 'budget_too_small' })
    expect(poor.verdict.message).toContain('the budget of $500')
    expect(poor.verdict.message).toContain('costs $2,265: Ember-resistant vents')
    const safe = calculate({ ...placerHome, budget: 500, burnProbability: 0 }, placer)
    expect(safe.verdict.code).toBe('nothing_pays_back')
  })

  test('says when there is nothing left to add', () => {
    const { verdict } = calculate({ ...anyHome, existingMeasures: measureIds }, placer)
    expect(verdict.code).toBe('nothing_left')
  })

  test('speaks of one year, not of 1 years', () => {
    const { verdict } = calculate({ ...anyHome, horizonYears: 1 }, placer)
    expect(verdict.message).toContain('within 1 year,')
  })
})

describe('warnings', () => {
  const unknown: CountyHazard = { state: 'FL', nri: null, burnProbabilityRank: 0.9 }

  test.each<[string[], Partial<HardeningInput>, CountyHazard]>([
    [[], { annualPremium: 3000 }, placer],
    [['NO_PREMIUM'], {}, placer],
    [['BURN_PROBABILITY_ESTIMATED', 'DESTRUCTION_PROBABILITY_ASSUMED', 'NO_PREMIUM'], {}, unknown],
    [['DESTRUCTION_PROBABILITY_ASSUMED', 'NO_PREMIUM'], { burnProbability: 0.01 }, unknown],
    [
      [
        'BURN_PROBABILITY_ESTIMATED',
        'DESTRUCTION_PROBABILITY_ASSUMED',
        'AVERAGE_EXPOSURE_UNKNOWN',
        'NO_PREMIUM',
      ],
      { exposure: 'average' },
      unknown,
    ],
    [['NO_KNOWN_DISCOUNT'], { annualPremium: 3000, state: 'OR' }, jackson],
    [[], { annualPremium: 3000, state: 'OR', premiumDiscounts: { zone0: 0.01 } }, jackson],
  ])('are %p for %p', (codes, changed, county) => {
    const { warnings } = calculate({ ...anyHome, ...changed }, county)
    expect(warnings.map(({ code }) => code)).toEqual(codes)
    for (const { message } of warnings) expect(message).toMatch(/^[A-Z].*\.$/)
  })
})

describe('a warning about the losses of a county', () => {
  const losses: CountyLosses = {
    ...{ expectedLoss: 2e6, exposedValue: 1e9, totalValue: 5e9, lossRatio: 0.1, burnProbability: 0.001 },
  }

  test.each<[string, CountyLosses | null, RegExp]>([
    ['is not loaded', null, /^No row of the National Risk Index is loaded/],
    ['expects none', { ...losses, expectedLoss: 0 }, /expects no wildfire loss of buildings/],
    ['has nothing exposed', { ...losses, exposedValue: 0 }, /expects no wildfire loss of buildings/],
    ['has no ratio', { ...losses, lossRatio: null }, /leaves the loss ratio, the exposure or .* blank/],
    ['contradicts itself', { ...losses, expectedLoss: 1e12 }, /do not go together/],
  ])('whose row %s says just that', (_, nri, why) => {
    const county: CountyHazard = { state: 'FL', nri, burnProbabilityRank: 0.9 }
    const { warnings } = calculate({ ...anyHome, exposure: 'average', annualPremium: 3000 }, county)
    const about = warnings.filter(({ code }) => code !== 'BURN_PROBABILITY_ESTIMATED')
    expect(about.map(({ code }) => code)).toEqual([
      'DESTRUCTION_PROBABILITY_ASSUMED',
      'AVERAGE_EXPOSURE_UNKNOWN',
    ])
    for (const { message } of about) {
      expect(message).toMatch(why)
      if (nri !== null) expect(message).not.toContain('loaded')
    }
  })
})

test('the limits are full sentences', () => {
  expect(limits.length).toBeGreaterThanOrEqual(6)
  for (const limit of limits) expect(limit).toMatch(/^[A-Z].*\.$/)
})

function calculate(input: HardeningInput, county: CountyHazard) {
  const hazard = resolveHazard(county, input.exposure, input.burnProbability)
  if (hazard === undefined) throw new Error('The hazard of this county is known.')
  return calculateHardening(input, hazard)
}
