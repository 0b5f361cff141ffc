import type { SolarInput } from './input.ts'
import type { LoanPlan } from './loan.ts'
import type { SolarSystem } from './system.ts'

/**
 * The life of the system year by year, row 0 being the installation.
 *
 * In every row
 *   unleveredCashFlow = savings + incentive + taxCredit - om - inverter - investment
 *   netCashFlow = unleveredCashFlow + loanProceeds - debtService + interestTaxBenefit
 */
export function cashFlowTable(owned: OwnedSystem): CashFlowRow[] {
  const rows: CashFlowRow[] = []
  eachYear(owned, (row) => {
    rows.push({ ...row })
  })
  return rows
}

/**
 * Shows the rows of the table one after the other, all in the same object: who keeps one has to copy it. (Most
 * requests want nothing but sums; rows of their own would take half of all the memory that such a request needs.)
 */
export function eachYear(owned: OwnedSystem, visit: (row: CashFlowRow) => void): void {
  const row = installationRow(owned)
  visit(row)
  const prices = firstYear(owned)
  for (let year = 1; year <= owned.input.analysisYears; year++) {
    operate(owned, year, prices, row)
    visit(row)
    raisePrices(owned.input, prices)
  }
}

function installationRow({ system, loan }: OwnedSystem): Mutable<CashFlowRow> {
  const loanProceeds = loan?.proceeds ?? 0
  const unleveredCashFlow = 0 - system.upfrontCost
  const netCashFlow = unleveredCashFlow + loanProceeds
  return {
    year: 0,
    productionKWh: 0,
    consumptionKWh: 0,
    selfConsumedKWh: 0,
    exportedKWh: 0,
    utilityRate: 0,
    exportRate: 0,
    co2AvoidedKg: 0,
    investment: system.upfrontCost,
    savings: 0,
    incentive: 0,
    taxCredit: 0,
    om: 0,
    inverter: 0,
    unleveredCashFlow,
    loanProceeds,
    debtService: 0,
    interestTaxBenefit: 0,
    netCashFlow,
    cumulativeCashFlow: netCashFlow,
    cumulativeUnleveredCashFlow: unleveredCashFlow,
    discountedCashFlow: netCashFlow,
    cumulativeDiscountedCashFlow: netCashFlow,
  }
}

/** Makes the row of a year out of that of the year before. */
function operate(
  { input, system, loan }: OwnedSystem,
  year: number,
  now: YearState,
  row: Mutable<CashFlowRow>,
): void {
  row.year = year
  row.productionKWh = now.productionKWh
  row.consumptionKWh = now.consumptionKWh
  row.selfConsumedKWh = Math.min(input.selfConsumptionFraction * now.productionKWh, now.consumptionKWh)
  row.exportedKWh = now.productionKWh - row.selfConsumedKWh
  row.utilityRate = now.utilityRate
  row.exportRate = now.exportRate
  row.co2AvoidedKg = now.productionKWh * now.emissionFactor
  row.investment = 0
  row.savings = row.selfConsumedKWh * now.utilityRate + row.exportedKWh * now.exportRate
  row.incentive = incentiveOf(input, year, now.productionKWh)
  row.taxCredit = year === 1 ? system.taxCredit : 0
  row.om = now.om
  row.inverter = input.inverterReplacementYears.includes(year) ? now.inverterPrice : 0
  row.unleveredCashFlow = row.savings + row.incentive + row.taxCredit - row.om - row.inverter
  const { debtService, interest } = loan?.schedule[year - 1] ?? noDebt
  row.loanProceeds = 0
  row.debtService = debtService
  row.interestTaxBenefit = interest * (input.loan?.interestTaxRate ?? 0)
  row.netCashFlow = row.unleveredCashFlow - debtService + row.interestTaxBenefit
  row.cumulativeCashFlow += row.netCashFlow
  row.cumulativeUnleveredCashFlow += row.unleveredCashFlow
  row.discountedCashFlow = row.netCashFlow * now.discountFactor
  row.cumulativeDiscountedCashFlow += row.discountedCashFlow
}

function incentiveOf(input: SolarInput, year: number, productionKWh: number): number {
  return year <= input.productionIncentiveYears ? input.productionIncentivePerKWh * productionKWh : 0
}

function firstYear({ input, system }: OwnedSystem): YearState {
  return {
    productionKWh: system.sizeKW * input.annualProductionPerKW,
    consumptionKWh: input.annualConsumptionKWh,
    utilityRate: input.utilityRate,
    exportRate: input.exportRate,
    emissionFactor: input.emissionFactorKgPerKWh,
    om: system.sizeKW * input.omCostPerKWYear,
    inverterPrice: system.sizeKW * input.inverterCostPerKW,
    discountFactor: 1 / (1 + input.discountRate),
  }
}

function raisePrices(input: SolarInput, now: YearState): void {
  now.productionKWh *= 1 - input.degradationRate
  now.consumptionKWh *= 1 + input.consumptionGrowth
  now.utilityRate *= 1 + input.rateEscalation
  now.exportRate *= 1 + input.exportEscalation
  now.emissionFactor *= 1 - input.emissionDeclineRate
  now.om *= 1 + input.omEscalation
  now.inverterPrice *= 1 + input.omEscalation
  now.discountFactor /= 1 + input.discountRate
}

const noDebt = { debtService: 0, interest: 0 }

/** One row of the table: energy in kWh, rates in USD per kWh, all other amounts in USD. */
export type CashFlowRow = Readonly<{
  /** 0 is the installation */
  year: number
  productionKWh: number
  consumptionKWh: number
  selfConsumedKWh: number
  exportedKWh: number
  utilityRate: number
  exportRate: number
  /** kg of CO2 */
  co2AvoidedKg: number
  /** the price after the rebate, in year 0 */
  investment: number
  /** off the utility bill: self-consumed at utilityRate, exported at exportRate */
  savings: number
  /** paid per kWh produced */
  incentive: number
  taxCredit: number
  om: number
  /** replacement of the inverter */
  inverter: number
  /** what the system alone earns, whoever paid for it */
  unleveredCashFlow: number
  loanProceeds: number
  debtService: number
  interestTaxBenefit: number
  netCashFlow: number
  cumulativeCashFlow: number
  cumulativeUnleveredCashFlow: number
  /** netCashFlow in money of year 0 */
  discountedCashFlow: number
  /** in the last row this is the net present value */
  cumulativeDiscountedCashFlow: number
}>

/** A system, and how it is paid for. */
export type OwnedSystem = Readonly<{ input: SolarInput; system: SolarSystem; loan: LoanPlan | undefined }>

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Amounts, prices and factors of one year. */
type YearState = {
  productionKWh: number
  consumptionKWh: number
  utilityRate: number
  exportRate: number
  emissionFactor: number
  om: number
  inverterPrice: number
  discountFactor: number
}
