import { record } from '@hearth/chassis/endpoint'
import Joi from 'joi'
import type { SolarInput } from './model/input.ts'
import { roundResult, roundSummary } from './model/rounding.ts'
import { calculateSolar, solarModel, summariseSolar } from './model/solar.ts'
import { assumptionOf, describeAssumptions, type Assumption } from './solar-input.ts'

const usd = Joi.number().description('USD.')
const kWh = Joi.number().description('kWh AC.')
const years = Joi.number().allow(null)

/** One row of the yearly table. Year 0 is the installation; amounts of a year fall due at its end. */
export const cashFlowFields = {
  year: Joi.number().integer(),
  productionKWh: kWh,
  consumptionKWh: kWh,
  selfConsumedKWh: kWh,
  exportedKWh: kWh,
  utilityRate: Joi.number().description('USD per kWh.'),
  exportRate: Joi.number().description('USD per kWh.'),
  co2AvoidedKg: Joi.number().description('kg.'),
  investment: usd,
  savings: usd,
  incentive: usd,
  taxCredit: usd,
  om: usd,
  inverter: usd,
  unleveredCashFlow: usd,
  loanProceeds: usd,
  debtService: usd,
  interestTaxBenefit: usd,
  netCashFlow: usd,
  cumulativeCashFlow: usd,
  cumulativeUnleveredCashFlow: usd,
  discountedCashFlow: usd,
  cumulativeDiscountedCashFlow: usd,
}

/** The fields of what is calculated for one way to pay for a system. */
export const resultFields = {
  system: record({
    systemSizeKW: Joi.number().description('kW DC.'),
    panelCount: Joi.number().integer().allow(null).description('null when panelWatts is not given.'),
    year1ProductionKWh: kWh,
    year1OffsetPercent: Joi.number()
      .allow(null)
      .description('Production as a share of the consumption, at most 100.'),
    year1SelfConsumedKWh: kWh,
    year1ExportedKWh: kWh,
    lifetimeProductionKWh: kWh,
  }),
  costs: record({
    grossCost: usd,
    upfrontCost: usd.description('USD after the rebate.'),
    taxCredit: usd.description('USD, received at the end of year 1.'),
    netCost: usd.description('USD after rebate and credit.'),
  }),
  savings: record({
    year1BillWithoutSolar: usd,
    year1Savings: usd.description('USD off the utility bill.'),
    year1NetSavings: usd.description('USD with incentives, less maintenance and inverter.'),
    monthlyAverageYear1: usd.description('USD a month: year1Savings / 12.'),
    lifetimeBillSavings: usd,
    lifetimeOperatingCost: usd,
    lifetimeNetSavings: usd.description('USD: all flows of the owner, loan included.'),
  }),
  metrics: record({
    npv: usd.description('Net present value in USD, with the loan.'),
    npvUnlevered: usd.description('Net present value in USD, as if paid in cash.'),
    irr: Joi.number()
      .allow(null)
      .description('Internal rate of return a year, as a fraction; null unless irrStatus is ok.'),
    irrStatus: Joi.string().valid('ok', 'no_sign_change', 'no_root', 'multiple'),
    paybackYears: years.description('First time the money is back; null: never within analysisYears.'),
    paybackYearsFinal: years.description('Last time it comes back and stays; null: it ends short.'),
    discountedPaybackYears: years.description('As paybackYears, in money of year 0.'),
    lcoePerKWh: Joi.number()
      .allow(null)
      .description('Levelised cost of energy in USD per kWh, nominal, before financing.'),
    roiPercent: Joi.number().allow(null).description('Lifetime gain of a cash buyer in percent of netCost.'),
  }),
  environment: record({ co2Year1Kg: Joi.number(), co2LifetimeKg: Joi.number() }),
  financing: record({
    loanPayment: usd.description('USD per payment.'),
    loanPrincipal: usd,
    loanTotalInterest: usd,
  })
    .optional()
    .description('Only with a loan.'),
}

/** The schema of inputs as they were used. */
export const assumptionsSchema = Joi.object().pattern(
  Joi.string(),
  record({ value: Joi.any(), source: Joi.string().valid('default', 'request') }),
)

/** The schema of what a reader of the numbers should know. */
export const warningsSchema = Joi.array().items(record({ code: Joi.string(), message: Joi.string() }))

/** The schema of a calculation in an answer. */
export const calculationSchema = record({
  model: Joi.string().valid(solarModel),
  ...resultFields,
  cashFlow: Joi.array()
    .items(record(cashFlowFields))
    .optional()
    .description('Only when asked for with include.'),
  assumptions: assumptionsSchema.description(
    'Every input as it was used, and whether the request gave it. Loan inputs are `loan.<name>`.',
  ),
  warnings: warningsSchema,
})

/** A calculation as it is answered: rounded, with its assumptions. `raw` is the request as it came. */
export function presentCalculation(input: SolarInput, raw: unknown, withCashFlow: boolean): object {
  const { result, warnings } = presentResult(input, raw, withCashFlow)
  return { ...result, assumptions: describeAssumptions(input, raw), warnings }
}

/** What stands before and behind the assumptions. */
export function presentResult(input: SolarInput, raw: unknown, withCashFlow: boolean) {
  const calculated = withCashFlow ? roundResult(calculateSolar(input)) : roundSummary(summariseSolar(input))
  const { system, costs, savings, metrics, environment, financing, warnings } = calculated
  const inverterReplacementYears = assumptionOf(input, raw, 'inverterReplacementYears')
  return {
    result: {
      ...{ model: solarModel, system, costs, savings, metrics, environment, financing },
      ...('cashFlow' in calculated && { cashFlow: calculated.cashFlow }),
    },
    warnings: worthSaying(warnings, { inverterReplacementYears }),
  }
}

/** Nobody needs to be told that an assumption of ours is not needed. */
export function worthSaying<W extends { readonly code: string }>(
  warnings: readonly W[],
  { inverterReplacementYears }: Readonly<Record<string, Assumption>>,
): W[] {
  return warnings.filter(
    ({ code }) => code !== 'REPLACEMENT_BEYOND_HORIZON' || inverterReplacementYears?.source === 'request',
  )
}
