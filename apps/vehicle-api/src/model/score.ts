import { normalCdf } from './normal-cdf.ts'
import type { RateScale } from './reliability-fit.ts'
import { roundTo } from './rounding.ts'
import type { Confidence } from './vehicle-score.ts'

/**
 * 100 * Phi(-z) with one decimal, z being how many sigmas the rate lies above the median of the reference
 * population: the share of a normal population that is worse. 50 is the median vehicle, 84 one sigma better;
 * clipped to 1 to 99.
 * @param lnRate natural logarithm of a rate of weighted complaints
 */
export function scoreOf(lnRate: number, { median, sigma }: Pick<RateScale, 'median' | 'sigma'>): number {
  return roundTo(Math.min(99, Math.max(1, 100 * normalCdf((median - lnRate) / sigma))), 1)
}

/** The score on a scale of 0.0 to 5.0. */
export function ratingOf(score: number): number {
  return roundTo(score / 20, 1)
}

/** Scores in words, by quintiles. */
export function labelOf(score: number, confidence: Confidence): ScoreLabel {
  if (confidence === 'insufficient_data') return 'insufficient_data'
  if (score >= 80) return 'excellent'
  if (score >= 60) return 'good'
  if (score >= 40) return 'average'
  return score >= 20 ? 'below_average' : 'poor'
}

export const scoreLabels = [
  ...(['excellent', 'good', 'average', 'below_average', 'poor', 'insufficient_data'] as const),
] as const

export type ScoreLabel = (typeof scoreLabels)[number]

/** What is said where there are too few complaints to say anything: the median vehicle. */
export const unknownScore = 50
