import type { Exposure } from './input.ts'

/**
 * How likely fire is to arrive at a home in a year, and to destroy it once there.
 *
 * Where FEMA's National Risk Index has losses for the county, both come from them: p = EALB / (EXPB x HLRB) for an
 * exposed home, EALB / (BUILDVALUE x HLRB) for the average building, and d0 = HLRB. Elsewhere p is the published
 * burn probability or, failing that, its estimate from the rank; d0 is then a figure for the region.
 * @param override a burn probability to use in place of the county's
 * @returns undefined when neither the county nor the caller has a burn probability
 */
export function resolveHazard(
  county: CountyHazard,
  exposure: Exposure,
  override: number | undefined,
): Hazard | undefined {
  const fromLosses = county.nri === null ? undefined : lossHazard(county.nri, exposure)
  const d0 = fromLosses?.d0 ?? (west.has(county.state) ? 0.3 : 0.1)
  const d0Source = fromLosses === undefined ? 'region' : 'nri'
  if (override !== undefined) return { p: override, d0, source: 'request', d0Source, isForExposure: true }
  if (fromLosses !== undefined) {
    return { ...fromLosses, source: 'nri_expected_loss', d0Source, isForExposure: true }
  }
  const isForExposure = exposure === 'exposed' // both fallbacks are means over exposed ground
  const frequency = county.nri?.burnProbability ?? null
  if (frequency !== null && isProbability(frequency)) {
    return { p: frequency, d0, source: 'nri_burn_probability', d0Source, isForExposure }
  }
  if (county.burnProbabilityRank === null) return undefined
  const p = estimateBurnProbability(county.burnProbabilityRank)
  return { p, d0, source: 'estimated', d0Source, isForExposure }
}

/**
 * The annual burn probability that counties of this national rank have:
 * log10 p = 0.37642 x logit(rank) - 3.28966, fitted on 29 counties of five states (root mean square error 0.123
 * decades, a factor of 1.33). The rank is clamped to 0.001..0.985, so the result is at most 0.0194.
 * @param rank share of the counties with a lower burn probability, 0..1
 */
export function estimateBurnProbability(rank: number): number {
  const clamped = Math.min(0.985, Math.max(0.001, rank))
  return Math.exp(Math.LN10 * (0.37642 * Math.log(clamped / (1 - clamped)) - 3.28966))
}

function lossHazard(losses: CountyLosses, exposure: Exposure): Pick<Hazard, 'p' | 'd0'> | undefined {
  const { expectedLoss, exposedValue, totalValue, lossRatio } = losses
  const value = exposure === 'exposed' ? exposedValue : totalValue
  // A county without exposed buildings has no loss to learn from, whatever exposure is asked for.
  if (!isPositive(expectedLoss) || !isPositive(exposedValue) || !isPositive(value)) return undefined
  if (!isPositive(lossRatio) || lossRatio < 0.001 || lossRatio > 0.999) return undefined
  const p = expectedLoss / (value * lossRatio)
  return isProbability(p) ? { p, d0: lossRatio } : undefined
}

function isPositive(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && value > 0
}

function isProbability(value: number): boolean {
  return value >= 0 && value <= 1
}

/** Where the loss ratio of the National Risk Index is 0.3 as far as seen; elsewhere it is 0.1. */
const west: ReadonlySet<string> = new Set(['AZ', 'CA', 'CO', 'ID', 'MT', 'NV', 'NM', 'OR', 'UT', 'WA', 'WY'])

/** What is known of a county. */
export type CountyHazard = Readonly<{
  /** two letters */
  state: string
  /** null: no row of the National Risk Index is loaded */
  nri: CountyLosses | null
  /** national rank of the burn probability (Wildfire Risk to Communities), 0..1 */
  burnProbabilityRank: number | null
}>

/** The wildfire columns of a county's row in the National Risk Index; null where the row is blank. */
export type CountyLosses = Readonly<{
  /** WFIR_EALB: expected loss of buildings, USD a year */
  expectedLoss: number | null
  /** WFIR_EXPB: value of the exposed buildings, USD */
  exposedValue: number | null
  /** BUILDVALUE: value of all buildings, USD */
  totalValue: number | null
  /** WFIR_HLRB: share of a building's value lost where fire arrives */
  lossRatio: number | null
  /** WFIR_AFREQ: mean annual burn probability of exposed ground */
  burnProbability: number | null
}>

export type Hazard = Readonly<{
  /** annual probability that fire arrives at the home, 0..1 */
  p: number
  /** probability that fire, once there, destroys a home hardened like the average one; 0.001..0.999 */
  d0: number
  source: HazardSource
  d0Source: 'nri' | 'region'
  /** false: `average` was asked for, and p is that of an exposed home for want of data */
  isForExposure: boolean
}>

/** `estimated`: from the county's rank. */
export type HazardSource = 'request' | 'nri_expected_loss' | 'nri_burn_probability' | 'estimated'
