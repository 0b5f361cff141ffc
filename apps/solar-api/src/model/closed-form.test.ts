import {
  streamsOf,
  unleveredNpv,
  valueOfIncentive,
  valueOfMaintenance,
  valueOfProduction,
  valueOfReplacements,
  valueOfSavings,
  valuePerDollarBorrowed,
} from './closed-form.ts'
import type { Streams } from './closed-form.ts'
import { loanDefaults, solarDefaults } from './input.ts'
import { designSystem } from './system.ts'

const input = {
  ...solarDefaults,
  annualProductionPerKW: 1400,
  annualConsumptionKWh: 10800,
  utilityRate: 0.17,
}
const home = streamsOf(input, designSystem(input))

// 2,000 kWh halving each year against 1,000 kWh that stay: capped in year 1 only
const shrinking: Streams = {
  ...home,
  years: 4,
  productionKWh: 2000,
  degradationRate: 0.5,
  consumptionKWh: 1000,
  utilityRate: 1,
  rateEscalation: 0,
  exportRate: 0.5,
  exportEscalation: 1,
}

describe('the closed forms', () => {
  test('give the net present value of the year loop', () => {
    // 60-digit decimal year loop: 542.679754656196
    expect(unleveredNpv(home, 0.06)).toBeCloseTo(542.679754656196, 8)
    expect(unleveredNpv(home, 0)).toBeCloseTo(27068.823001006308, 8)
  })

  test('give the lifetime sums at no discount', () => {
    expect(valueOfSavings(home, 1)).toBeCloseTo(58713.84933663162, 7)
    expect(valueOfMaintenance(home, 1) + valueOfReplacements(home, 1)).toBeCloseTo(7345.026335625308, 8)
    expect(valueOfProduction(home, 1)).toBeCloseTo(254404.2752305891, 6)
  })

  test('export the surplus while production is above consumption', () => {
    // years: 1000 + 1000 * 0.5; then 1000; 500; 250
    expect(valueOfSavings(shrinking, 1)).toBe(1500 + 1000 + 500 + 250)
  })

  test('export the surplus once production is above consumption', () => {
    const growing = { ...shrinking, productionKWh: 500, degradationRate: -1 }
    // production 500, 1000, 2000, 4000; export rate 0.5, 1, 2, 4
    expect(valueOfSavings(growing, 1)).toBe(500 + 1000 + (1000 + 1000 * 2) + (1000 + 3000 * 4))
  })

  test('export everything without consumption', () => {
    expect(valueOfSavings({ ...shrinking, consumptionKWh: 0, exportEscalation: 0 }, 1)).toBe(1875)
  })

  test('export what self-consumption leaves', () => {
    const half = { ...shrinking, selfConsumptionFraction: 0.25, exportEscalation: 0 }
    expect(valueOfSavings(half, 1)).toBe(3750 * (0.25 + 0.75 * 0.5))
  })

  test('pay the incentive for its years, at most to the end', () => {
    const paid = { ...shrinking, incentivePerKWh: 1 }
    expect(valueOfIncentive({ ...paid, incentiveYears: 2 }, 1)).toBe(3000)
    expect(valueOfIncentive({ ...paid, incentiveYears: 30 }, 1)).toBe(3750)
    expect(valueOfIncentive({ ...paid, incentiveYears: 0 }, 1)).toBe(0)
  })

  test('leave out replacements beyond the end', () => {
    const streams = streamsOf(
      { ...input, inverterReplacementYears: [2, 26], omEscalation: 1 },
      designSystem({ ...input, systemSizeKW: 1 }),
    )
    expect(valueOfReplacements(streams, 1)).toBe(400)
  })

  test('value a loan at its own rate at nothing, whatever it is and whenever it ends', () => {
    const loan = { ...loanDefaults, apr: 0.08, paymentsPerYear: 1 }
    expect(valuePerDollarBorrowed(loan, 25, 0.08)).toBeCloseTo(0, 14)
    expect(valuePerDollarBorrowed({ ...loan, termYears: 40 }, 25, 0.08)).toBeCloseTo(0, 14)
    expect(valuePerDollarBorrowed(loan, 25, 0.05)).toBeLessThan(0)
  })

  test('value a dealer fee at its share of the principal and a tax deduction at its share of the interest', () => {
    const loan = { ...loanDefaults, apr: 0.08, paymentsPerYear: 1 }
    expect(valuePerDollarBorrowed({ ...loan, feeRate: 0.2 }, 25, 0.08)).toBeCloseTo(-0.25, 13)
    // one year: interest of 0.08 at the end of it, of which a quarter comes back
    const deducted = { ...loan, termYears: 1, interestTaxRate: 0.25 }
    expect(valuePerDollarBorrowed(deducted, 25, 0.08)).toBeCloseTo(0.02 / 1.08, 14)
  })
})
