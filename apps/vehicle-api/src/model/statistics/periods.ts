import { sorted, sum } from '../order-statistics.ts'
import type { CategoryCount } from '../vehicle-score.ts'
import { mileageAnalysis, type MileageAnalysis } from './mileage-analysis.ts'
import { repairCostAnalysis, type RepairCostAnalysis } from './repair-cost-analysis.ts'

/** What is known of the complaints of a model year in one category. */
export type CategoryRow = CategoryCount & {
  /** Known mileages, and repair costs in US dollars. */
  readonly mileages: readonly number[]
  readonly costs: readonly number[]
  /** Average of its own costs or the median of the category over all vehicles. */
  readonly avgRepairCost: number | null
}

/** Mileages and repair costs of a model over a span of model years. */
export type PeriodAnalysis = {
  /** First and last model year with complaints. */
  readonly from: number
  readonly to: number
  readonly mileage: MileageAnalysis
  readonly cost: RepairCostAnalysis
  /** US dollars of a repair if each costs what is usual in its category; null when unknown. */
  readonly usualCost: number | null
}

/** What is said of a period without complaints. */
export const nothingKnown: Pick<PeriodAnalysis, 'mileage' | 'cost'> = {
  mileage: mileageAnalysis(new Float64Array()),
  cost: repairCostAnalysis(new Float64Array(), null),
}

/**
 * Every span between two model years of one model, so that medians and quantiles of any period can be looked up: they
 * do not follow from those of its years.
 *
 * @param rows by model year, ascending
 */
export function analysePeriods(rows: readonly CategoryRow[]): PeriodAnalysis[] {
  const years = [...Map.groupBy(rows, ({ year }) => year)].map(([year, own]) => ofYear(year, own))
  return years.flatMap((first, at) => {
    let known = first
    return years.slice(at).map((last) => {
      if (last !== first) known = joined(known, last)
      return analyse(first.year, known)
    })
  })
}

/** Known values in ascending order, and what repairs cost that cost what is usual. */
type Known = {
  readonly year: number
  readonly mileages: Float64Array
  readonly costs: Float64Array
  /** Complaints with a usual cost, and the cost of each of them. */
  readonly usual: readonly { readonly complaints: number; readonly cost: number }[]
}

function ofYear(year: number, rows: readonly CategoryRow[]): Known {
  return {
    year,
    mileages: sorted(rows.flatMap(({ mileages }) => mileages)),
    costs: sorted(rows.flatMap(({ costs }) => costs)),
    usual: rows.flatMap(({ complaints, avgRepairCost: cost }) =>
      cost === null ? [] : [{ complaints, cost }],
    ),
  }
}

/** @returns a span that ends with the later one */
function joined(earlier: Known, later: Known): Known {
  return {
    year: later.year,
    mileages: merged(earlier.mileages, later.mileages),
    costs: merged(earlier.costs, later.costs),
    usual: [...earlier.usual, ...later.usual],
  }
}

function analyse(from: number, { year: to, mileages, costs, usual }: Known): PeriodAnalysis {
  const complaints = sum(usual.map((one) => one.complaints))
  const usualCost = complaints === 0 ? null : sum(usual.map((one) => one.cost * one.complaints)) / complaints
  const cost = repairCostAnalysis(costs, usualCost)
  return { from, to, mileage: mileageAnalysis(mileages), cost, usualCost }
}

/** Both in one ascending order. */
function merged(one: Float64Array, other: Float64Array): Float64Array {
  if (other.length === 0) return one
  const all = new Float64Array(one.length + other.length)
  let [a, b] = [0, 0]
  for (let at = 0; at < all.length; at++) {
    const isOne = b >= other.length || (a < one.length && (one[a] ?? NaN) <= (other[b] ?? NaN))
    all[at] = (isOne ? one[a++] : other[b++]) ?? NaN
  }
  return all
}
