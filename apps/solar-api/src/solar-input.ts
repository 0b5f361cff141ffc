import Joi from 'joi'
import { loanDefaults, solarDefaults, type LoanInput, type SolarInput } from './model/input.ts'

/** What a request says of a system; what it leaves out is assumed. */
export type SolarRequest = Partial<Nullable<Omit<SolarInput, 'loan' | Required>>> &
  Pick<SolarInput, Required> & { readonly loan?: Partial<LoanInput> | null }

/** One input as it was used, and where its value comes from. */
export type Assumption = { readonly value: unknown; readonly source: 'default' | 'request' }

/** The inputs of every solar endpoint, as fields of a joi object. */
export const solarFields: Readonly<Record<keyof SolarInput, Joi.Schema>> = {
  annualProductionPerKW: number(1, 3000)
    .required()
    .description(
      'kWh AC that one kW DC yields in its first year; PVWatts calls it ac_annual of a 1 kW system.',
    ),
  annualConsumptionKWh: number(0, 1e9).required().description('kWh used in the first year.'),
  utilityRate: number(0, 10).required().description('USD per kWh bought in the first year.'),
  systemSizeKW: optional(above(0, 1e6)).description(
    'Size in kW DC; without it the size follows from offsetFraction.',
  ),
  offsetFraction: assumed(above(0, 10), 'offsetFraction').description(
    'Share of the first year’s consumption that the system is sized to produce. Ignored when systemSizeKW is given.',
  ),
  maxSystemSizeKW: optional(above(0, 1e6)).description('Most kW DC that the roof or the grid takes.'),
  panelWatts: optional(number(1, 2000)).description(
    'W of one panel; given, the size is a whole number of panels.',
  ),
  installedCostPerWatt: assumed(number(0, 100), 'installedCostPerWatt').description(
    'USD per W DC before rebates and credits. Default: US residential 2025, between NLR ATB 2025 (3.24) and SAM (3.16).',
  ),
  fixedCost: assumed(number(0, 1e9), 'fixedCost').description(
    'USD that do not grow with the size: permit, panel upgrade.',
  ),
  rebateAmount: assumed(number(0, 1e12), 'rebateAmount').description(
    'USD taken off the price, at most the price.',
  ),
  taxCreditRate: assumed(number(0, 1), 'taxCreditRate').description(
    'Share of the price after the rebate that comes back at the end of year 1. Default 0: the US federal credit (25D) ended with 2025.',
  ),
  taxCreditCap: optional(number(0, 1e12)).description('Most USD of tax credit.'),
  productionIncentivePerKWh: assumed(number(0, 10), 'productionIncentivePerKWh').description(
    'USD paid per kWh produced (SREC, PBI).',
  ),
  productionIncentiveYears: assumed(integer(0, 50), 'productionIncentiveYears').description(
    'Years in which that is paid.',
  ),
  degradationRate: assumed(rate(), 'degradationRate').description(
    'Share of the production lost each year, compounding. Default: median of Jordan & Kurtz.',
  ),
  rateEscalation: assumed(rate(), 'rateEscalation').description(
    'Growth of utilityRate a year, from year 2 on. Default: near the US residential growth of 2010 to 2025 (2.7 %, EIA).',
  ),
  consumptionGrowth: assumed(rate(), 'consumptionGrowth').description('Growth of the consumption a year.'),
  selfConsumptionFraction: assumed(number(0, 1), 'selfConsumptionFraction').description(
    'Share of the production that offsets the utility rate; the rest earns exportRate. 1: net metering; about 0.4 without a battery under net billing.',
  ),
  exportRate: assumed(number(0, 10), 'exportRate').description('USD per kWh exported in the first year.'),
  exportEscalation: assumed(rate(), 'exportEscalation').description('Growth of exportRate a year.'),
  omCostPerKWYear: assumed(number(0, 1000), 'omCostPerKWYear').description(
    'USD per kW and year for operation and maintenance, without the inverter.',
  ),
  omEscalation: assumed(rate(), 'omEscalation').description(
    'Growth of maintenance and inverter costs a year.',
  ),
  inverterCostPerKW: assumed(number(0, 10_000), 'inverterCostPerKW').description(
    'USD per kW for a new inverter, in money of year 1.',
  ),
  inverterReplacementYears: Joi.array()
    .items(integer(1, 50))
    .max(10)
    .unique()
    .default([...solarDefaults.inverterReplacementYears])
    .description('Years in which the inverter is replaced; years beyond analysisYears are ignored.'),
  discountRate: assumed(above(-0.99, 1), 'discountRate').description('Nominal discount rate a year.'),
  analysisYears: assumed(integer(1, 50), 'analysisYears').description('Years that are looked at.'),
  loan: optional(Joi.object(loanFields())).description(
    'A loan with level payments; left out or null: paid in cash. `{}` takes all defaults.',
  ),
  emissionFactorKgPerKWh: assumed(number(0, 10), 'emissionFactorKgPerKWh').description(
    'kg of CO2 that one kWh avoids in the first year. Default: US average of eGRID2023 (not the marginal factor).',
  ),
  emissionDeclineRate: assumed(rate(), 'emissionDeclineRate').description(
    'Share by which that factor falls each year.',
  ),
}

/** The model's input for a checked request. */
export function resolveInput(request: SolarRequest): SolarInput {
  // Loops over names, here and below: lists of entries would take three times as long, on every request.
  const input: Record<string, unknown> = { ...solarDefaults }
  for (const name of fieldNames) {
    const value = request[name]
    if (value !== undefined && value !== null) input[name] = value
  }
  input['loan'] = request.loan ? { ...loanDefaults, ...request.loan } : undefined
  return input as SolarInput // the schema has checked the fields it lets through
}

/** Every input as it was used. `raw` is the request before defaults were filled in; loan inputs are `loan.<name>`. */
export function describeAssumptions(input: SolarInput, raw: unknown): Record<string, Assumption> {
  const { loan } = input
  const rows: Record<string, Assumption> = {}
  for (const name of fieldNames) if (name !== 'loan') rows[name] = assumptionOf(input, raw, name)
  if (loan === undefined) return { ...rows, loan: assumptionOf(input, raw, 'loan') }
  const givenLoan = isObject(raw) ? raw['loan'] : {}
  for (const name of Object.keys(loan)) rows[`loan.${name}`] = assumptionOf(loan, givenLoan, name)
  return rows
}

/** One of the values that were used; `given` is where it would stand if it came with the request. */
export function assumptionOf(used: object, given: unknown, name: string): Assumption {
  const value: unknown = used[name as keyof typeof used] // names come from the schema of these very values
  return { value: value ?? null, source: isObject(given) && name in given ? 'request' : 'default' }
}

/** The names of all inputs, in the order in which they are described. */
export const fieldNames = Object.keys(solarFields) as (keyof SolarInput)[] // as its type says

type Required = 'annualProductionPerKW' | 'annualConsumptionKWh' | 'utilityRate'
type Nullable<T> = { readonly [K in keyof T]: T[K] | null }

/** The terms of a loan, as fields of a joi object. */
export function loanFields(): Readonly<Record<keyof LoanInput, Joi.NumberSchema>> {
  const field = (schema: Joi.NumberSchema, name: keyof LoanInput) => schema.default(loanDefaults[name])
  return {
    fraction: field(number(0, 1), 'fraction').description('Share of the upfront cost that is borrowed.'),
    apr: field(number(0, 1), 'apr').description('Nominal interest rate a year.'),
    termYears: field(integer(1, 50), 'termYears').description('Years of payments.'),
    paymentsPerYear: field(Joi.number().valid(1, 2, 4, 12, 26, 52), 'paymentsPerYear').description(
      'Payments a year.',
    ),
    feeRate: field(number(0, 0.9), 'feeRate').description(
      'Dealer fee as a share of the principal: the principal is what is borrowed / (1 - feeRate).',
    ),
    interestTaxRate: field(number(0, 1), 'interestTaxRate').description(
      'Share of the interest that comes back as a tax deduction.',
    ),
  }
}

function assumed(schema: Joi.NumberSchema, name: keyof typeof solarDefaults): Joi.NumberSchema {
  return schema.default(solarDefaults[name])
}

function optional<T extends Joi.Schema>(schema: T): T {
  return schema.allow(null) as T // allow() keeps the type of schema
}

function number(min: number, max: number): Joi.NumberSchema {
  return Joi.number().min(min).max(max)
}

function above(min: number, max: number): Joi.NumberSchema {
  return Joi.number().greater(min).max(max)
}

function integer(min: number, max: number): Joi.NumberSchema {
  return number(min, max).integer()
}

/** A growth rate as a fraction a year. */
function rate(): Joi.NumberSchema {
  return number(-0.5, 1)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
