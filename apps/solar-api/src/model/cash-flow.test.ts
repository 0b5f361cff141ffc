import { cashFlowTable } from './cash-flow.ts'
import { loanDefaults, solarDefaults } from './input.ts'
import type { SolarInput } from './input.ts'
import { planLoan } from './loan.ts'
import { designSystem } from './system.ts'

const twoKilowatts: SolarInput = {
  ...solarDefaults,
  annualProductionPerKW: 1000,
  annualConsumptionKWh: 1500,
  utilityRate: 0.2,
  systemSizeKW: 2,
  installedCostPerWatt: 1,
  rateEscalation: 0.5,
  degradationRate: 0.25,
  exportRate: 0.1,
  exportEscalation: 1,
  omCostPerKWYear: 5,
  omEscalation: 1,
  inverterCostPerKW: 25,
  inverterReplacementYears: [2],
  discountRate: 1,
  analysisYears: 3,
  emissionFactorKgPerKWh: 0.5,
  emissionDeclineRate: 0.5,
}

function table(overrides: Partial<SolarInput>) {
  const input = { ...twoKilowatts, ...overrides }
  const system = designSystem(input)
  const loan = input.loan && planLoan(input.loan, system.upfrontCost, input.analysisYears)
  return cashFlowTable({ input, system, loan })
}

function column(rows: ReturnType<typeof table>, name: keyof ReturnType<typeof table>[number]) {
  return rows.map((row) => row[name])
}

describe('the cash-flow table', () => {
  test('has a row for the installation and one for each year', () => {
    expect(column(table({}), 'year')).toEqual([0, 1, 2, 3])
    expect(table({ analysisYears: 1 })).toHaveLength(2)
    expect(table({ analysisYears: 50 })).toHaveLength(51)
  })

  test('has nothing in it of the table before, nor is changed by the one after', () => {
    const plain = table({})
    const asItWas = structuredClone(plain)
    const rich = table({
      ...{ inverterReplacementYears: [1, 3], taxCreditRate: 0.3, fixedCost: 100, loan: loanDefaults },
      ...{ productionIncentivePerKWh: 0.1, productionIncentiveYears: 3, selfConsumptionFraction: 0.5 },
    })

    expect(rich).not.toEqual(asItWas)
    expect(plain).toEqual(asItWas)
    expect(table({})).toEqual(asItWas)
  })

  test('splits the production into what is consumed and what is exported', () => {
    const rows = table({})
    expect(column(rows, 'productionKWh')).toEqual([0, 2000, 1500, 1125])
    expect(column(rows, 'consumptionKWh')).toEqual([0, 1500, 1500, 1500])
    expect(column(rows, 'selfConsumedKWh')).toEqual([0, 1500, 1500, 1125])
    expect(column(rows, 'exportedKWh')).toEqual([0, 500, 0, 0])
    expect(column(table({ selfConsumptionFraction: 0.5 }), 'exportedKWh')).toEqual([0, 1000, 750, 562.5])
  })

  test('lets prices, consumption and emissions change from the second year on', () => {
    const rows = table({ consumptionGrowth: -0.5 })
    expect(column(rows, 'utilityRate')).toEqual([0, 0.2, expect.closeTo(0.3, 12), expect.closeTo(0.45, 12)])
    expect(column(rows, 'exportRate')).toEqual([0, 0.1, 0.2, 0.4])
    expect(column(rows, 'consumptionKWh')).toEqual([0, 1500, 750, 375])
    expect(column(rows, 'om')).toEqual([0, 10, 20, 40])
    expect(column(rows, 'co2AvoidedKg')).toEqual([0, 1000, 375, 140.625])
  })

  test('values self-consumption at the utility rate and exports at the export rate', () => {
    expect(column(table({}), 'savings')).toEqual([0, 350, expect.closeTo(450, 9), expect.closeTo(506.25, 9)])
  })

  test('replaces the inverter in the named years at the prices of those years', () => {
    expect(column(table({}), 'inverter')).toEqual([0, 0, 100, 0])
    expect(column(table({ inverterReplacementYears: [1, 3] }), 'inverter')).toEqual([0, 50, 0, 200])
    expect(column(table({ inverterReplacementYears: [4] }), 'inverter')).toEqual([0, 0, 0, 0])
    expect(column(table({ inverterReplacementYears: [] }), 'inverter')).toEqual([0, 0, 0, 0])
  })

  test('pays the production incentive for its years and the tax credit at the end of the first', () => {
    const rows = table({ productionIncentivePerKWh: 0.25, productionIncentiveYears: 2, taxCreditRate: 0.5 })
    expect(column(rows, 'incentive')).toEqual([0, 500, 375, 0])
    expect(column(rows, 'taxCredit')).toEqual([0, 1000, 0, 0])
    expect(column(rows, 'investment')).toEqual([2000, 0, 0, 0])
  })

  test('starts a free system at 0, not at -0', () => {
    const [installation] = table({ rebateAmount: 5000 })
    expect(installation).toMatchObject({ investment: 0, unleveredCashFlow: 0, netCashFlow: 0 })
  })

  test('carries the loan: proceeds at the start, payments, and the tax deduction of the interest', () => {
    const loan = {
      ...loanDefaults,
      fraction: 0.5,
      apr: 1,
      termYears: 2,
      paymentsPerYear: 1,
      interestTaxRate: 0.25,
    }
    // 1,000 at 100 % over two years: 1,333.33 each, interest 1,000 and 666.67
    const rows = table({ loan })
    expect(column(rows, 'loanProceeds')).toEqual([1000, 0, 0, 0])
    expect(column(rows, 'debtService')).toEqual([
      0,
      expect.closeTo(4000 / 3, 9),
      expect.closeTo(4000 / 3, 9),
      0,
    ])
    expect(column(rows, 'interestTaxBenefit')).toEqual([
      0,
      expect.closeTo(250, 9),
      expect.closeTo(500 / 3, 9),
      0,
    ])
  })

  test('adds up in every row, and from row to row', () => {
    const loan = { ...loanDefaults, fraction: 0.8, interestTaxRate: 0.2 }
    const rows = table({
      loan,
      taxCreditRate: 0.3,
      productionIncentivePerKWh: 0.1,
      productionIncentiveYears: 2,
    })
    let cumulative = 0
    let cumulativeUnlevered = 0
    let discounted = 0
    for (const row of rows) {
      const earned = row.savings + row.incentive + row.taxCredit
      const unlevered = earned - row.om - row.inverter - row.investment
      const net = unlevered + row.loanProceeds - row.debtService + row.interestTaxBenefit
      expect(row.unleveredCashFlow).toBeCloseTo(unlevered, 9)
      expect(row.netCashFlow).toBeCloseTo(net, 9)
      // at a discount rate of 100 % a dollar is worth half as much each year
      expect(row.discountedCashFlow).toBeCloseTo(net / (1 << row.year), 9)
      expect(row.cumulativeCashFlow).toBeCloseTo((cumulative += net), 9)
      expect(row.cumulativeUnleveredCashFlow).toBeCloseTo((cumulativeUnlevered += unlevered), 9)
      expect(row.cumulativeDiscountedCashFlow).toBeCloseTo((discounted += net / (1 << row.year)), 9)
    }
  })
})
