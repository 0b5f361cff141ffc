import type { CsvValue } from '@hearth/chassis/csv'
import { disclaimer, type presentHazards, type presentVintage } from './county-risk.ts'
import { describeCoverage, namesAt } from './coverage.ts'
import type { County, Releases } from './snapshot.ts'

/** What {@link presentHazards} returns. */
export type Hazards = ReturnType<typeof presentHazards>

/** The columns of CSV files and the properties of GeoJSON features, and where their values stand in an answer. */
const columns = {
  code: 'county.code',
  name: 'county.name',
  state: 'county.state',
  stateName: 'county.stateName',
  type: 'county.type',
  longitude: 'county.centroid.0',
  latitude: 'county.centroid.1',
  areaSqMi: 'county.areaSqMi',
  population: 'county.population',
  score: 'hazard.score',
  rating: 'hazard.rating',
  basis: 'hazard.basis',
  statePercentile: 'hazard.percentile.state',
  likelihoodNationalPercentile: 'hazard.likelihood.nationalPercentile',
  annualBurnProbability: 'hazard.likelihood.annualBurnProbability',
  burnProbabilitySource: 'hazard.likelihood.source',
  totalBuildings: 'exposure.totalBuildings',
  buildingValueExposedUsd: 'exposure.buildingValueExposedUsd',
  shareOfBuildingValue: 'exposure.shareOfBuildingValue',
  populationExposed: 'exposure.populationExposed',
  expectedAnnualLossTotalUsd: 'expectedAnnualLoss.totalUsd',
  expectedAnnualLossBuildingsUsd: 'expectedAnnualLoss.buildingsUsd',
  perMillionBuildingValueUsd: 'expectedAnnualLoss.perMillionBuildingValueUsd',
  lossRateNationalPercentile: 'expectedAnnualLoss.nationalPercentile',
  nriScore: 'nri.score',
  nriRating: 'nri.rating',
  nriVersion: 'nri.version',
  socialVulnerabilityScore: 'community.socialVulnerability.score',
  resilienceScore: 'community.resilience.score',
} as const

const steps = Object.entries(columns).map(([name, path]) => [name, path.split('.')] as const)

/** One flat row per county, with what is missing from it, and why. */
export type Row = Readonly<Record<keyof typeof columns | 'coverageReason' | 'coverageNotes', CsvValue>>

/** The row of a county. */
export function flatten(hazards: Hazards, county: County, releases: Releases): Row {
  const nameOf = (paths: readonly string[]) => namesAt(columns, paths)
  const { reason, notes } = describeCoverage(hazards, county, releases, nameOf)
  const values = steps.map(([name, way]) => [name, valueAt(hazards, way)] as const)
  return { ...Object.fromEntries(values), coverageReason: reason, coverageNotes: notes.join(' ') } as Row // one per column
}

/** What a file that has lost its headers and its address should still say of its rows. */
export function provenanceColumns({ wrc, nri, dataVersion }: Vintage) {
  return { wrcRelease: wrc, nriRelease: nri, dataVersion, disclaimer }
}

type Vintage = ReturnType<typeof presentVintage>

function valueAt(values: object, way: readonly string[]): CsvValue {
  return way.reduce<unknown>(
    (value, name) => (value as Readonly<Record<string, unknown>> | null)?.[name] ?? null,
    values,
  ) as CsvValue // the paths of columns lead to such values
}

/** RFC 7946: each county as a point at its centre; one whose centre is not known has no geometry. */
export function toGeoJson(rows: readonly Row[], dataVintage: Vintage) {
  return { type: 'FeatureCollection', dataVintage, disclaimer, features: rows.map(toFeature) }
}

function toFeature({ longitude, latitude, ...properties }: Row) {
  const geometry =
    longitude === null || latitude === null ? null : { type: 'Point', coordinates: [longitude, latitude] }
  return { type: 'Feature', id: properties.code, geometry, properties }
}
