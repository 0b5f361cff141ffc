import { sum } from '../order-statistics.ts'

/** Smallest number of years between two breaks. */
export const shortestPart = 3

/** How much a break must save: sum of squared deviations of ln rate. */
const penalty = 0.4

/**
 * Where a series changes its level: the partition with the least sum of squared deviations from the means of its
 * parts plus a penalty per break, found exactly by dynamic programming (optimal partitioning; Jackson et al., IEEE
 * Signal Processing Letters 12, 2005).
 * @returns index of the first value of each part, the first of them 0; empty for no values
 */
export function changePoints(values: readonly number[]): number[] {
  // best[end]: cost of the best partition of the first `end` values, and where its last part starts.
  const best: { cost: number; start: number }[] = [{ cost: -penalty, start: 0 }]
  for (let end = 1; end <= values.length; end++) {
    const isWhole = { cost: deviation(values.slice(0, end)), start: 0 }
    const candidates = Array.from({ length: Math.max(0, end - 2 * shortestPart + 1) }, (_, index) => {
      const start = index + shortestPart
      const before = best[start]?.cost ?? Infinity
      return { cost: before + penalty + deviation(values.slice(start, end)), start }
    })
    best.push([isWhole, ...candidates].reduce((a, b) => (b.cost < a.cost ? b : a)))
  }
  return startsOf(best)
}

function startsOf(best: readonly { start: number }[]): number[] {
  const starts: number[] = []
  for (let end = best.length - 1; end > 0; end = starts[0] ?? 0) starts.unshift(best[end]?.start ?? 0)
  return starts
}

function deviation(part: readonly number[]): number {
  const mean = sum(part) / part.length
  return sum(part.map((value) => (value - mean) * (value - mean)))
}
