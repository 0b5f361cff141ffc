import { loanDefaults, solarDefaults } from './input.ts'
import type { SolarInput } from './input.ts'
import { roundResult } from './rounding.ts'
import { calculateSolar, solarModel } from './solar.ts'

const home: SolarInput = {
  ...solarDefaults,
  annualProductionPerKW: 1400,
  annualConsumptionKWh: 10800,
  utilityRate: 0.17,
}

function calculate(overrides: Partial<SolarInput> = {}) {
  return calculateSolar({ ...home, ...overrides })
}

function codes(overrides: Partial<SolarInput>) {
  return calculate(overrides).warnings.map((warning) => warning.code)
}

describe('calculateSolar', () => {
  test('answers three numbers with a whole result, rounded as it is served', () => {
    const { cashFlow, ...result } = roundResult(calculate())
    expect(result).toEqual({
      system: {
        systemSizeKW: 7.714,
        panelCount: null,
        year1ProductionKWh: 10800,
        year1OffsetPercent: 100,
        year1SelfConsumedKWh: 10800,
        year1ExportedKWh: 0,
        lifetimeProductionKWh: 254404.3,
      },
      costs: { grossCost: 24300, upfrontCost: 24300, taxCredit: 0, netCost: 24300 },
      savings: {
        year1BillWithoutSolar: 1836,
        year1Savings: 1836,
        year1NetSavings: 1681.71,
        monthlyAverageYear1: 153,
        lifetimeBillSavings: 58713.85,
        lifetimeOperatingCost: 7345.03,
        lifetimeNetSavings: 27068.82,
      },
      metrics: {
        npv: 542.68,
        npvUnlevered: 542.68,
        irr: 0.062156,
        irrStatus: 'ok',
        paybackYears: 13.82,
        paybackYearsFinal: 13.82,
        discountedPaybackYears: 24.13,
        lcoePerKWh: 0.21043,
        roiPercent: 111.39,
      },
      environment: { co2Year1Kg: 3758.4, co2LifetimeKg: 88532.7 },
      financing: undefined,
      warnings: [],
    })
    expect(cashFlow).toHaveLength(26)
    expect(cashFlow[13]).toMatchObject({ year: 13, inverter: 2074.97, utilityRate: 0.22863 })
  })

  test('is named, so that stored results can be told apart', () => {
    expect(solarModel).toBe('solar-v1')
  })

  test('gives nothing but zeros and nulls for a home without consumption', () => {
    const { system, metrics, costs, savings } = calculate({ annualConsumptionKWh: 0, fixedCost: 900 })
    expect(system).toMatchObject({ systemSizeKW: 0, year1ProductionKWh: 0, year1OffsetPercent: null })
    expect(Object.values({ ...costs, ...savings }).every((amount) => Object.is(amount, 0))).toBe(true)
    expect(metrics).toEqual({
      npv: 0,
      npvUnlevered: 0,
      irr: null,
      irrStatus: 'no_sign_change',
      paybackYears: null,
      paybackYearsFinal: null,
      discountedPaybackYears: null,
      lcoePerKWh: null,
      roiPercent: null,
    })
    expect(codes({ annualConsumptionKWh: 0 })).toEqual(['NO_CONSUMPTION'])
  })

  test('exports everything from a sized system without consumption', () => {
    const { system, savings } = calculate({ annualConsumptionKWh: 0, systemSizeKW: 6, exportRate: 0.05 })
    expect(system).toMatchObject({
      year1OffsetPercent: null,
      year1SelfConsumedKWh: 0,
      year1ExportedKWh: 8400,
    })
    expect(savings.year1Savings).toBeCloseTo(420, 10)
  })

  test('finds no savings where electricity is free', () => {
    const { savings, metrics } = calculate({ utilityRate: 0 })
    expect(savings.lifetimeBillSavings).toBe(0)
    expect(metrics).toMatchObject({ paybackYears: null, irr: null, irrStatus: 'no_sign_change' })
  })

  test('finds a free system paid back at once, with no return to speak of', () => {
    const { costs, metrics } = calculate({ rebateAmount: 1e6 })
    expect(costs).toMatchObject({ grossCost: 24300, upfrontCost: 0, netCost: 0 })
    expect(metrics).toMatchObject({ paybackYears: 0, discountedPaybackYears: 0, roiPercent: null, irr: null })
  })

  test('finds a free system that only costs money not paid back for good', () => {
    const { metrics } = calculate({ rebateAmount: 1e6, utilityRate: 0 })
    expect(metrics).toMatchObject({ paybackYears: 0, paybackYearsFinal: null })
  })

  test('gives no return on investment where the credit is the whole cost', () => {
    expect(calculate({ taxCreditRate: 1 }).metrics.roiPercent).toBeNull()
  })

  test('sums plainly at a discount rate of 0', () => {
    const { metrics, savings } = calculate({ discountRate: 0 })
    expect(metrics.npv).toBeCloseTo(savings.lifetimeNetSavings, 9)
    expect(metrics.discountedPaybackYears).toBeCloseTo(metrics.paybackYears ?? NaN, 12)
  })

  test('values later money above today at a negative discount rate', () => {
    expect(calculate({ discountRate: -0.02 }).metrics.npv).toBeGreaterThan(
      calculate({ discountRate: 0 }).metrics.npv,
    )
  })

  test('gives flat savings where degradation and escalation cancel', () => {
    const { cashFlow } = calculate({ degradationRate: 0.2, rateEscalation: 0.25 })
    for (const row of cashFlow.slice(1)) expect(row.savings).toBeCloseTo(1836, 8)
  })

  test('discounts each year of savings to the same value where escalation and discount cancel', () => {
    const { metrics } = calculate({
      degradationRate: 0,
      rateEscalation: 0.06,
      omCostPerKWYear: 0,
      inverterReplacementYears: [],
    })
    expect(metrics.npv).toBeCloseTo((25 * 1836) / 1.06 - 24300, 8)
  })

  test('lets prices fall', () => {
    const { cashFlow, metrics } = calculate({ rateEscalation: -0.02 })
    expect(cashFlow[2]?.utilityRate).toBeCloseTo(0.1666, 12)
    expect(metrics.npv).toBeCloseTo(-8833.9170671262, 8)
  })

  test('analyses a single year', () => {
    const { cashFlow, metrics } = calculate({ analysisYears: 1, inverterReplacementYears: [1] })
    expect(cashFlow).toHaveLength(2)
    expect(metrics.npv).toBeCloseTo((1836 - 22 * (5400 / 700) * 10) / 1.06 - 24300, 8)
    // 24,300 USD for 139 a year later: a loss of 99.4 %
    expect(metrics.irrStatus).toBe('no_root')
  })

  test('counts an inverter in the last year and ignores one after it', () => {
    const without = calculate({ inverterReplacementYears: [] }).savings.lifetimeOperatingCost
    expect(calculate({ inverterReplacementYears: [26] }).savings.lifetimeOperatingCost).toBe(without)
    expect(calculate({ inverterReplacementYears: [25] }).savings.lifetimeOperatingCost).toBeGreaterThan(
      without + 2700,
    )
  })

  test('tells the first payback from the one that lasts', () => {
    const { metrics } = calculate({ inverterReplacementYears: [14], inverterCostPerKW: 800 })
    expect(metrics.paybackYears).toBeCloseTo(12.860023159278, 10)
    expect(metrics.paybackYearsFinal).toBeGreaterThan(14)
  })

  test('counts a production incentive as income and against the cost per kWh', () => {
    const plain = calculate()
    const paid = calculate({ productionIncentivePerKWh: 0.03, productionIncentiveYears: 50 })
    expect(paid.savings.year1Savings).toBe(plain.savings.year1Savings)
    expect(paid.savings.year1NetSavings - plain.savings.year1NetSavings).toBeCloseTo(324, 9)
    expect(paid.metrics.lcoePerKWh).toBeCloseTo((plain.metrics.lcoePerKWh ?? NaN) - 0.03, 12)
  })

  test('keeps payback, cost per kWh and return free of the loan', () => {
    const cash = calculate()
    const financed = calculate({ loan: loanDefaults })
    for (const name of ['npvUnlevered', 'paybackYears', 'lcoePerKWh', 'roiPercent'] as const) {
      expect(financed.metrics[name]).toBe(cash.metrics[name])
    }
    expect(financed.metrics.npv).toBeCloseTo(-1088.193494661345, 8)
    expect(financed.financing).toEqual({
      loanPrincipal: 24300,
      loanPayment: expect.closeTo(2260.771696264638 / 12, 9),
      loanTotalInterest: expect.closeTo(20 * 2260.771696264638 - 24300, 7),
    })
  })

  test('pays off a loan that outlives the analysis', () => {
    const loan = { ...loanDefaults, apr: 0, termYears: 30 }
    const { cashFlow, metrics } = calculate({ loan })
    expect(cashFlow[24]?.debtService).toBeCloseTo(810, 9)
    expect(cashFlow[25]?.debtService).toBeCloseTo(810 + 5 * 810, 9)
    expect(metrics.npv).toBeGreaterThan(metrics.npvUnlevered)
  })

  test('finds no rate of return where a loan leaves a gain in every year', () => {
    const loan = { ...loanDefaults, apr: 0.03, termYears: 25 }
    const { metrics } = calculate({ utilityRate: 0.4, loan })
    expect(metrics).toMatchObject({ irr: null, irrStatus: 'no_sign_change' })
  })

  test('finds no rate of return where a credit comes before the debt service', () => {
    const loan = { ...loanDefaults, apr: 0.09, termYears: 12 }
    const { metrics } = calculate({ taxCreditRate: 0.3, loan })
    expect(metrics).toMatchObject({ irr: null, irrStatus: 'no_root' })
  })

  test('finds several rates of return where the last year ends in a loss', () => {
    const { metrics } = calculate({ inverterReplacementYears: [25] })
    expect(metrics).toMatchObject({ irr: null, irrStatus: 'multiple' })
  })

  test('pays for a surplus only what the export rate is', () => {
    const right = calculate()
    const over = calculate({ offsetFraction: 1.5, exportRate: 0 })
    expect(over.savings.year1Savings).toBeCloseTo(right.savings.year1Savings, 9)
    expect(over.system.year1OffsetPercent).toBe(100)
    expect(over.system.year1ExportedKWh).toBeCloseTo(5400, 8)
    const paid = calculate({ offsetFraction: 1.5, exportRate: 0.1 })
    expect(paid.savings.year1Savings).toBeCloseTo(1836 + 540, 9)
  })

  test('uses up a surplus as consumption grows and makes one as it shrinks', () => {
    const grown = calculate({ offsetFraction: 1.3, consumptionGrowth: 0.03 }).cashFlow
    expect([grown[1]?.exportedKWh, grown[25]?.exportedKWh]).toEqual([expect.closeTo(3240, 8), 0])
    const shrunk = calculate({ consumptionGrowth: -0.03 }).cashFlow
    expect(shrunk[1]?.exportedKWh).toBeCloseTo(0, 8)
    expect(shrunk[25]?.exportedKWh).toBeGreaterThan(4000)
  })

  test.each([1, 100_000_000])('scales to a consumption of %d kWh', (annualConsumptionKWh) => {
    const { metrics } = calculate({ annualConsumptionKWh })
    expect(metrics.npv / annualConsumptionKWh).toBeCloseTo(542.6797546561961 / 10800, 12)
    expect(metrics.irr).toBeCloseTo(0.062156175103820877, 12)
    expect(metrics.paybackYears).toBeCloseTo(13.823942975293651, 11)
  })

  test('refuses to analyse no year at all', () => {
    expect(() => calculate({ analysisYears: 0 })).toThrow('analysisYears must be at least 1')
  })
})
