import { loanDefaults, solarDefaults } from './input.ts'
import type { SolarInput } from './input.ts'
import { calculateSolar } from './solar.ts'

const home: SolarInput = {
  ...solarDefaults,
  annualProductionPerKW: 1400,
  annualConsumptionKWh: 10800,
  utilityRate: 0.17,
}

function warnings(overrides: Partial<SolarInput>) {
  return calculateSolar({ ...home, ...overrides }).warnings
}

describe('warnings', () => {
  test('are not raised for an ordinary home', () => {
    expect(warnings({})).toEqual([])
  })

  test.each<[string, Partial<SolarInput>, string]>([
    ['UNUSUAL_YIELD', { annualProductionPerKW: 120 }, 'A yield of 120 kWh per kW'],
    ['UNUSUAL_YIELD', { annualProductionPerKW: 2600 }, 'A yield of 2600 kWh per kW'],
    ['UNUSUAL_RATE', { utilityRate: 1.7 }, 'in dollars, not in cents'],
    ['NO_CONSUMPTION', { annualConsumptionKWh: 0 }, 'no consumption to size a system for'],
    ['ALL_EXPORTED', { annualConsumptionKWh: 0, systemSizeKW: 6 }, 'all energy is exported'],
    ['SIZE_CAPPED', { maxSystemSizeKW: 5 }, 'limited to 5 kW'],
    ['SIZE_CAPPED', { maxSystemSizeKW: 5, panelWatts: 430 }, 'limited to 4.73 kW'],
    ['NO_SYSTEM', { maxSystemSizeKW: 0.4, panelWatts: 430 }, 'comes to 0 kW'],
    ['NO_SYSTEM', { annualConsumptionKWh: 0, systemSizeKW: 1e-9, panelWatts: 2000 }, 'comes to 0 kW'],
    ['OVERSIZED', { offsetFraction: 1.3 }, 'produces 30 % more in its first year'],
    ['REBATE_LIMITED', { rebateAmount: 30_000 }, 'larger than the price'],
    ['NO_NET_COST', { rebateAmount: 24_300 }, 'The rebate covers the whole cost, so'],
    ['NO_NET_COST', { taxCreditRate: 1 }, 'The tax credit covers the whole cost, so'],
    [
      'NO_NET_COST',
      { rebateAmount: 1000, taxCreditRate: 1 },
      'Rebate and tax credit cover the whole cost, so',
    ],
    ['NO_NET_COST', { installedCostPerWatt: 0, fixedCost: 0 }, 'The system costs nothing, so'],
    ['NO_NET_COST', { installedCostPerWatt: 0, rebateAmount: 500 }, 'The system costs nothing, so'],
    ['REPLACEMENT_BEYOND_HORIZON', { inverterReplacementYears: [13, 26, 39] }, 'ignored: 26, 39.'],
    ['LOAN_OUTLIVES_HORIZON', { loan: { ...loanDefaults, termYears: 30 } }, 'longer than the 25 years'],
    ['NEVER_PAYS_BACK', { utilityRate: 0.08 }, 'within the 25 years'],
    ['NEVER_PAYS_BACK_DISCOUNTED', { discountRate: 0.08 }, 'At the discount rate'],
    [
      'PAYBACK_UNDONE_BY_REPLACEMENT',
      { inverterReplacementYears: [14], inverterCostPerKW: 800 },
      'first repaid after 12.86 years',
    ],
    ['IRR_UNDEFINED', { utilityRate: 0 }, 'never changes between cost and gain'],
    ['IRR_UNDEFINED', { installedCostPerWatt: 0.01 }, 'between -99 % and 1,000 %'],
    ['IRR_UNDEFINED', { inverterReplacementYears: [25] }, 'several rates fit'],
    ['LCOE_UNDEFINED', { annualConsumptionKWh: 1e-310, fixedCost: 1000 }, 'too close to nothing'],
  ])('%s is raised for %j', (code, overrides, words) => {
    const raised = warnings(overrides).filter((warning) => warning.code === code)
    expect(raised).toEqual([{ code, message: expect.stringContaining(words) }])
  })

  test.each<[string, Partial<SolarInput>]>([
    ['UNUSUAL_RATE', { utilityRate: 1 }],
    ['SIZE_CAPPED', { maxSystemSizeKW: 8 }],
    ['OVERSIZED', { panelWatts: 430 }],
    ['OVERSIZED', { annualConsumptionKWh: 0, systemSizeKW: 6 }],
    ['REBATE_LIMITED', { rebateAmount: 24_300 }],
    ['REBATE_LIMITED', { rebateAmount: 1000, annualConsumptionKWh: 0 }],
    ['REPLACEMENT_BEYOND_HORIZON', { inverterReplacementYears: [25] }],
    ['LOAN_OUTLIVES_HORIZON', { loan: { ...loanDefaults, termYears: 25 } }],
    ['NEVER_PAYS_BACK', { annualConsumptionKWh: 0 }],
    ['NEVER_PAYS_BACK_DISCOUNTED', { utilityRate: 0.08 }],
    ['NO_SYSTEM', { annualConsumptionKWh: 0 }],
  ])('%s is not raised for %j', (code, overrides) => {
    expect(warnings(overrides).map((warning) => warning.code)).not.toContain(code)
  })

  test('say when a first payback is undone for good', () => {
    expect(warnings({ inverterReplacementYears: [14], inverterCostPerKW: 5000 })).toContainEqual({
      code: 'PAYBACK_UNDONE_BY_REPLACEMENT',
      message:
        'The cost is first repaid after 12.86 years, but later costs undo that; ' +
        'it is not repaid at the end of the analysis.',
    })
  })

  test('are full sentences', () => {
    const all = [
      ...warnings({ annualConsumptionKWh: 0, annualProductionPerKW: 1, utilityRate: 5 }),
      ...warnings({ analysisYears: 3, loan: loanDefaults, offsetFraction: 2, maxSystemSizeKW: 12 }),
    ]
    expect(all.length).toBeGreaterThan(7)
    for (const { message } of all) expect(message).toMatch(/^[A-Z].*[.]$/)
  })
})
