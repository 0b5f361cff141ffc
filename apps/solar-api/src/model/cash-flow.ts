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
export function cashFlowTable(
  input: SolarInput,
  system: SolarSystem,
  loan: LoanPlan | undefined,
): CashFlowRow[] {
  let row = installationRow(system, loan)
  let prices = firstYear(input, system)
  const rows = [row]
  for (let year = 1; year <= input.analysisYears; year++) {
    row = operationRow({ input, system, loan }, prices, row)
    rows.push(row)
    prices = nextYear(input, prices)
  }
  return rows
}

function installationRow(system: SolarSystem, loan: LoanPlan | undefined): CashFlowRow {
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

/** One literal: a row put together from parts would be copied, and a request makes 25 of them. */
function operationRow({ input, system, loan }: Owned, now: YearState, before: CashFlowRow): CashFlowRow {
  const year = before.year + 1
  const { productionKWh, consumptionKWh, utilityRate, exportRate, om } = now
  const selfConsumedKWh = Math.min(input.selfConsumptionFraction * productionKWh, consumptionKWh)
  const exportedKWh = productionKWh - selfConsumedKWh
  const savings = selfConsumedKWh * utilityRate + exportedKWh * exportRate
  const incentive = incentiveOf(input, year, productionKWh)
  const taxCredit = year === 1 ? system.taxCredit : 0
  const inverter = input.inverterReplacementYears.includes(year) ? now.inverterPrice : 0
  const unleveredCashFlow = savings + incentive + taxCredit - om - inverter
  const { debtService, interest } = loan?.schedule[year - 1] ?? noDebt
  const interestTaxBenefit = interest * (input.loan?.interestTaxRate ?? 0)
  const netCashFlow = unleveredCashFlow - debtService + interestTaxBenefit
  const discountedCashFlow = netCashFlow * now.discountFactor
  return {
    year,
    productionKWh,
    consumptionKWh,
    selfConsumedKWh,
    exportedKWh,
    utilityRate,
    exportRate,
    co2AvoidedKg: productionKWh * now.emissionFactor,
    investment: 0,
    savings,
    incentive,
    taxCredit,
    om,
    inverter,
    unleveredCashFlow,
    loanProceeds: 0,
    debtService,
    interestTaxBenefit,
    netCashFlow,
    cumulativeCashFlow: before.cumulativeCashFlow + netCashFlow,
    cumulativeUnleveredCashFlow: before.cumulativeUnleveredCashFlow + unleveredCashFlow,
    discountedCashFlow,
    cumulativeDiscountedCashFlow: before.cumulativeDiscountedCashFlow + discountedCashFlow,
  }
}

function incentiveOf(input: SolarInput, year: number, productionKWh: number): number {
  return year <= input.productionIncentiveYears ? input.productionIncentivePerKWh * productionKWh : 0
}

function firstYear(input: SolarInput, system: SolarSystem): YearState {
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

function nextYear(input: SolarInput, now: YearState): YearState {
  return {
    productionKWh: now.productionKWh * (1 - input.degradationRate),
    consumptionKWh: now.consumptionKWh * (1 + input.consumptionGrowth),
    utilityRate: now.utilityRate * (1 + input.rateEscalation),
    exportRate: now.exportRate * (1 + input.exportEscalation),
    emissionFactor: now.emissionFactor * (1 - input.emissionDeclineRate),
    om: now.om * (1 + input.omEscalation),
    inverterPrice: now.inverterPrice * (1 + input.omEscalation),
    discountFactor: now.discountFactor / (1 + input.discountRate),
  }
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

type Owned = Readonly<{ input: SolarInput; system: SolarSystem; loan: LoanPlan | undefined }>

type YearState = Readonly<{
  productionKWh: number
  consumptionKWh: number
  utilityRate: number
  exportRate: number
  emissionFactor: number
  om: number
  inverterPrice: number
  discountFactor: number
}>
