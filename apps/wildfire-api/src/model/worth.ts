import { geometricSum, wholePower } from './geometric.ts'

/**
 * Value today of one dollar at the end of each year: (1 - (1 + r)^-N) / r, and N for r = 0.
 * @param years whole, >= 0
 * @param discountRate >= 0
 */
export function annuity(discountRate: number, years: number): number {
  const v = 1 / (1 + discountRate)
  return v * geometricSum(v, years)
}

/**
 * Value today of doing something and keeping it: the price now and again whenever its life ends before the horizon,
 * and the upkeep of every year.
 * @param lifeYears whole, >= 1
 */
export function presentCost(cost: Outlay, discountRate: number, years: number): number {
  const v = 1 / (1 + discountRate)
  const purchases = Math.ceil(years / cost.lifeYears)
  return (
    cost.upfrontCost * geometricSum(wholePower(v, cost.lifeYears), purchases) +
    cost.upkeep * annuity(discountRate, years)
  )
}

/**
 * Whether an outlay is worth a yearly benefit. Quotients that are not finite are null.
 * @param factor the annuity of the horizon
 */
export function worthOf(annualBenefit: number, cost: Costs, factor: number): Worth {
  const pvBenefit = annualBenefit * factor
  const yearly = annualBenefit - cost.upkeep
  return {
    annualBenefit,
    pvBenefit,
    npv: pvBenefit - cost.pvCost,
    bcr: finiteOrNull(pvBenefit / cost.pvCost),
    paybackYears: yearly > 0 ? finiteOrNull(cost.upfrontCost / yearly) : null,
  }
}

/** A quotient by next to nothing is not a number to answer with. */
export function finiteOrNull(quotient: number): number | null {
  return Number.isFinite(quotient) ? quotient : null
}

/** USD and years. */
export type Outlay = Readonly<{ upfrontCost: number; upkeep: number; lifeYears: number }>

/** USD; upkeep is a year's. */
export type Costs = Readonly<{ upfrontCost: number; upkeep: number; pvCost: number }>

/** USD unless said otherwise. */
export type Worth = Readonly<{
  annualBenefit: number
  pvBenefit: number
  /** pvBenefit less the present cost */
  npv: number
  /** pvBenefit / present cost; null without a cost */
  bcr: number | null
  /** price over what a year brings after upkeep, without interest and replacements; null: never */
  paybackYears: number | null
}>
