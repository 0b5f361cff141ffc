import { streamsOf, unleveredNpv, valuePerDollarBorrowed } from '../closed-form.ts'
import { loanDefaults, solarDefaults, type SolarInput } from '../input.ts'
import { calculateSolar } from '../solar.ts'
import { designSystem } from '../system.ts'
import { evaluateValues, evaluateYear1Savings, planEconomics } from './economics.ts'
import { evaluatePayback } from './payback.ts'
import { uncertainInputs } from './uncertain-inputs.ts'

const home: SolarInput = {
  ...solarDefaults,
  annualProductionPerKW: 1400,
  annualConsumptionKWh: 10800,
  utilityRate: 0.17,
}

describe('one trial', () => {
  test.each<[string, Partial<SolarInput>]>([
    ['the defaults', {}],
    ['net billing', { selfConsumptionFraction: 0.4, exportRate: 0.07, utilityRate: 0.36 }],
    ['capped years at the start', { offsetFraction: 1.06 }],
    ['capped years throughout', { offsetFraction: 1.6, exportEscalation: 0.03 }],
    ['capped years at the end', { offsetFraction: 0.99, degradationRate: 0.01, consumptionGrowth: -0.03 }],
    ['a production that grows into the cap', { offsetFraction: 0.95, degradationRate: -0.02 }],
    ['a growing consumption', { offsetFraction: 1.3, consumptionGrowth: 0.02 }],
    ['a production incentive', { productionIncentivePerKWh: 0.05, productionIncentiveYears: 7 }],
    ['an incentive beyond the horizon', { productionIncentivePerKWh: 0.05, productionIncentiveYears: 40 }],
    ['a tax credit', { taxCreditRate: 0.3 }],
    ['a capped tax credit', { taxCreditRate: 0.3, taxCreditCap: 1000 }],
    ['a credit that pays at once', { taxCreditRate: 1 }],
    ['a rebate', { rebateAmount: 5000, fixedCost: 1200 }],
    ['a loan', { loan: { ...loanDefaults, fraction: 0.8, feeRate: 0.2, interestTaxRate: 0.2 } }],
    ['a loan that outlives the horizon', { loan: { ...loanDefaults, termYears: 30 }, analysisYears: 12 }],
    ['inverters', { inverterReplacementYears: [5, 12, 25, 30], inverterCostPerKW: 900 }],
    ['no discount', { discountRate: 0 }],
    ['one year', { analysisYears: 1 }],
    ['fifty years', { analysisYears: 50 }],
    ['no utility rate', { utilityRate: 0 }],
    ['no consumption', { annualConsumptionKWh: 0, systemSizeKW: 5 }],
    ['no system', { annualConsumptionKWh: 0 }],
    ['a free system', { installedCostPerWatt: 0 }],
    ['a system that the rebate pays for', { rebateAmount: 1e6, taxCreditRate: 0.3 }],
    ['panels and a roof', { panelWatts: 430, maxSystemSizeKW: 6 }],
  ])('with %s is the deterministic calculation', (_, change) => {
    const input = { ...home, ...change }
    const { metrics, savings } = calculateSolar(input)
    const { npv, lifetime, payback, year1 } = evaluate(input)
    expect(npv).toBeCloseTo(metrics.npv, 6)
    expect(lifetime).toBeCloseTo(savings.lifetimeNetSavings, 6)
    expect(year1).toBeCloseTo(savings.year1Savings, 8)
    if (metrics.paybackYears === null) expect(payback).toBe(Infinity)
    else expect(payback).toBeCloseTo(metrics.paybackYears, 9)
  })

  test('is the closed form of the model for inputs drawn at random', () => {
    let state = 1
    const random = (low: number, high: number): number => {
      state = Math.imul(state, 1664525) + 1013904223
      return low + ((high - low) * (state >>> 0)) / 4294967296
    }
    for (let round = 0; round < 300; round++) {
      const loan = { ...loanDefaults, fraction: random(0, 1), apr: random(0, 0.1), termYears: 15 }
      const input: SolarInput = {
        ...home,
        offsetFraction: random(0.3, 2),
        degradationRate: random(-0.05, 0.1),
        consumptionGrowth: random(-0.05, 0.05),
        rateEscalation: random(-0.1, 0.1),
        selfConsumptionFraction: random(0, 1),
        exportEscalation: random(-0.1, 0.1),
        discountRate: random(-0.1, 0.2),
        analysisYears: Math.floor(random(1, 51)),
        loan,
      }
      const design = designSystem(input)
      const borrowed = valuePerDollarBorrowed(loan, input.analysisYears, input.discountRate)
      const expected =
        unleveredNpv(streamsOf(input, design), input.discountRate) +
        design.upfrontCost * loan.fraction * borrowed
      expect(Math.abs(evaluate(input).npv - expected)).toBeLessThan(1e-9 * (1e4 + Math.abs(expected)))
    }
  })

  test('touches only its own places', () => {
    const columns = columnsFor(home, 3)
    const out = new Float64Array(7).fill(-1)
    evaluatePayback(planEconomics(home), columns, 3, out, 2)
    expect([...out].map((value) => value === -1)).toEqual([true, true, false, false, false, true, true])
  })
})

function evaluate(input: SolarInput): { npv: number; lifetime: number; payback: number; year1: number } {
  const economics = planEconomics(input)
  const columns = columnsFor(input, 1)
  const [npv, lifetime, payback, year1] = [1, 1, 1, 1].map(() => new Float64Array(1))
  if (!npv || !lifetime || !payback || !year1) throw new Error('There are four.')
  evaluateValues(economics, columns, 1, npv, lifetime, 0)
  evaluatePayback(economics, columns, 1, payback, 0)
  evaluateYear1Savings(economics, columns, 1, year1, 0)
  return {
    npv: npv[0] ?? NaN,
    lifetime: lifetime[0] ?? NaN,
    payback: payback[0] ?? NaN,
    year1: year1[0] ?? NaN,
  }
}

function columnsFor(input: SolarInput, trials: number): { values: Float64Array; stride: number } {
  const rows = uncertainInputs.map(({ field }) => new Array<number>(trials).fill(input[field]))
  return { values: Float64Array.from(rows.flat()), stride: trials }
}
