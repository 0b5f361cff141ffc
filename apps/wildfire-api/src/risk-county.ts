import { endpoint, type Endpoint } from '@hearth/chassis/endpoint'
import Joi from 'joi'
import { countyResponses, sendCounties } from './answers.ts'
import { countyCodeSchema, findCounty } from './county-code.ts'
import type { CountyData } from './county-data.ts'
import { presentCounty } from './county-risk.ts'
import { countySchema } from './county-schema.ts'
import { success } from './deployment.ts'
import { wildfireProblems } from './problems.ts'
import type { County, Snapshot } from './snapshot.ts'

/** GET /v1/risk/county/{county_code} */
export function riskCounty(data: CountyData): Endpoint {
  // By county of a snapshot, which never changes: a snapshot that is replaced takes its answers along.
  const bodies = new WeakMap<County, string>()
  const bodyOf = (snapshot: Snapshot, county: County) => {
    const known = bodies.get(county) ?? JSON.stringify(success(presentCounty(snapshot, county)))
    bodies.set(county, known)
    return known
  }
  return endpoint(describeRiskCounty, ({ params }, req, res) => {
    const snapshot = data.snapshot()
    const county = findCounty(snapshot, params.county_code)
    return sendCounties(req, res, { snapshot, json: () => bodyOf(snapshot, county), counties: [county] })
  })
}

const describeRiskCounty = {
  id: 'getCountyRisk',
  summary: 'Wildfire hazard of a county',
  description: `Score, exposure, expected annual loss and what they are made of. Two notions of risk stand side by side and are never mixed: \`hazard.score\` ranks counties by the risk to a home (USDA), \`nri.score\` by the loss of the whole county in dollars (FEMA), which grows with its size.

What is not published is null, and \`coverage\` says why. Retired codes are answered with 404 and \`supersededBy\`. Also as \`text/csv\` and \`application/geo+json\`.`,
  tag: 'Risk',
  params: Joi.object<{ county_code: string }>({ county_code: countyCodeSchema.required() }),
  responses: countyResponses('What is published about the county.', countySchema),
  problems: [wildfireProblems.county_not_found],
  examples: [
    { name: 'Placer County, California', status: 200, params: { county_code: '06061' } },
    { name: 'the first zero lost in a spreadsheet', status: 200, params: { county_code: '6061' } },
    { name: 'a retired code', status: 404, params: { county_code: '02261' } },
  ],
}
