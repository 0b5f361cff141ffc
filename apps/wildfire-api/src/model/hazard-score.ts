/** Five equal parts of the score; not the ratings of the National Risk Index, which are published strings. */
export const hazardRatings = ['very_low', 'low', 'moderate', 'high', 'very_high'] as const

/** One of the five. */
export type HazardRating = (typeof hazardRatings)[number]

/** What a score can be made of. */
export const scoreBases = ['wrc.risk_to_homes', 'nri.loss_rate_percentile'] as const

/** One of the two. */
export type ScoreBasis = (typeof scoreBases)[number]

/** The score of a county, 0 (lowest) to 100, and what it is made of; both null where nothing is published. */
export type HazardScore =
  | { readonly score: number; readonly rating: HazardRating; readonly basis: ScoreBasis }
  | { readonly score: null; readonly rating: null; readonly basis: null }

/**
 * Scores a county: its national rank by risk to homes, else its percentile by loss rate.
 * @param riskRank national rank by risk to homes of Wildfire Risk to Communities, 0..1
 * @param lossRatePercentile national percentile of the expected annual loss rate of the National Risk Index, 0..100
 * @returns the score in tenths
 */
export function scoreHazard(riskRank: number | null, lossRatePercentile: number | null): HazardScore {
  if (riskRank !== null) return rated(riskRank * 100, 'wrc.risk_to_homes')
  if (lossRatePercentile !== null) return rated(lossRatePercentile, 'nri.loss_rate_percentile')
  return { score: null, rating: null, basis: null }
}

/**
 * Share of the other counties of a state whose score is strictly lower, in percent and tenths.
 * @param scores of all counties of the state that have one, this one included
 * @returns 0..100, or null when there is no other county to compare with
 */
export function statePercentile(score: number, scores: readonly number[]): number | null {
  if (scores.length < 2) return null
  const lower = scores.filter((other) => other < score).length
  return roundToTenths((lower / (scores.length - 1)) * 100)
}

/** The rating of a score: 20, 40, 60 and 80 begin the next one. @param score 0..100 */
export function rateScore(score: number): HazardRating {
  return hazardRatings[Math.min(4, Math.floor(score / 20))] ?? 'very_low'
}

function rated(value: number, basis: ScoreBasis): HazardScore {
  const score = roundToTenths(value)
  return { score, rating: rateScore(score), basis }
}

/** 97.7 is 0.977 * 100 less a last bit: rounding to a number of digits first keeps halves where they belong. */
function roundToTenths(value: number): number {
  return Math.round(Number(value.toPrecision(12)) * 10) / 10
}
