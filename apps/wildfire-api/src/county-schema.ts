import { record } from '@hearth/chassis/endpoint'
import Joi from 'joi'
import { hazardRatings, scoreBases } from './model/hazard-score.ts'

/** Schemas of what the county endpoints answer; they are what /openapi.json shows. */

const number = (description: string) => Joi.number().allow(null).description(description)
const text = (description: string) => Joi.string().allow(null).description(description)
/** With `valid(…, null)` the schema that is shown would not have the null. */
export const choice = (values: readonly string[]) =>
  Joi.alternatives().try(Joi.string().valid(...values), Joi.valid(null))
const usd = (what: string) => number(`${what}, in USD as published; null where nothing is.`)

const someScore = Joi.number().min(0).max(100)
const scale = '0 (lowest) to 100: percent of the counties whose homes are at lower risk.'
const score = someScore.allow(null).description(`${scale} Null: see coverage.reason.`)

const line = {
  code: Joi.string().description('FIPS code, 5 digits.'),
  name: Joi.string(),
  state: Joi.string().description('Postal abbreviation.'),
}

/** A county in one line. */
export const countyLineSchema = record({
  ...line,
  score: someScore
    .allow(null)
    .description(
      `${scale} Null: no loaded source scores that county; coverage.reason of its own answer (GET /v1/risk/county/{code}) says why.`,
    ),
})

/** A county among others with a score. */
export const rankedLineSchema = record({ ...line, score: someScore.description(scale) })

/** Which releases an answer was made from. */
export const vintageSchema = record({
  wrc: text('Release date of USDA Wildfire Risk to Communities; null when none is loaded.'),
  nri: text('Version and month of the FEMA National Risk Index; null when none is loaded.'),
  dataVersion: Joi.number().integer().description('Grows by one whenever other data are published.'),
})

const place = record({
  code: Joi.string().description('FIPS code, 5 digits.'),
  name: Joi.string(),
  state: Joi.string().description('Postal abbreviation.'),
  stateName: Joi.string(),
  type: Joi.string().description('County, Parish, Borough, Independent City and so on.'),
  centroid: Joi.array()
    .items(Joi.number())
    .length(2)
    .allow(null)
    .description('Longitude and latitude, WGS 84; null where the boundary file has none.'),
  areaSqMi: number('Area in square miles.'),
  population: number('Residents.'),
})

const hazard = record({
  score,
  rating: choice(hazardRatings).description(
    'Fifth of the score. Not the rating of the National Risk Index: that is nri.rating.',
  ),
  basis: choice(scoreBases).description(
    'What the score is: the rank by risk to homes (USDA), or the percentile of the loss rate (FEMA).',
  ),
  percentile: record({
    national: number('The score.'),
    state: number("Percent of the state's other counties with a lower score."),
  }),
  likelihood: record({
    nationalPercentile: number('Percent of counties where burning is less likely.'),
    annualBurnProbability: number('Mean yearly probability of burning, 0..1.'),
    oneIn: number('The same as once in so many years.'),
    source: text('`nri_` and a version: published; `estimated`: from the national rank.'),
  }),
})

const exposure = record({
  totalBuildings: number('Buildings in the county.'),
  directlyExposedBuildingShare: number('Share of buildings on ground that burns, 0..1.'),
  indirectlyExposedBuildingShare: number('Share of buildings within reach of embers or burning homes, 0..1.'),
  buildingValueExposedUsd: usd('Value of exposed buildings'),
  shareOfBuildingValue: number('Exposed share of the value of all buildings, 0..1.'),
  populationExposed: number('Exposed residents; fractional, as published.'),
  populationEquivalentExposedUsd: usd('Value of statistical lives of exposed residents'),
  agricultureValueExposedUsd: usd('Value of exposed crops and livestock'),
  totalValueExposedUsd: usd('Sum of the three'),
  areaExposedSqMi: number('Exposed area in square miles.'),
})

const expectedAnnualLoss = record({
  totalUsd: usd('Expected annual loss'),
  buildingsUsd: usd('Of buildings'),
  populationEquivalentUsd: usd('Of lives, by the value of a statistical life'),
  agricultureUsd: usd('Of crops and livestock'),
  fatalities: number('Expected deaths per year.'),
  perMillionBuildingValueUsd: number('Expected annual loss of buildings per million USD of building value.'),
  nationalPercentile: number(
    'National percentile of the loss rate, which does not grow with the size of a county.',
  ),
  lossRates: record({
    buildings: number('Expected annual loss as a share of the value, as published.'),
    population: number('Expected deaths per resident and year.'),
    agriculture: number('As for buildings.'),
  }),
})

const nri = record({
  score: number(
    'Wildfire risk score of the National Risk Index, 0..100. It grows with what there is to lose.',
  ),
  rating: text('Its rating, as published.'),
  ealScore: number('Percentile of the expected annual loss.'),
  ealRating: text('Its rating, as published.'),
  riskValueUsd: usd('Expected annual loss times the community risk factor'),
  communityRiskFactor: number('From social vulnerability and resilience; 1 is the average.'),
  historicLossRatio: record({
    buildings: number('Share of a building lost when it burns, as FEMA assumes it for the region.'),
    population: number('The same for people.'),
    agriculture: number('The same for crops and livestock.'),
    rating: text('Its rating, as published.'),
  }),
  version: text('Release of the National Risk Index. Scores of different versions cannot be compared.'),
})

const community = record({
  socialVulnerability: record({
    score: number('0..100; high is bad.'),
    rating: text('As published.'),
  }),
  resilience: record({
    score: number('0..100; high is good.'),
    rating: text('As published.'),
  }),
})

/** The part of a county's answer that stands in comparisons. */
export const hazardFields = { county: place, hazard, exposure, expectedAnnualLoss, nri, community }

/** What is missing, and why. */
export const coverageSchema = record({
  complete: Joi.boolean().description('Both sources have a row for the county.'),
  reason: text('Why hazard.score, rating, basis and percentile are null; null when there is a score.'),
  notes: Joi.array()
    .items(Joi.string())
    .description('Why any other value is null, each named by its path; and what else to know of the values.'),
})

/** The answer about one county. */
export const countySchema = record({
  ...hazardFields,
  comparison: record({
    neighbors: Joi.array().items(countyLineSchema).description('Counties that share a border, by code.'),
    statePeers: Joi.array()
      .items(countyLineSchema)
      .description("The next two above and below in the state's order of scores."),
  }),
  dataVintage: vintageSchema,
  coverage: coverageSchema,
  disclaimer: Joi.string(),
})
