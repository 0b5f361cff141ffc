import { valuePerDollarBorrowed } from '../closed-form.ts'
import { geometricSum, segmentValue, wholePower } from '../geometric.ts'
import type { SolarInput } from '../input.ts'
import { designSystem } from '../system.ts'

// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { max, min } = Math

/** All that no trial changes about a system: its size, and the growth of what is certain. Plain data. */
export function planEconomics(input: SolarInput): Economics {
  const { sizeKW } = designSystem(input)
  const years = input.analysisYears
  return {
    sizeKW,
    years,
    utilityRate: input.utilityRate,
    exportGrowth: 1 + input.exportEscalation,
    consumptionGrowth: 1 + input.consumptionGrowth,
    omGrowth: 1 + input.omEscalation,
    incentivePerKWh: input.productionIncentivePerKWh,
    incentiveYears: min(input.productionIncentiveYears, years),
    fixedCost: sizeKW > 0 ? input.fixedCost : 0,
    rebateAmount: input.rebateAmount,
    taxCreditRate: input.taxCreditRate,
    taxCreditCap: input.taxCreditCap ?? Infinity,
    byYear: planYears(input, sizeKW),
    present: planValuation(input, sizeKW, input.discountRate),
    lifetime: planValuation(input, sizeKW, 0),
  }
}

function planYears(input: SolarInput, sizeKW: number): Float64Array {
  const years = Array.from({ length: input.analysisYears }, (_, index) => index + 1)
  const rows = years.map((year) => {
    const cost = sizeKW * wholePower(1 + input.omEscalation, year - 1)
    return [
      input.annualConsumptionKWh * wholePower(1 + input.consumptionGrowth, year - 1),
      input.inverterReplacementYears.includes(year) ? cost : 0,
    ]
  })
  return Float64Array.from(rows.flat())
}

function planValuation(input: SolarInput, sizeKW: number, discountRate: number): Valuation {
  const { analysisYears: years, omEscalation, loan } = input
  const discount = 1 / (1 + discountRate)
  const growth = (1 + omEscalation) * discount
  return {
    discount,
    maintenance: segmentValue(sizeKW, 1 + omEscalation, 0, years, discount),
    replacement: input.inverterReplacementYears
      .filter((year) => year <= years)
      .reduce((value, year) => value + sizeKW * wholePower(growth, year - 1) * discount, 0),
    loan: loan === undefined ? 0 : loan.fraction * valuePerDollarBorrowed(loan, years, discountRate),
  }
}

/**
 * Net present value and undiscounted sum of the owner's flows, loan included, of `count` trials: the sums of the
 * geometric series that they are, less what is lost in years that offer more than is consumed.
 * Writes USD to npv[at ..] and lifetime[at ..]; where both are one array, the net present value stays.
 */
// eslint-disable-next-line max-lines-per-function -- one loop over all trials, kept whole because it passes many numbers from step to step
export function evaluateValues(
  economics: Economics,
  { values, stride }: InputColumns,
  count: number,
  npv: Float64Array,
  lifetime: Float64Array,
  at: number,
): void {
  const { sizeKW, years, utilityRate, exportGrowth, present, consumptionGrowth } = economics
  const { discount } = present
  const consumption = economics.byYear[consumptionCell] ?? 0
  const loss = new Float64Array(2)
  for (let trial = 0; trial < count; trial++) {
    const production = sizeKW * (values[trial] ?? 0)
    const keep = 1 - (values[stride + trial] ?? 0)
    const escalation = 1 + (values[2 * stride + trial] ?? 0)
    const offered = production * (values[5 * stride + trial] ?? 0)
    const exportRate = values[6 * stride + trial] ?? 0
    const bought = offered * utilityRate
    let today = bought * geometricSum(keep * escalation * discount, years)
    let total = bought * geometricSum(keep * escalation, years)
    const sold = (production - offered) * exportRate
    if (sold !== 0) {
      today += sold * geometricSum(keep * exportGrowth * discount, years)
      total += sold * geometricSum(keep * exportGrowth, years)
    }
    if (offered > consumption || keep > consumptionGrowth) {
      sumLoss(economics, offered, keep, escalation, exportRate, loss)
      today -= loss[0] ?? 0
      total -= loss[1] ?? 0
    }
    if (economics.incentivePerKWh !== 0) {
      const paid = economics.incentivePerKWh * production
      today += paid * geometricSum(keep * discount, economics.incentiveYears)
      total += paid * geometricSum(keep, economics.incentiveYears)
    }
    const investment = investmentOf(economics, values[3 * stride + trial] ?? 0)
    const credit = taxCreditOf(economics, investment)
    const om = values[4 * stride + trial] ?? 0
    const inverter = values[7 * stride + trial] ?? 0
    lifetime[at + trial] = netValue(economics.lifetime, total + credit, investment, om, inverter)
    npv[at + trial] = netValue(present, (today + credit) * discount, investment, om, inverter)
  }
}

/**
 * Years until the system has paid for itself, whoever lent the money, linear within the year, of `count`
 * trials; Infinity where it does not within the years analysed. The year loop is exact for any order of gains
 * and losses, and over in half the years of the horizon. Writes to out[at ..].
 */
// eslint-disable-next-line max-lines-per-function -- one loop over all trials, kept whole because it passes many numbers from step to step
export function evaluatePayback(
  economics: Economics,
  { values, stride }: InputColumns,
  count: number,
  out: Float64Array,
  at: number,
): void {
  const { byYear: table, sizeKW, years, utilityRate, incentivePerKWh, exportGrowth, omGrowth } = economics
  const end = sizeKW > 0 ? years * rowWidth : 0
  const incentiveEnd = economics.incentiveYears * rowWidth
  for (let trial = 0; trial < count; trial++) {
    let production = sizeKW * (values[trial] ?? 0)
    const keep = 1 - (values[stride + trial] ?? 0)
    const escalation = 1 + (values[2 * stride + trial] ?? 0)
    const investment = investmentOf(economics, values[3 * stride + trial] ?? 0)
    let om = sizeKW * (values[4 * stride + trial] ?? 0)
    const selfConsumption = values[5 * stride + trial] ?? 0
    let exportRate = values[6 * stride + trial] ?? 0
    const inverter = values[7 * stride + trial] ?? 0
    let rate = utilityRate
    const credit = taxCreditOf(economics, investment)
    let total = credit - investment
    let payback = never
    for (let row = 0; row < end; row += rowWidth) {
      const offered = production * selfConsumption
      const wanted = table[row + consumptionCell] ?? 0
      const used = offered < wanted ? offered : wanted
      let flow = used * rate + (production - used) * exportRate - om
      flow -= inverter * (table[row + replacementCell] ?? 0)
      if (row < incentiveEnd) flow += production * incentivePerKWh
      total += flow
      if (total >= 0) {
        payback = row / rowWidth + 1 - total / (row === 0 ? flow + credit : flow)
        break
      }
      production *= keep
      rate *= escalation
      exportRate *= exportGrowth
      om *= omGrowth
    }
    out[at + trial] = investment === 0 && end > 0 ? 0 : payback
  }
}

/** What the first year's energy takes off the bill, USD, of `count` trials. Writes to out[at ..]. */
export function evaluateYear1Savings(
  { sizeKW, utilityRate, byYear: table }: Economics,
  { values, stride }: InputColumns,
  count: number,
  out: Float64Array,
  at: number,
): void {
  const wanted = table[consumptionCell] ?? 0
  for (let trial = 0; trial < count; trial++) {
    const production = sizeKW * (values[trial] ?? 0)
    const used = min(production * (values[5 * stride + trial] ?? 0), wanted)
    out[at + trial] = used * utilityRate + (production - used) * (values[6 * stride + trial] ?? 0)
  }
}

/**
 * Energy above the consumption earns the export rate and not the utility rate. The sum of what that costs, in
 * money of year 1: discounted, then plain, to loss[0] and loss[1].
 */
function sumLoss(
  { byYear: table, exportGrowth, consumptionGrowth, utilityRate, years, present }: Economics,
  offeredInYear1: number,
  keep: number,
  escalation: number,
  exportRateInYear1: number,
  loss: Float64Array,
): void {
  let today = 0
  let total = 0
  let offered = offeredInYear1
  let rate = utilityRate
  let exportRate = exportRateInYear1
  let factor = 1
  for (let at = consumptionCell; at < years * rowWidth; at += rowWidth) {
    const surplus = offered - (table[at] ?? 0)
    if (surplus > 0) {
      const lost = surplus * (rate - exportRate)
      total += lost
      today += lost * factor
    } else if (keep <= consumptionGrowth) break
    offered *= keep
    rate *= escalation
    exportRate *= exportGrowth
    factor *= present.discount
  }
  loss[0] = today
  loss[1] = total
}

function netValue(
  valuation: Valuation,
  earned: number,
  investment: number,
  om: number,
  inverter: number,
): number {
  const kept = investment * (valuation.loan - 1)
  return earned + kept - om * valuation.maintenance - inverter * valuation.replacement
}

function investmentOf({ sizeKW, fixedCost, rebateAmount }: Economics, costPerWatt: number): number {
  return max(0, 1000 * sizeKW * costPerWatt + fixedCost - rebateAmount)
}

function taxCreditOf({ taxCreditRate, taxCreditCap }: Economics, investment: number): number {
  return min(investment * taxCreditRate, taxCreditCap)
}

const never = Infinity

// What economics.byYear holds for each year. Plain constants: the compiler looks into no object for its properties.
const consumptionCell = 0
const replacementCell = 1
const rowWidth = 2

/** The values of the eight inputs of a block of trials: that of input i and trial t is values[i * stride + t]. */
export type InputColumns = Readonly<{ values: Float64Array; stride: number }>

/** See planEconomics(). Amounts in USD, energy in kWh; arrays hold years 1.. from index 0. */
export type Economics = Readonly<{
  sizeKW: number
  years: number
  utilityRate: number
  /** factors a year */
  exportGrowth: number
  consumptionGrowth: number
  omGrowth: number
  incentivePerKWh: number
  incentiveYears: number
  fixedCost: number
  rebateAmount: number
  taxCreditRate: number
  taxCreditCap: number
  /** two numbers a year: kWh of consumption, and USD per (USD per kW) of a new inverter, mostly 0 */
  byYear: Float64Array
  /** at the discount rate */
  present: Valuation
  /** at no discount */
  lifetime: Valuation
}>

/** Values at one discount rate. */
export type Valuation = Readonly<{
  /** factor a year */
  discount: number
  /** USD per (USD per kW and year) of maintenance */
  maintenance: number
  /** USD per (USD per kW) of a new inverter */
  replacement: number
  /** USD that borrowing adds per USD invested */
  loan: number
}>
