import type { presentHazards } from './county-risk.ts'

/** What {@link presentHazards} returns. */
export type Hazards = ReturnType<typeof presentHazards>

/** One flat row per county: the columns of CSV files and the properties of GeoJSON features. */
export function flatten({ county, hazard, exposure, expectedAnnualLoss, nri, community }: Hazards) {
  return {
    code: county.code,
    name: county.name,
    state: county.state,
    stateName: county.stateName,
    type: county.type,
    longitude: county.centroid?.[0] ?? null,
    latitude: county.centroid?.[1] ?? null,
    areaSqMi: county.areaSqMi,
    population: county.population,
    score: hazard.score,
    rating: hazard.rating,
    basis: hazard.basis,
    statePercentile: hazard.percentile.state,
    likelihoodNationalPercentile: hazard.likelihood.nationalPercentile,
    annualBurnProbability: hazard.likelihood.annualBurnProbability,
    burnProbabilitySource: hazard.likelihood.source,
    totalBuildings: exposure.totalBuildings,
    buildingValueExposedUsd: exposure.buildingValueExposedUsd,
    shareOfBuildingValue: exposure.shareOfBuildingValue,
    populationExposed: exposure.populationExposed,
    expectedAnnualLossTotalUsd: expectedAnnualLoss.totalUsd,
    expectedAnnualLossBuildingsUsd: expectedAnnualLoss.buildingsUsd,
    perMillionBuildingValueUsd: expectedAnnualLoss.perMillionBuildingValueUsd,
    lossRateNationalPercentile: expectedAnnualLoss.nationalPercentile,
    nriScore: nri.score,
    nriRating: nri.rating,
    nriVersion: nri.version,
    socialVulnerabilityScore: community.socialVulnerability.score,
    resilienceScore: community.resilience.score,
  }
}

/** RFC 7946: each county as a point at its centre; one whose centre is not known has no geometry. */
export function toGeoJson(rows: readonly ReturnType<typeof flatten>[]) {
  return { type: 'FeatureCollection', features: rows.map(toFeature) }
}

function toFeature({ longitude, latitude, ...properties }: ReturnType<typeof flatten>) {
  const geometry =
    longitude === null || latitude === null ? null : { type: 'Point', coordinates: [longitude, latitude] }
  return { type: 'Feature', id: properties.code, geometry, properties }
}
