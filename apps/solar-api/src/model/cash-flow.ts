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
  const { analysisYears, discountRate } = owned.input
  const columns = cashFlowColumns(owned)
  const rows: CashFlowRow[] = []
  let discountFactor = 1
  for (let year = 0; year <= analysisYears; year++) {
    rows.push(rowOf(columns, year, discountFactor, rows.at(-1)))
    discountFactor /= 1 + discountRate
  }
  return rows
}

/**
 * The columns of the table. To be read at once: the next call with as many years writes into the same arrays. (Arrays
 * of its own, or rows, would be half of all the memory that a request takes, and take longer than all the sums.)
 * @throws RangeError when there is no first year
 */
export function cashFlowColumns(owned: OwnedSystem): CashFlowColumns {
  const { analysisYears } = owned.input
  if (analysisYears < 1) throw new RangeError('There is no first year: analysisYears must be at least 1.')
  const columns = (places[analysisYears] ??= makeColumns(analysisYears + 1))
  fillPrices(owned, columns)
  fillFlows(owned, columns)
  fillLoan(owned, columns)
  return columns
}

/** By the number of years. */
const places: CashFlowColumns[] = []

function makeColumns(length: number): CashFlowColumns {
  const column = (): Float64Array => new Float64Array(length)
  return {
    ...{
      productionKWh: column(),
      consumptionKWh: column(),
      selfConsumedKWh: column(),
      exportedKWh: column(),
    },
    ...{ utilityRate: column(), exportRate: column(), emissionFactor: column(), co2AvoidedKg: column() },
    ...{ investment: column(), savings: column(), incentive: column(), taxCredit: column() },
    ...{ om: column(), inverterPrice: column(), inverter: column(), unleveredCashFlow: column() },
    ...{ loanProceeds: column(), debtService: column(), interestTaxBenefit: column(), netCashFlow: column() },
  }
}

/** What is known of every year before anything is reckoned. In the year of the installation all of it is 0. */
function fillPrices({ input, system: { sizeKW } }: OwnedSystem, columns: CashFlowColumns): void {
  grow(columns.productionKWh, sizeKW * input.annualProductionPerKW, 1 - input.degradationRate)
  grow(columns.consumptionKWh, input.annualConsumptionKWh, 1 + input.consumptionGrowth)
  grow(columns.utilityRate, input.utilityRate, 1 + input.rateEscalation)
  grow(columns.exportRate, input.exportRate, 1 + input.exportEscalation)
  grow(columns.emissionFactor, input.emissionFactorKgPerKWh, 1 - input.emissionDeclineRate)
  grow(columns.om, sizeKW * input.omCostPerKWYear, 1 + input.omEscalation)
  grow(columns.inverterPrice, sizeKW * input.inverterCostPerKW, 1 + input.omEscalation)
}

/** From year 1 on. */
function grow(column: Float64Array, first: number, factor: number): void {
  let amount = first
  for (let year = 1; year < column.length; year++) {
    column[year] = amount
    amount *= factor
  }
}

/** What the system itself brings and costs. */
function fillFlows({ input, system }: OwnedSystem, columns: CashFlowColumns): void {
  const { investment, taxCredit, inverter, unleveredCashFlow } = columns
  investment[0] = system.upfrontCost
  unleveredCashFlow[0] = 0 - system.upfrontCost
  taxCredit[1] = system.taxCredit
  inverter.fill(0)
  for (const year of input.inverterReplacementYears) {
    if (year < inverter.length) inverter[year] = columns.inverterPrice[year] ?? 0
  }
  for (let year = 1; year < unleveredCashFlow.length; year++) {
    const productionKWh = columns.productionKWh[year] ?? 0
    const own = Math.min(input.selfConsumptionFraction * productionKWh, columns.consumptionKWh[year] ?? 0)
    const exported = productionKWh - own
    const savings = own * (columns.utilityRate[year] ?? 0) + exported * (columns.exportRate[year] ?? 0)
    const isPaid = year <= input.productionIncentiveYears
    const incentive = isPaid ? input.productionIncentivePerKWh * productionKWh : 0
    const income = savings + incentive + (taxCredit[year] ?? 0)
    columns.selfConsumedKWh[year] = own
    columns.exportedKWh[year] = exported
    columns.savings[year] = savings
    columns.incentive[year] = incentive
    columns.co2AvoidedKg[year] = productionKWh * (columns.emissionFactor[year] ?? 0)
    unleveredCashFlow[year] = income - (columns.om[year] ?? 0) - (inverter[year] ?? 0)
  }
}

function fillLoan({ input, loan }: OwnedSystem, columns: CashFlowColumns): void {
  const { unleveredCashFlow, loanProceeds, debtService, interestTaxBenefit, netCashFlow } = columns
  const proceeds = loan?.proceeds ?? 0
  loanProceeds[0] = proceeds
  netCashFlow[0] = (unleveredCashFlow[0] ?? 0) + proceeds
  for (let year = 1; year < netCashFlow.length; year++) {
    const paid = loan?.schedule[year - 1] ?? noDebt
    const benefit = paid.interest * (input.loan?.interestTaxRate ?? 0)
    debtService[year] = paid.debtService
    interestTaxBenefit[year] = benefit
    netCashFlow[year] = (unleveredCashFlow[year] ?? 0) - paid.debtService + benefit
  }
}

function rowOf(
  columns: CashFlowColumns,
  year: number,
  discountFactor: number,
  before: CashFlowRow | undefined,
): CashFlowRow {
  const flows = flowsOf(columns, year)
  const { unleveredCashFlow, netCashFlow } = flows
  const discountedCashFlow = netCashFlow * discountFactor
  return {
    year,
    ...flows,
    cumulativeCashFlow: (before?.cumulativeCashFlow ?? 0) + netCashFlow,
    cumulativeUnleveredCashFlow: (before?.cumulativeUnleveredCashFlow ?? 0) + unleveredCashFlow,
    discountedCashFlow,
    cumulativeDiscountedCashFlow: (before?.cumulativeDiscountedCashFlow ?? 0) + discountedCashFlow,
  }
}

/** What the columns hold of one year. */
export function flowsOf(columns: CashFlowColumns, year: number): Flows {
  const at = (column: Float64Array): number => column[year] ?? 0
  return {
    productionKWh: at(columns.productionKWh),
    consumptionKWh: at(columns.consumptionKWh),
    selfConsumedKWh: at(columns.selfConsumedKWh),
    exportedKWh: at(columns.exportedKWh),
    utilityRate: at(columns.utilityRate),
    exportRate: at(columns.exportRate),
    co2AvoidedKg: at(columns.co2AvoidedKg),
    investment: at(columns.investment),
    savings: at(columns.savings),
    incentive: at(columns.incentive),
    taxCredit: at(columns.taxCredit),
    om: at(columns.om),
    inverter: at(columns.inverter),
    unleveredCashFlow: at(columns.unleveredCashFlow),
    loanProceeds: at(columns.loanProceeds),
    debtService: at(columns.debtService),
    interestTaxBenefit: at(columns.interestTaxBenefit),
    netCashFlow: at(columns.netCashFlow),
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

/** A system, and how it is paid for. */
export type OwnedSystem = Readonly<{ input: SolarInput; system: SolarSystem; loan: LoanPlan | undefined }>

/** The amounts of a year by themselves, without those that depend on other years. */
export type Flows = Omit<CashFlowRow, 'year' | 'discountedCashFlow' | `cumulative${string}`>

/** The flows and the prices behind them, by year; [0] is the installation. */
export type CashFlowColumns = Readonly<Record<keyof Flows | 'emissionFactor' | 'inverterPrice', Float64Array>>
