import type { County, Releases } from './snapshot.ts'

/** What is missing from an answer about a county, and why. */
export type Coverage = {
  /** True when both sources have a row for the county. */
  readonly complete: boolean
  /** Why there is no score; null when there is one. */
  readonly reason: string | null
  readonly notes: readonly string[]
}

/** Says in sentences what is not there and what that means. */
export function describeCoverage(county: County, releases: Releases): Coverage {
  const { wrc, nri, hazard, centroid, type } = county
  const isTerritory = Number(county.code.slice(0, 2)) >= 60
  const notes: string[] = []
  if (nri === null) notes.push(noIndex(releases.nri, county))
  else if (nri.wfir_risks === null)
    notes.push('The National Risk Index does not rate wildfire in this county.')
  if (wrc === null) notes.push(noRanks(isTerritory))
  else if (nri?.wfir_afreq == null) notes.push(estimatedProbability)
  if (type === 'Planning Region') notes.push(planningRegion)
  if (centroid === null) notes.push('The centre of this area is not in the boundary file that is used.')
  return {
    complete: wrc !== null && nri !== null,
    reason: hazard.score === null ? whyNoScore(isTerritory) : null,
    notes,
  }
}

function noIndex(release: string | null, { name }: County): string {
  return release === null
    ? 'No release of the FEMA National Risk Index is loaded: exposure in dollars, expected annual loss, NRI scores and community scores are null.'
    : `The loaded release of the FEMA National Risk Index, ${release}, has no row for ${name}.`
}

function noRanks(isTerritory: boolean): string {
  return isTerritory
    ? 'USDA Wildfire Risk to Communities covers the 50 states, not the territories.'
    : 'USDA Wildfire Risk to Communities publishes no values for this county.'
}

function whyNoScore(isTerritory: boolean): string {
  return isTerritory
    ? 'Neither source scores wildfire in the territories.'
    : 'No loaded source scores wildfire in this county.'
}

const estimatedProbability =
  'annualBurnProbability is estimated from the national rank (typical error: a factor of 1.3), not published.'

const planningRegion =
  'Connecticut has planning regions in place of counties since 2022; values for its former counties cannot be converted.'
