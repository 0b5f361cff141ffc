import fc from 'fast-check'
import { numbersIn, real, validHazard, validHome } from '../../test/homes.ts'
import { slowModel } from '../../test/slow-model.ts'
import { calculateHardening } from './hardening.ts'
import { caseNames, measureIds } from './measures.ts'
import { roundResult } from './rounding.ts'
import { evaluate, idsOf, openScenario, wholeSet } from './scenario.ts'

const anyCase = fc.constantFrom(...caseNames)
const anySet = fc.nat(2 ** measureIds.length - 1)

describe('for every valid home and hazard', () => {
  test('a set of measures is worth what the slow model says', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), anyCase, anySet, (input, hazard, name, any) => {
        const scenario = openScenario(input, hazard, name)
        const set = any & wholeSet(scenario)
        const slow = slowModel(input, hazard, name)
        const { societal, pvCost } = evaluate(scenario, set)
        const expected = slow.npv(slow.missing.filter(({ id }) => idsOf(scenario, set).includes(id)))
        const scale = 1 + pvCost + scenario.p * scenario.value * scenario.annuity
        expect(Math.abs(societal.npv - expected)).toBeLessThanOrEqual(1e-11 * scale)
        expect(Math.abs(scenario.startProbability - slow.before)).toBeLessThanOrEqual(1e-12)
      }),
      { numRuns: 500 },
    )
  })

  test('every number is finite, and never -0 once rounded', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), (input, hazard) => {
        const rounded = numbersIn(roundResult(calculateHardening(input, hazard)))
        expect(rounded.filter((x) => !Number.isFinite(x) || Object.is(x, -0))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test('fire destroys with a probability between 0 and 1, and no measure raises it', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), anyCase, anySet, (input, hazard, name, any) => {
        const scenario = openScenario(input, hazard, name)
        const set = any & wholeSet(scenario)
        const { destructionProbability: with_, avoidedAnnualLoss } = evaluate(scenario, set)
        expect(with_).toBeGreaterThan(0)
        expect(scenario.startProbability).toBeLessThan(1)
        expect(avoidedAnnualLoss).toBeGreaterThanOrEqual(0)
        for (const index of scenario.options.keys()) {
          expect(evaluate(scenario, set | (1 << index)).destructionProbability).toBeLessThanOrEqual(with_)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('the empty bundle costs and brings nothing', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), anyCase, (input, hazard, name) => {
        expect(evaluate(openScenario(input, hazard, name), 0)).toMatchObject({
          ...{ upfrontCost: 0, pvCost: 0, avoidedAnnualLoss: 0, riskReduction: 0 },
          societal: { npv: 0, bcr: null, paybackYears: null },
          household: { npv: 0, premiumSaving: 0, ownAvoidedLoss: 0 },
        })
      }),
    )
  })

  test('the value is linear in the value at risk', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), anySet, real(1, 20), (input, hazard, any, factor) => {
        const one = openScenario(input, hazard, 'central')
        const other = openScenario(
          { ...input, replacementCost: input.replacementCost * factor },
          hazard,
          'central',
        )
        const set = any & wholeSet(one)
        const benefit = (scenario: typeof one) => {
          const { societal, pvCost } = evaluate(scenario, set)
          return societal.npv + pvCost
        }
        const [small, large] = [benefit(one), benefit(other)]
        const slack = 1e-9 * (1 + large + evaluate(one, set).pvCost)
        expect(Math.abs(large - small * factor)).toBeLessThanOrEqual(slack)
      }),
      { numRuns: 300 },
    )
  })

  test('a higher discount rate lowers the present benefit, a longer horizon raises it', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), anySet, real(0, 0.15), (input, hazard, any, rate) => {
        const benefit = (changed: Partial<typeof input>) => {
          const scenario = openScenario({ ...input, ...changed }, hazard, 'central')
          return evaluate(scenario, any & wholeSet(scenario)).societal.pvBenefit
        }
        const [low, high] = [Math.min(rate, input.discountRate), Math.max(rate, input.discountRate)]
        // Different rates may differ by less than what rounding does to an annuity.
        const [atLow, atHigh] = [benefit({ discountRate: low }), benefit({ discountRate: high })]
        expect(atHigh).toBeLessThanOrEqual(atLow * (1 + 1e-13))
        expect(benefit({ horizonYears: 50 })).toBeGreaterThanOrEqual(benefit({}))
      }),
      { numRuns: 300 },
    )
  })

  test('the order in which measures are named changes nothing', () => {
    const shuffled = validHome().chain((input) =>
      fc.tuple(
        fc.constant(input),
        fc.shuffledSubarray([...input.existingMeasures], { minLength: input.existingMeasures.length }),
      ),
    )
    fc.assert(
      fc.property(shuffled, validHazard(), ([input, existingMeasures], hazard) => {
        expect(calculateHardening({ ...input, existingMeasures }, hazard)).toEqual(
          calculateHardening(input, hazard),
        )
      }),
      { numRuns: 40 },
    )
  })

  test('the household never avoids more loss than there is, nor a premium beyond a fifth', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), anyCase, anySet, (input, hazard, name, any) => {
        const scenario = openScenario(input, hazard, name)
        const { household, avoidedAnnualLoss } = evaluate(scenario, any & wholeSet(scenario))
        expect(household.ownAvoidedLoss).toBeLessThanOrEqual(avoidedAnnualLoss * (1 + 1e-12))
        expect(household.ownAvoidedLoss).toBeGreaterThanOrEqual(0)
        expect(household.premiumSaving).toBeLessThanOrEqual(0.2 * input.annualPremium)
        expect(household.premiumSaving).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 300 },
    )
  })

  test('optimistic assumptions are kinder to a measure than central ones, and those than pessimistic ones', () => {
    fc.assert(
      fc.property(validHome(), validHazard(), (input, hazard) => {
        // From a home as good as none: what is in place works better with optimistic assumptions, too.
        const bare = { ...input, existingMeasures: [] }
        const usual = { ...hazard, d0: 0.3, p: Math.min(hazard.p, 0.05) }
        for (const row of calculateHardening(bare, usual).measures) {
          if (row.alone === null) continue
          const { optimistic, central, pessimistic } = row.alone
          expect(optimistic.societal.npv).toBeGreaterThanOrEqual(central.societal.npv)
          expect(central.societal.npv).toBeGreaterThanOrEqual(pessimistic.societal.npv)
        }
      }),
      { numRuns: 30 },
    )
  })
})
