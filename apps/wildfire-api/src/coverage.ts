import type { County, Releases } from './snapshot.ts'

/** What is missing from an answer about a county, and why. */
export type Coverage = {
  /** True when both sources have a row for the county. */
  readonly complete: boolean
  /** Why there is no score; null when there is one. */
  readonly reason: string | null
  readonly notes: readonly string[]
}

/** Values that are null for one cause. */
export type Gap = {
  /** A sentence without its full stop. */
  readonly cause: string
  /** Their paths in the answer about the county, such as `nri.score`. */
  readonly paths: readonly string[]
}

/**
 * Says in sentences what is not there and what that means. The notes follow from the nulls of the answer itself, so
 * that none of them is without its reason.
 * @param values the answer about the county
 * @param nameOf what values are called where the notes stand; the paths of the answer unless given
 */
export function describeCoverage(
  values: object,
  county: County,
  releases: Releases,
  nameOf: (paths: readonly string[]) => readonly string[] = (paths) => shortened(values, paths),
): Coverage {
  const { wrc, nri, hazard } = county
  const gaps = gapsOf(values, county, releases).filter(({ cause }) => cause !== whyNoScore(county))
  return {
    complete: wrc !== null && nri !== null,
    reason: hazard.score === null ? `${whyNoScore(county)}.` : null,
    notes: [
      ...gaps.flatMap(({ cause, paths }) => noteOf(cause, nameOf(paths))),
      ...(wrc !== null && nri?.wfir_afreq == null ? [estimatedProbability] : []),
      ...(county.type === 'Planning Region' ? [planningRegion] : []),
    ],
  }
}

/** A sentence that gives the cause and names the values; none where no value has a name. */
export function noteOf(cause: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${cause}. Therefore null: ${names.join(', ')}.`]
}

/**
 * What the values at the paths are called.
 * @param places paths by name, also such as lead into a list
 */
export function namesAt(places: Readonly<Record<string, string>>, paths: readonly string[]): string[] {
  const chosen = new Set(paths)
  return Object.keys(places).filter((name) => {
    const place = places[name] ?? ''
    return chosen.has(place) || chosen.has(place.slice(0, place.lastIndexOf('.')))
  })
}

/** The nulls of an answer about a county by their cause. @param subject what sentences call the county */
export function gapsOf(values: object, county: County, releases: Releases, subject = county.name): Gap[] {
  const byCause = Map.groupBy(nullsIn(values), (path) => causeOf(path, county, releases, subject))
  return [...byCause].map(([cause, paths]) => ({ cause, paths }))
}

/** Why the value at a path is null. */
function causeOf(path: string, county: County, releases: Releases, subject: string): string {
  if (path === 'county.centroid') return 'The centre of this area is not in the boundary file that is used'
  if (path.startsWith('hazard.likelihood.') && !wrcPaths.has(path)) return whyNoLikelihood(county)
  if (path.startsWith('hazard.') && !wrcPaths.has(path)) return whyNoRank(county)
  return wrcPaths.has(path)
    ? whyNotPublishedByUsda(county, releases)
    : whyNotInIndex(path, county, releases, subject)
}

/** What comes from Wildfire Risk to Communities alone. */
const wrcPaths: ReadonlySet<string> = new Set([
  'hazard.likelihood.nationalPercentile',
  'exposure.totalBuildings',
  'exposure.directlyExposedBuildingShare',
  'exposure.indirectlyExposedBuildingShare',
])

function whyNoScore(county: County): string {
  return isTerritory(county)
    ? 'Neither source scores wildfire in the territories'
    : 'No loaded source scores wildfire in this county'
}

function whyNoRank(county: County): string {
  return county.hazard.score === null
    ? whyNoScore(county)
    : `No other county of ${county.stateName} has a score to rank it among`
}

function whyNoLikelihood({ wrc, nri }: County): string {
  return (wrc?.bp_national_rank ?? nri?.wfir_afreq ?? null) === null
    ? 'No loaded source says how likely burning is here'
    : 'The published probability of burning is 0'
}

function whyNotPublishedByUsda(county: County, { wrc: release }: Releases): string {
  if (county.wrc !== null)
    return `The loaded table of USDA Wildfire Risk to Communities, ${release ?? 'without a release'}, lacks values of this county`
  return isTerritory(county)
    ? 'USDA Wildfire Risk to Communities covers the 50 states, not the territories'
    : 'USDA Wildfire Risk to Communities publishes no values for this county'
}

function whyNotInIndex(path: string, { nri }: County, { nri: release }: Releases, subject: string): string {
  if (release === null) return 'No release of the FEMA National Risk Index is loaded'
  if (nri === null)
    return `The loaded release of the FEMA National Risk Index, ${release}, has no row for ${subject}`
  const isOfWildfire = !path.startsWith('community.') && !path.startsWith('county.')
  if (nri.wfir_risks === null && isOfWildfire)
    return 'The National Risk Index does not rate wildfire in this county'
  return quotients.has(path) && !nri.buildvalue
    ? `The FEMA National Risk Index, ${release}, has no value of all buildings to divide by`
    : `The FEMA National Risk Index, ${release}, leaves values of this county blank`
}

/** What is worked out from the value of all buildings. */
const quotients: ReadonlySet<string> = new Set([
  'exposure.shareOfBuildingValue',
  'expectedAnnualLoss.perMillionBuildingValueUsd',
])

function isTerritory({ code }: County): boolean {
  return Number(code.slice(0, 2)) >= 60
}

function nullsIn(values: object): string[] {
  return leavesOf(values).flatMap(({ path, value }) => (value === null ? [path] : []))
}

type Leaf = { readonly path: string; readonly value: unknown }

/** Everything that is no object, or is a list. */
function leavesOf(value: unknown, path = '', found: Leaf[] = []): readonly Leaf[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) found.push({ path, value })
  else {
    for (const [name, inner] of Object.entries(value)) {
      leavesOf(inner, path === '' ? name : `${path}.${name}`, found)
    }
  }
  return found
}

/** The paths of an answer, those that make up a whole object as one. */
function shortened(value: unknown, paths: readonly string[], path = ''): string[] {
  const leaves = leavesOf(value, path)
  const chosen = leaves.filter((leaf) => paths.includes(leaf.path))
  if (chosen.length === 0) return []
  const isObject = leaves[0]?.path !== path
  if (!isObject) return [path]
  if (path !== '' && chosen.length === leaves.length) return [`all of ${path}`]
  return Object.entries(value as object).flatMap(([name, inner]) =>
    shortened(inner, paths, path === '' ? name : `${path}.${name}`),
  )
}

const estimatedProbability =
  'annualBurnProbability is estimated from the national rank (typical error: a factor of 1.3), not published.'

const planningRegion =
  'Connecticut has planning regions in place of counties since 2022; values for its former counties cannot be converted.'
