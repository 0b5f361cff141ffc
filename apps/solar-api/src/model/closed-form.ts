import { geometricSum, segmentValue, wholePower } from './geometric.ts'
import type { LoanInput, SolarInput } from './input.ts'
import { planLoan } from './loan.ts'
import type { SolarSystem } from './system.ts'

/**
 * The model without its year loop: every stream of money is a piece of a geometric series. The results equal
 * those of the cash-flow table to rounding, at O(log years) and with no allocation, so that a simulation can
 * change the fields of one Streams object between trials and ask again.
 */

/** The streams of a system as plain numbers. The object is the caller's own to change. */
export function streamsOf(input: SolarInput, system: SolarSystem): Streams {
  return {
    years: input.analysisYears,
    productionKWh: system.sizeKW * input.annualProductionPerKW,
    degradationRate: input.degradationRate,
    consumptionKWh: input.annualConsumptionKWh,
    consumptionGrowth: input.consumptionGrowth,
    utilityRate: input.utilityRate,
    rateEscalation: input.rateEscalation,
    selfConsumptionFraction: input.selfConsumptionFraction,
    exportRate: input.exportRate,
    exportEscalation: input.exportEscalation,
    incentivePerKWh: input.productionIncentivePerKWh,
    incentiveYears: input.productionIncentiveYears,
    om: system.sizeKW * input.omCostPerKWYear,
    inverter: system.sizeKW * input.inverterCostPerKW,
    omEscalation: input.omEscalation,
    replacementYears: input.inverterReplacementYears.filter((year) => year <= input.analysisYears),
    upfrontCost: system.upfrontCost,
    taxCredit: system.taxCredit,
  }
}

/** Net present value without a loan, USD. A rate of 0 gives the plain lifetime sum. */
export function unleveredNpv(streams: Streams, discountRate: number): number {
  const v = 1 / (1 + discountRate)
  return (
    valueOfSavings(streams, v) +
    valueOfIncentive(streams, v) +
    streams.taxCredit * v -
    valueOfMaintenance(streams, v) -
    valueOfReplacements(streams, v) -
    streams.upfrontCost
  )
}

/** Sum of V_t v^t, USD: what the energy takes off the bill. */
export function valueOfSavings(streams: Streams, v: number): number {
  const turn = yearsUntilTurn(streams)
  return startsCapped(streams)
    ? valueOfCappedYears(streams, 0, turn, v) + valueOfFreeYears(streams, turn, streams.years, v)
    : valueOfFreeYears(streams, 0, turn, v) + valueOfCappedYears(streams, turn, streams.years, v)
}

/** Sum of B_t v^t, USD. */
export function valueOfIncentive(streams: Streams, v: number): number {
  const until = Math.min(streams.years, streams.incentiveYears)
  return segmentValue(
    streams.incentivePerKWh * streams.productionKWh,
    1 - streams.degradationRate,
    0,
    until,
    v,
  )
}

/** Sum of M_t v^t, USD. */
export function valueOfMaintenance(streams: Streams, v: number): number {
  return segmentValue(streams.om, 1 + streams.omEscalation, 0, streams.years, v)
}

/** Sum of W_t v^t, USD. */
export function valueOfReplacements(streams: Streams, v: number): number {
  const ratio = (1 + streams.omEscalation) * v
  let value = 0
  for (const year of streams.replacementYears) value += streams.inverter * wholePower(ratio, year - 1) * v
  return value
}

/** Sum of E_t v^t, kWh; with v = 1 the lifetime production. */
export function valueOfProduction(streams: Streams, v: number): number {
  return segmentValue(streams.productionKWh, 1 - streams.degradationRate, 0, streams.years, v)
}

/**
 * What borrowing one dollar adds to the net present value: 1 less the value of its payments, plus that of the
 * tax deduction. A loan scales with what is borrowed, so this is worked out once for any number of trials:
 * npv = unleveredNpv + upfrontCost * loan.fraction * valuePerDollarBorrowed.
 */
export function valuePerDollarBorrowed(loan: LoanInput, years: number, discountRate: number): number {
  const v = 1 / (1 + discountRate)
  const w = 1 / (1 + loan.apr / loan.paymentsPerYear)
  const paidYears = Math.min(loan.termYears, years)
  const payments = loan.termYears * loan.paymentsPerYear
  const remaining = payments - paidYears * loan.paymentsPerYear
  const payment = 1 / (1 - loan.feeRate) / (w * geometricSum(w, payments))
  const service = payment * loan.paymentsPerYear * v * geometricSum(v, paidYears)
  const payoff = payment * w * geometricSum(w, remaining) * wholePower(v, years)
  return 1 - service - payoff + loan.interestTaxRate * valueOfInterest(loan, years, v)
}

function valueOfInterest(loan: LoanInput, years: number, v: number): number {
  if (loan.interestTaxRate === 0) return 0
  const { schedule } = planLoan({ ...loan, fraction: 1 }, 1, years)
  return schedule.reduce((value, { interest }, index) => value + interest * wholePower(v, index + 1), 0)
}

/** Years in which the consumption takes all of selfConsumptionFraction. */
function valueOfFreeYears(streams: Streams, after: number, until: number, v: number): number {
  const { productionKWh, utilityRate, exportRate } = streams
  const keep = 1 - streams.degradationRate
  const self = streams.selfConsumptionFraction * productionKWh
  const used = segmentValue(self * utilityRate, keep * (1 + streams.rateEscalation), after, until, v)
  const exported = (productionKWh - self) * exportRate
  return used + segmentValue(exported, keep * (1 + streams.exportEscalation), after, until, v)
}

/** Years in which the system offers more than is consumed: the rest is exported as well. */
function valueOfCappedYears(streams: Streams, after: number, until: number, v: number): number {
  const { productionKWh, consumptionKWh, utilityRate, exportRate } = streams
  const keep = 1 - streams.degradationRate
  const growth = 1 + streams.consumptionGrowth
  const escalation = 1 + streams.exportEscalation
  const used = consumptionKWh * utilityRate
  return (
    segmentValue(used, growth * (1 + streams.rateEscalation), after, until, v) +
    segmentValue(productionKWh * exportRate, keep * escalation, after, until, v) -
    segmentValue(consumptionKWh * exportRate, growth * escalation, after, until, v)
  )
}

function startsCapped(streams: Streams): boolean {
  return streams.selfConsumptionFraction * streams.productionKWh > streams.consumptionKWh
}

/**
 * The number of years before self-consumption starts, or stops, being capped by the consumption; `years` if
 * that never changes. It changes at most once, because both series are geometric.
 */
function yearsUntilTurn(streams: Streams): number {
  const keep = 1 - streams.degradationRate
  const growth = 1 + streams.consumptionGrowth
  const isCapped = startsCapped(streams)
  if (isCapped ? keep >= growth : keep <= growth) return streams.years
  let offered = streams.selfConsumptionFraction * streams.productionKWh
  let wanted = streams.consumptionKWh
  for (let year = 1; year < streams.years; year++) {
    offered *= keep
    wanted *= growth
    if (offered > wanted !== isCapped) return year
  }
  return streams.years
}

/** Amounts are those of the first year, in USD and kWh; rates are fractions a year; see SolarInput. */
export type Streams = {
  years: number
  productionKWh: number
  degradationRate: number
  consumptionKWh: number
  consumptionGrowth: number
  utilityRate: number
  rateEscalation: number
  selfConsumptionFraction: number
  exportRate: number
  exportEscalation: number
  incentivePerKWh: number
  incentiveYears: number
  /** USD of maintenance */
  om: number
  /** USD of one replacement of the inverter */
  inverter: number
  omEscalation: number
  /** distinct years within 1..years */
  replacementYears: readonly number[]
  upfrontCost: number
  taxCredit: number
}
