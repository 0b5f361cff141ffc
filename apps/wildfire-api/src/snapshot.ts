import type { NriValues, WrcValues } from './database.ts'
import { scoreHazard, statePercentile, type HazardScore } from './model/hazard-score.ts'

/** The county data of one data version, frozen: what every answer is made from. */
export type Snapshot = {
  /** Number of the data version, for people. */
  readonly version: number
  /** Names the data version over all databases. */
  readonly stamp: string
  readonly releases: Releases
  /** By code, in the order of codes. */
  readonly counties: ReadonlyMap<string, County>
  /** Counties of a state, highest score first, those without a score last. */
  readonly byState: ReadonlyMap<string, readonly County[]>
}

/** The release of each source, or null when none is loaded. */
export type Releases = { readonly wrc: string | null; readonly nri: string | null }

/** A county with everything that is published about it. */
export type County = {
  /** 5 digits (FIPS). */
  readonly code: string
  readonly name: string
  /** Postal abbreviation. */
  readonly state: string
  readonly stateName: string
  readonly type: string
  /** Longitude and latitude in degrees. */
  readonly centroid: readonly [number, number] | null
  /** Codes of the counties around it. */
  readonly neighbors: readonly string[]
  readonly wrc: WrcValues | null
  readonly nri: NriValues | null
  readonly hazard: HazardScore
  /** Percent of the state's other scored counties with a lower score. */
  readonly statePercentile: number | null
}

/** A county as the database has it. */
export type CountyRow = {
  readonly code: string
  readonly name: string
  readonly state: string
  readonly state_name: string
  readonly type: string
  readonly longitude: number | null
  readonly latitude: number | null
  readonly neighbors: readonly string[]
  readonly wrc: WrcValues | null
  readonly nri: NriValues | null
}

/** Joins the rows of one data version and ranks each county within its state. */
export function makeSnapshot(options: {
  readonly version: number
  readonly stamp: string
  readonly releases: Releases
  readonly rows: readonly CountyRow[]
}): Snapshot {
  const { rows, ...rest } = options
  const scored = rows.map((row) => ({
    row,
    hazard: scoreHazard(row.wrc?.risk_national_rank ?? null, row.nri?.wfir_alr_npctl ?? null),
  }))
  const scoresByState = new Map<string, number[]>()
  for (const { row, hazard } of scored) {
    if (hazard.score === null) continue
    const known = scoresByState.get(row.state)
    if (known === undefined) scoresByState.set(row.state, [hazard.score])
    else known.push(hazard.score)
  }
  const counties = scored.map(({ row, hazard }) => countyOf(row, hazard, scoresByState.get(row.state) ?? []))
  const byState = Map.groupBy(counties, ({ state }) => state)
  for (const group of byState.values()) group.sort(byScore)
  return { ...rest, counties: new Map(counties.map((county) => [county.code, county])), byState }
}

function countyOf(row: CountyRow, hazard: HazardScore, scores: readonly number[]): County {
  const { code, name, state, state_name: stateName, type, longitude, latitude, neighbors, wrc, nri } = row
  const centroid = longitude === null || latitude === null ? null : ([longitude, latitude] as const)
  const ofState = hazard.score === null ? null : statePercentile(hazard.score, scores)
  return {
    code,
    name,
    state,
    stateName,
    type,
    centroid,
    neighbors,
    wrc,
    nri,
    hazard,
    statePercentile: ofState,
  }
}

function byScore(a: County, b: County): number {
  return (b.hazard.score ?? -1) - (a.hazard.score ?? -1) || (a.code < b.code ? -1 : 1)
}
