import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import { countyResponses, sendCounties } from './answers.ts'
import { findCounty, padCountyCode } from './county-code.ts'
import type { CountyData } from './county-data.ts'
import { disclaimer, presentHazards, presentLine, presentVintage } from './county-risk.ts'
import { coverageSchema, hazardFields, rankedLineSchema, vintageSchema } from './county-schema.ts'
import { describeCoverage } from './coverage.ts'
import { success } from './deployment.ts'
import { wildfireProblems } from './problems.ts'
import type { County, Snapshot } from './snapshot.ts'

/** GET /v1/risk/compare */
export function riskCompare(data: CountyData): Endpoint {
  return endpoint(describeRiskCompare(), ({ query }, req, res) => {
    const snapshot = data.snapshot()
    const codes = query.codes.split(',').map((code) => padCountyCode(code.trim()))
    const twice = codes.find((code, at) => codes.indexOf(code) !== at)
    if (twice !== undefined) {
      const detail = `codes names ${twice} twice; name each county once.`
      throw invalid([{ parameter: 'codes', code: 'duplicate', detail }])
    }
    const counties = codes.map((code) => findCounty(snapshot, code))
    const json = () => success(present(snapshot, counties))
    return sendCounties(req, res, { snapshot, json, counties })
  })
}

function present(snapshot: Snapshot, counties: readonly County[]) {
  const scores = counties.flatMap(({ hazard }) => (hazard.score === null ? [] : [hazard.score]))
  const ranking = counties
    .filter(({ hazard }) => hazard.score !== null)
    .toSorted((a, b) => (b.hazard.score ?? 0) - (a.hazard.score ?? 0))
    .map((county) => ({
      // Equal scores share a rank.
      rank: 1 + scores.filter((score) => score > (county.hazard.score ?? 0)).length,
      ...presentLine(county),
    }))
  const spread = scores.length < 2 ? null : Number((Math.max(...scores) - Math.min(...scores)).toFixed(1))
  return {
    counties: counties.map((county) => {
      const hazards = presentHazards(snapshot, county)
      return { ...hazards, coverage: describeCoverage(hazards, county, snapshot.releases) }
    }),
    ranking,
    scoreSpread: spread,
    dataVintage: presentVintage(snapshot),
    disclaimer,
  }
}

function describeRiskCompare() {
  const data = record({
    counties: Joi.array()
      .items(record({ ...hazardFields, coverage: coverageSchema }))
      .description('In the order in which they were named.'),
    ranking: Joi.array()
      .items(rankedLineSchema.keys({ rank: Joi.number().integer().required() }))
      .description('Highest score first; equal scores share a rank; counties without a score are left out.'),
    scoreSpread: Joi.number()
      .allow(null)
      .description('Highest score less the lowest; null with fewer than two scores.'),
    dataVintage: vintageSchema,
    disclaimer: Joi.string(),
  })
  return {
    id: 'compareCountyRisks',
    summary: 'Counties side by side',
    description:
      'Two to ten counties in one answer, for one unit. Also as `text/csv` and `application/geo+json`.',
    tag: 'Risk',
    query: Joi.object<{ codes: string }>({
      codes: Joi.string()
        .required()
        .pattern(/^\s*\d{4,5}\s*(?:,\s*\d{4,5}\s*){1,9}$/)
        .messages({
          'string.pattern.base':
            '{#label} must be 2 to 10 county codes of 5 digits with commas between them, such as 06061,41029',
        })
        .description('2 to 10 FIPS codes with commas between them.'),
    }),
    responses: countyResponses('The counties, and which of them has the higher score.', data),
    problems: [wildfireProblems.county_not_found],
    examples: [
      { name: 'Placer and Jackson', status: 200, query: { codes: '06061,41029' } },
      { name: 'one county is nothing to compare', status: 400, query: { codes: '06061' } },
    ],
  }
}
