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
  const losses = county.nri === null ? 'not_loaded' : lossHazard(county.nri, exposure)
  if (typeof losses === 'object') {
    const known = { d0Source: 'nri', isForExposure: true, lossGap: null } as const
    return override === undefined
      ? { ...losses, source: 'nri_expected_loss', ...known }
      : { p: override, d0: losses.d0, source: 'request', ...known }
  }
  const regional = { d0: west.has(county.state) ? 0.3 : 0.1, d0Source: 'region', lossGap: losses } as const
  if (override !== undefined) return { p: override, source: 'request', ...regional, isForExposure: true }
  const isForExposure = exposure === 'exposed' // both fallbacks are means over exposed ground
  const frequency = county.nri?.burnProbability ?? null
  if (frequency !== null && isProbability(frequency)) {
    return { p: frequency, source: 'nri_burn_probability', ...regional, isForExposure }
  }
  if (county.burnProbabilityRank === null) return undefined
  const p = estimateBurnProbability(county.burnProbabilityRank)
  return { p, source: 'estimated', ...regional, isForExposure }
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

function lossHazard(losses: CountyLosses, exposure: Exposure): Pick<Hazard, 'p' | 'd0'> | LossGap {
  const { expectedLoss, exposedValue, totalValue, lossRatio } = losses
  const value = exposure === 'exposed' ? exposedValue : totalValue
  // A county without exposed buildings has no loss to learn from, whatever exposure is asked for.
  if (expectedLoss === 0 || exposedValue === 0) return 'no_loss'
  if (expectedLoss === null || exposedValue === null || value === null || lossRatio === null) return 'blank'
  if (!isPositive(expectedLoss) || !isPositive(exposedValue) || !isPositive(value)) return 'implausible'
  if (!isPositive(lossRatio) || lossRatio < 0.001 || lossRatio > 0.999) return 'implausible'
  const p = expectedLoss / (value * lossRatio)
  return isProbability(p) ? { p, d0: lossRatio } : 'implausible'
}

function isPositive(value: number): boolean {
  return Number.isFinite(value) && value > 0
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
  /** why d0 and perhaps p do not come from the losses of the county; null where they do */
  lossGap: LossGap | null
}>

/**
 * Why nothing follows from the losses of a county: there is no row of the index; a value in it is blank; no loss of
 * buildings is expected; the values do not go together.
 */
export type LossGap = 'not_loaded' | 'blank' | 'no_loss' | 'implausible'

/** `estimated`: from the county's rank. */
export type HazardSource = 'request' | 'nri_expected_loss' | 'nri_burn_probability' | 'estimated'
