import { averageCost, expensiveFrom, minimumCosts } from '../average-cost.ts'
import { countBelow, quantile } from '../order-statistics.ts'
import { percentageOf, roundTo } from '../rounding.ts'

/** What is said about repair costs, US dollars. */
export type RepairCostAnalysis = {
  readonly avg_repair_cost: number | null
  readonly median_repair_cost: number | null
  /** Share of the costs that are 1,000 dollars or more; null with too few costs to tell. */
  readonly expensive_repairs_percentage: number | null
  /** Whether average and median are those of such repairs on all vehicles, for lack of own costs. */
  readonly estimated: boolean
  /** Complaints with a known cost. */
  readonly n: number
}

/**
 * @param costs ascending
 * @param estimate of a repair where there are too few costs; null when unknown
 */
export function repairCostAnalysis(costs: Float64Array, estimate: number | null): RepairCostAnalysis {
  const n = costs.length
  const { average, estimated } = averageCost(costs, estimate)
  const isEnough = n >= minimumCosts
  return {
    avg_repair_cost: average,
    median_repair_cost: isEnough ? roundTo(quantile(costs, 0.5), 2) : average,
    expensive_repairs_percentage: isEnough ? percentageOf(n - countBelow(costs, expensiveFrom), n) : null,
    estimated,
    n,
  }
}
