import type { RateScale } from './reliability-fit.ts'

/**
 * Scores of a population at each per cent of it: the k-th is the lowest score that k % of the vehicles do not
 * exceed. Empty for no vehicles.
 */
export function percentilesOf(scores: readonly number[]): number[] {
  const ordered = scores.toSorted((a, b) => a - b)
  if (ordered.length === 0) return []
  return Array.from({ length: 100 }, (_, index) => {
    const rank = Math.ceil(((index + 1) * ordered.length) / 100)
    return ordered[rank - 1] ?? NaN
  })
}

/**
 * How many per cent of the reference vehicles score less, rounded down. The score itself is not that share: it is
 * the one that a normal distribution with the same median and spread would have.
 * @returns null where the percentiles were not stored, or there are no vehicles
 */
export function shareBelow(score: number, { scorePercentiles }: Pick<RateScale, 'scorePercentiles'>) {
  if (scorePercentiles === undefined || scorePercentiles.length === 0) return null
  return scorePercentiles.filter((percentile) => percentile < score).length
}

/** How many per cent of them score more, at least: up to one per cent fewer than do. */
export function shareAbove(score: number, { scorePercentiles }: Pick<RateScale, 'scorePercentiles'>) {
  if (scorePercentiles === undefined || scorePercentiles.length === 0) return null
  return Math.max(0, scorePercentiles.filter((percentile) => percentile > score).length - 1)
}
