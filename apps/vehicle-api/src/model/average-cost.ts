import { quantile } from './order-statistics.ts'
import { roundTo } from './rounding.ts'

// Bound here for the same reason as in order-statistics.ts.
const { max, min } = Math

/** Of fewer repair costs than this there is neither an average nor a median. */
export const minimumCosts = 5

/** From this many US dollars on a repair counts as expensive. */
export const expensiveFrom = 1000

/** US dollars; null where nothing is known. */
export type AverageCost = { readonly average: number | null; readonly estimated: boolean }

/**
 * Average repair cost of a group: the mean with the lowest and highest twentieth drawn in to the quantiles there
 * (winsorised), so that one mistyped amount does not decide; of fewer than `minimumCosts` amounts the estimate, or null
 * where there is none.
 * @param costs US dollars, ascending
 * @param estimate what such repairs cost elsewhere: the median of the category over all vehicles, null where these too have
 *   fewer than `minimumCosts` amounts
 */
export function averageCost(costs: ArrayLike<number>, estimate: number | null): AverageCost {
  if (costs.length < minimumCosts) {
    return { average: estimate === null ? null : roundTo(estimate, 2), estimated: estimate !== null }
  }
  const [low, high] = [quantile(costs, 0.05), quantile(costs, 0.95)]
  let total = 0
  for (let at = 0; at < costs.length; at++) total += min(high, max(low, costs[at] ?? NaN))
  return { average: roundTo(total / costs.length, 2), estimated: false }
}
