import type { NriValues } from './database.ts'
import { estimateBurnProbability } from './model/hazard.ts'
import { describeCoverage } from './coverage.ts'
import type { County, Releases, Snapshot } from './snapshot.ts'

/** Printed with every answer. */
export const disclaimer =
  'County averages for planning and comparison, from public data of the USDA Forest Service and FEMA. They describe neither a single property nor any day; they are no insurance quote and do not replace a local assessment.'

/**
 * Everything that is published about a county, as it is answered. Values of the National Risk Index are passed on
 * unchanged; what is not published is null, and `coverage` says why.
 */
export function presentCounty(snapshot: Snapshot, county: County) {
  const hazards = presentHazards(snapshot, county)
  return {
    ...hazards,
    comparison: {
      neighbors: presentBriefly(snapshot, county.neighbors),
      statePeers: presentBriefly(snapshot, statePeers(snapshot, county)),
    },
    dataVintage: presentVintage(snapshot),
    coverage: describeCoverage(hazards, county, snapshot.releases),
    disclaimer,
  }
}

/** The part of {@link presentCounty} that stands in comparisons and tables. */
export function presentHazards({ releases }: Snapshot, county: County) {
  const { hazard, wrc, nri, statePercentile } = county
  return {
    county: presentPlace(county),
    hazard: {
      ...hazard,
      percentile: { national: hazard.score, state: statePercentile },
      likelihood: presentLikelihood(county, releases),
    },
    exposure: {
      totalBuildings: wrc?.buildings ?? null,
      directlyExposedBuildingShare: wrc?.buildings_direct ?? null,
      indirectlyExposedBuildingShare: wrc?.buildings_indirect ?? null,
      buildingValueExposedUsd: nri?.wfir_expb ?? null,
      shareOfBuildingValue: quotient(nri?.wfir_expb, nri?.buildvalue, 4),
      populationExposed: nri?.wfir_expp ?? null,
      populationEquivalentExposedUsd: nri?.wfir_exppe ?? null,
      agricultureValueExposedUsd: nri?.wfir_expa ?? null,
      totalValueExposedUsd: nri?.wfir_expt ?? null,
      areaExposedSqMi: nri?.wfir_exp_area ?? null,
    },
    expectedAnnualLoss: presentLoss(nri),
    nri: presentIndex(nri, releases),
    community: {
      socialVulnerability: { score: nri?.sovi_score ?? null, rating: nri?.sovi_ratng ?? null },
      resilience: { score: nri?.resl_score ?? null, rating: nri?.resl_ratng ?? null },
    },
  }
}

/** Which releases an answer was made from. */
export function presentVintage({ releases, version }: Snapshot) {
  return { ...releases, dataVersion: version }
}

/** A county in one line, for lists of counties. */
export function presentLine({ code, name, state, hazard }: County) {
  return { code, name, state, score: hazard.score }
}

/** Which release of the National Risk Index a value came from, such as `nri_v1.20`. */
export function nriSource(release: string | null): string {
  const version = /^v[\d.]+/.exec(release ?? '')?.[0]
  return version === undefined ? 'nri' : `nri_${version}`
}

function presentPlace({ code, name, state, stateName, type, centroid, nri, wrc }: County) {
  return {
    ...{ code, name, state, stateName, type, centroid },
    areaSqMi: nri?.area ?? null,
    population: nri?.population ?? wrc?.population ?? null,
  }
}

function presentLikelihood({ wrc, nri }: County, { nri: release }: Releases) {
  const rank = wrc?.bp_national_rank ?? null
  const published = nri?.wfir_afreq ?? null
  // Three digits are more than the estimate is good for.
  const estimated = rank === null ? null : Number(estimateBurnProbability(rank).toPrecision(3))
  const probability = published ?? estimated
  return {
    nationalPercentile: rank === null ? null : round(rank * 100, 1),
    annualBurnProbability: probability,
    oneIn: probability === null || probability === 0 ? null : Math.round(1 / probability),
    source: published !== null ? nriSource(release) : estimated === null ? null : 'estimated',
  }
}

function presentLoss(nri: NriValues | null) {
  const rate = nri?.wfir_alrb ?? null
  return {
    totalUsd: nri?.wfir_ealt ?? null,
    buildingsUsd: nri?.wfir_ealb ?? null,
    populationEquivalentUsd: nri?.wfir_ealpe ?? null,
    agricultureUsd: nri?.wfir_eala ?? null,
    fatalities: nri?.wfir_ealp ?? null,
    perMillionBuildingValueUsd:
      rate === null ? quotient(nri?.wfir_ealb, (nri?.buildvalue ?? 0) / 1e6, 1) : round(rate * 1e6, 1),
    nationalPercentile: nri?.wfir_alr_npctl ?? null,
    lossRates: {
      buildings: rate,
      population: nri?.wfir_alrp ?? null,
      agriculture: nri?.wfir_alra ?? null,
    },
  }
}

function presentIndex(nri: NriValues | null, { nri: release }: Releases) {
  return {
    score: nri?.wfir_risks ?? null,
    rating: nri?.wfir_riskr ?? null,
    ealScore: nri?.wfir_eals ?? null,
    ealRating: nri?.wfir_ealr ?? null,
    riskValueUsd: nri?.wfir_riskv ?? null,
    communityRiskFactor: nri?.crf_value ?? null,
    historicLossRatio: {
      buildings: nri?.wfir_hlrb ?? null,
      population: nri?.wfir_hlrp ?? null,
      agriculture: nri?.wfir_hlra ?? null,
      rating: nri?.wfir_hlrr ?? null,
    },
    version: nri === null ? null : release,
  }
}

function presentBriefly({ counties }: Snapshot, codes: readonly string[]) {
  return codes.flatMap((code) => {
    const county = counties.get(code)
    return county === undefined ? [] : [presentLine(county)]
  })
}

/** Up to two counties just above in the state's order, and up to two just below. */
function statePeers({ byState }: Snapshot, { code, state, hazard }: County): string[] {
  if (hazard.score === null) return []
  const scored = (byState.get(state) ?? []).filter((county) => county.hazard.score !== null)
  const at = scored.findIndex((county) => county.code === code)
  return [...scored.slice(Math.max(0, at - 2), at), ...scored.slice(at + 1, at + 3)].map(
    (county) => county.code,
  )
}

function quotient(
  part: number | null | undefined,
  whole: number | null | undefined,
  places: number,
): number | null {
  if (part == null || whole == null || whole === 0) return null
  return round(part / whole, places)
}

/** Half away from zero at the decimal that people see, not at the last bit of a product. */
function round(value: number, places: number): number {
  return Number(Number(value.toPrecision(12)).toFixed(places))
}
