import { valuePerDollarBorrowed } from '../closed-form.ts'
import { segmentValue, wholePower } from '../geometric.ts'
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
    consumptionKWh: input.annualConsumptionKWh,
    newInverter: planNewInverters(input, sizeKW),
    present: planValuation(input, sizeKW, input.discountRate),
    lifetime: planValuation(input, sizeKW, 0),
  }
}

function planNewInverters(input: SolarInput, sizeKW: number): Float64Array {
  return Float64Array.from({ length: input.analysisYears }, (_, year) =>
    input.inverterReplacementYears.includes(year + 1) ? sizeKW * wholePower(1 + input.omEscalation, year) : 0,
  )
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
 * Writes USD to npv[at ..] and lifetime[at ..]; where both are one array, only the net present value.
 */
export function evaluateValues(
  economics: Economics,
  columns: InputColumns,
  count: number,
  npv: Float64Array,
  lifetime: Float64Array,
  at: number,
): void {
  sumSeries(economics, columns, count, npv, lifetime, at)
  subtractLosses(economics, columns, count, npv, lifetime, at)
}

/** As if all that the system offers were consumed. A loop with no loop in it, which the compiler does best. */
function sumSeries(
  economics: Economics,
  { values, stride }: InputColumns,
  count: number,
  npv: Float64Array,
  lifetime: Float64Array,
  at: number,
): void {
  const { sizeKW, years, utilityRate, exportGrowth, incentivePerKWh, incentiveYears, present } = economics
  const { discount } = present
  const withLifetime = lifetime !== npv
  for (let trial = 0; trial < count; trial++) {
    const production = sizeKW * (values[trial] ?? 0)
    const keep = 1 - (values[stride + trial] ?? 0)
    const growth = keep * (1 + (values[2 * stride + trial] ?? 0))
    const investment = investmentOf(economics, values[3 * stride + trial] ?? 0)
    const om = values[4 * stride + trial] ?? 0
    const offered = production * (values[5 * stride + trial] ?? 0)
    const bought = offered * utilityRate
    const sold = (production - offered) * (values[6 * stride + trial] ?? 0)
    const inverter = values[7 * stride + trial] ?? 0
    const paid = production * incentivePerKWh
    const credit = taxCreditOf(economics, investment)
    let today = credit + bought * shortSum(growth * discount, years)
    if (sold !== 0) today += sold * shortSum(keep * exportGrowth * discount, years)
    if (paid !== 0) today += paid * shortSum(keep * discount, incentiveYears)
    npv[at + trial] = netValue(present, today * discount, investment, om, inverter)
    if (withLifetime) {
      let total = credit + bought * shortSum(growth, years)
      if (sold !== 0) total += sold * shortSum(keep * exportGrowth, years)
      if (paid !== 0) total += paid * shortSum(keep, incentiveYears)
      lifetime[at + trial] = netValue(economics.lifetime, total, investment, om, inverter)
    }
  }
}

/**
 * Energy above the consumption earns the export rate and not the utility rate: takes what that costs off the two
 * values of the trials in which there is any.
 */
function subtractLosses(
  { sizeKW, years, utilityRate, exportGrowth, consumptionKWh, consumptionGrowth, present }: Economics,
  { values, stride }: InputColumns,
  count: number,
  npv: Float64Array,
  lifetime: Float64Array,
  at: number,
): void {
  for (let trial = 0; trial < count; trial++) {
    const keep = 1 - (values[stride + trial] ?? 0)
    let offered = sizeKW * (values[trial] ?? 0) * (values[5 * stride + trial] ?? 0)
    if (offered <= consumptionKWh && keep <= consumptionGrowth) continue
    const escalation = 1 + (values[2 * stride + trial] ?? 0)
    let exportRate = values[6 * stride + trial] ?? 0
    let rate = utilityRate
    let wanted = consumptionKWh
    let factor = present.discount
    let today = 0
    let total = 0
    for (let year = 0; year < years; year++) {
      const surplus = offered - wanted
      if (surplus > 0) {
        const lost = surplus * (rate - exportRate)
        total += lost
        today += lost * factor
      } else if (keep <= consumptionGrowth) break
      offered *= keep
      wanted *= consumptionGrowth
      rate *= escalation
      exportRate *= exportGrowth
      factor *= present.discount
    }
    if (lifetime !== npv) lifetime[at + trial] = (lifetime[at + trial] ?? 0) - total
    npv[at + trial] = (npv[at + trial] ?? 0) - today
  }
}

/** What the first year's energy takes off the bill, USD, of `count` trials. Writes to out[at ..]. */
export function evaluateYear1Savings(
  { sizeKW, utilityRate, consumptionKWh }: Economics,
  { values, stride }: InputColumns,
  count: number,
  out: Float64Array,
  at: number,
): void {
  for (let trial = 0; trial < count; trial++) {
    const production = sizeKW * (values[trial] ?? 0)
    const used = min(production * (values[5 * stride + trial] ?? 0), consumptionKWh)
    out[at + trial] = used * utilityRate + (production - used) * (values[6 * stride + trial] ?? 0)
  }
}

/**
 * geometricSum() of at most 63 terms, without its loop: where a loop over trials has another one in it, the compiler
 * does not lift the checks of the arrays out of it.
 */
function shortSum(q: number, terms: number): number {
  const q2 = q * q
  const q4 = q2 * q2
  const q8 = q4 * q4
  const q16 = q8 * q8
  const sum2 = 1 + q
  const sum4 = sum2 * (1 + q2)
  const sum8 = sum4 * (1 + q4)
  const sum16 = sum8 * (1 + q8)
  let sum = terms & 1
  if (terms & 2) sum = sum * q2 + sum2
  if (terms & 4) sum = sum * q4 + sum4
  if (terms & 8) sum = sum * q8 + sum8
  if (terms & 16) sum = sum * q16 + sum16
  if (terms & 32) sum = sum * (q16 * q16) + sum16 * (1 + q16)
  return sum
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

/** USD paid for the system, after the rebate. */
export function investmentOf({ sizeKW, fixedCost, rebateAmount }: Economics, costPerWatt: number): number {
  return max(0, 1000 * sizeKW * costPerWatt + fixedCost - rebateAmount)
}

/** USD that come back in the first year. */
export function taxCreditOf({ taxCreditRate, taxCreditCap }: Economics, investment: number): number {
  return min(investment * taxCreditRate, taxCreditCap)
}

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
  /** of the first year */
  consumptionKWh: number
  /** USD per (USD per kW) of a new inverter in each year, mostly 0 */
  newInverter: Float64Array
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
