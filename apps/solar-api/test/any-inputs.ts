import fc from 'fast-check'

const number = (min: number, max: number) =>
  fc.oneof(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }))
const growth = number(-0.5, 1)
/** Bodies of /v1/calculate with any inputs in their ranges, their ends as likely as the rest. */
export const anyInputs = fc.record(
  {
    ...{
      annualProductionPerKW: number(1, 3000),
      annualConsumptionKWh: number(0, 1e9),
      utilityRate: number(0, 10),
    },
    ...{
      systemSizeKW: number(1e-9, 1e6),
      offsetFraction: number(1e-9, 10),
      maxSystemSizeKW: number(1e-9, 1e6),
    },
    ...{ panelWatts: number(1, 2000), installedCostPerWatt: number(0, 100), fixedCost: number(0, 1e9) },
    ...{ rebateAmount: number(0, 1e12), taxCreditRate: number(0, 1), taxCreditCap: number(0, 1e12) },
    ...{
      productionIncentivePerKWh: number(0, 10),
      productionIncentiveYears: fc.integer({ min: 0, max: 50 }),
    },
    ...{
      degradationRate: growth,
      rateEscalation: growth,
      consumptionGrowth: growth,
      exportEscalation: growth,
    },
    ...{ selfConsumptionFraction: number(0, 1), exportRate: number(0, 10), omCostPerKWYear: number(0, 1000) },
    ...{ omEscalation: growth, inverterCostPerKW: number(0, 10_000), discountRate: number(-0.989, 1) },
    ...{ analysisYears: fc.integer({ min: 1, max: 50 }), emissionDeclineRate: growth },
    emissionFactorKgPerKWh: number(0, 10),
    inverterReplacementYears: fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 10 }),
    loan: fc.record(
      {
        ...{ fraction: number(0, 1), apr: number(0, 1), termYears: fc.integer({ min: 1, max: 50 }) },
        ...{ paymentsPerYear: fc.constantFrom(1, 2, 4, 12, 26, 52), feeRate: number(0, 0.9) },
        interestTaxRate: number(0, 1),
      },
      { requiredKeys: [] },
    ),
    include: fc.constantFrom<string[]>([], ['cashFlow']),
  },
  { requiredKeys: ['annualProductionPerKW', 'annualConsumptionKWh', 'utilityRate'] },
)
