import { endpoint, record, withHeaders, type Endpoint } from '@hearth/chassis/endpoint'
import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import { countyResponses, sendCounties } from './answers.ts'
import type { CountyData } from './county-data.ts'
import { disclaimer, presentHazards, presentVintage } from './county-risk.ts'
import { choice, vintageSchema } from './county-schema.ts'
import { gapsOf, namesAt, noteOf } from './coverage.ts'
import { cursorAfter, orders, pageOf, type SortName } from './county-order.ts'
import { success } from './deployment.ts'
import { hazardRatings, scoreBases } from './model/hazard-score.ts'
import type { County, Snapshot } from './snapshot.ts'

/** GET /v1/risk/counties */
export function riskCounties(data: CountyData): Endpoint {
  return endpoint(describeRiskCounties(), ({ query }, req, res) => {
    const snapshot = data.snapshot()
    const { sort, limit, cursor } = query
    const matching = select(snapshot, query)
    const { page, hasMore } = pageOf(matching, sort, cursor, limit)
    const last = page.at(-1)
    const next = hasMore && last !== undefined ? cursorAfter(last, sort) : null
    const headers = next === null ? [] : ['Link', `<${linkTo(req.originalUrl, next)}>; rel="next"`]
    const body = () => success(presentPage(snapshot, page, matching.length, next))
    return sendCounties(req, res, { snapshot, json: body, counties: page, headers })
  })
}

/** @throws HttpError validation_failed for a state that there is not */
function select(
  { counties, byState }: Snapshot,
  { state, minScore }: Pick<CountiesQuery, 'state' | 'minScore'>,
): County[] {
  const wanted = state?.toUpperCase()
  const ofState = wanted === undefined ? [...counties.values()] : byState.get(wanted)
  if (ofState === undefined) {
    const known = [...byState.keys()].toSorted().join(', ')
    const detail = `state ${wanted} is not known; expected a postal abbreviation, one of ${known}.`
    throw invalid([{ parameter: 'state', code: 'not_allowed', detail }])
  }
  if (minScore === undefined) return [...ofState]
  return ofState.filter(({ hazard }) => hazard.score !== null && hazard.score >= minScore)
}

/** A page of lines. @param total counties that match, over all pages */
export function presentPage(
  snapshot: Snapshot,
  page: readonly County[],
  total: number,
  nextCursor: string | null,
) {
  return {
    counties: page.map(({ code, name, state, hazard, statePercentile, wrc, nri }) => ({
      ...{ code, name, state, ...hazard, statePercentile },
      totalBuildings: wrc?.buildings ?? null,
      expectedAnnualLossUsd: nri?.wfir_ealt ?? null,
      nriScore: nri?.wfir_risks ?? null,
      nriRating: nri?.wfir_riskr ?? null,
    })),
    total,
    nextCursor,
    dataVintage: presentVintage(snapshot),
    coverage: { notes: notesOn(snapshot, page) },
    disclaimer,
  }
}

/** Why values of the lines are null, and in which of them. */
function notesOn(snapshot: Snapshot, page: readonly County[]): string[] {
  const notes = page.flatMap((county) =>
    gapsOf(presentHazards(snapshot, county), county, snapshot.releases, 'the county').flatMap(
      ({ cause, paths }) =>
        noteOf(cause, namesAt(places, paths)).map((note) => ({ code: county.code, note })),
    ),
  )
  return [...Map.groupBy(notes, ({ note }) => note)].map(([note, about]) => {
    const codes = about.map(({ code }) => code)
    return `${codes.length === page.length ? 'All counties of this page' : codes.join(', ')}: ${note}`
  })
}

/** Where the values of a line stand in the answer about its county. */
const places = {
  score: 'hazard.score',
  rating: 'hazard.rating',
  basis: 'hazard.basis',
  statePercentile: 'hazard.percentile.state',
  totalBuildings: 'exposure.totalBuildings',
  expectedAnnualLossUsd: 'expectedAnnualLoss.totalUsd',
  nriScore: 'nri.score',
  nriRating: 'nri.rating',
}

function linkTo(url: string, cursor: string): string {
  const [path = '', search = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(search)
  parameters.set('cursor', cursor)
  return `${path}?${parameters.toString()}`
}

function describeRiskCounties() {
  const nullableNumber = Joi.number().allow(null)
  const line = record({
    ...{ code: Joi.string(), name: Joi.string(), state: Joi.string(), score: nullableNumber },
    rating: choice(hazardRatings),
    basis: choice(scoreBases),
    statePercentile: nullableNumber,
    totalBuildings: nullableNumber,
    expectedAnnualLossUsd: nullableNumber,
    nriScore: nullableNumber,
    nriRating: Joi.string().allow(null),
  })
  const page = record({
    counties: Joi.array().items(line),
    total: Joi.number().integer().description('Counties that match, over all pages.'),
    nextCursor: Joi.string().allow(null).description('For the next page; null on the last one.'),
    dataVintage: vintageSchema,
    coverage: record({
      notes: Joi.array()
        .items(Joi.string())
        .description('Why values of the counties above are null: which ones, in which counties.'),
    }),
    disclaimer: Joi.string(),
  })
  return {
    id: 'listCountyRisks',
    summary: 'Counties by wildfire hazard',
    description:
      'A page of counties, highest score first unless `sort` says otherwise; counties without the value come last. The next page is also in the header `Link`. With `Accept: text/csv` or `application/geo+json` each county has the columns that it has in that form of its own answer. What is null is named in `coverage.notes` with its reason.',
    tag: 'Risk',
    query: querySchema,
    responses: withHeaders(countyResponses('A page of counties.', page), ['Link']),
    examples: [
      { name: 'the highest scores of California', status: 200, query: { state: 'CA', limit: '10' } },
      { name: 'no such state', status: 400, query: { state: 'XX', limit: '10' } },
    ],
  }
}

const querySchema = Joi.object<CountiesQuery>({
  state: Joi.string()
    .pattern(/^[A-Za-z]{2}$/)
    .messages({
      'string.pattern.base': '{#label} must be the two letters of a postal abbreviation, such as CA',
    })
    .description('Postal abbreviation; all states unless given.'),
  minScore: Joi.number().min(0).max(100).description('Only counties with at least this score.'),
  sort: Joi.string()
    .valid(...Object.keys(orders))
    .default('-score')
    .description('Field to sort by; with a minus in front the largest comes first.'),
  limit: Joi.number().integer().min(1).max(100).default(25).description('Counties per page.'),
  cursor: Joi.string().max(200).description('`nextCursor` of the page before, with the same `sort`.'),
})

type CountiesQuery = {
  readonly state?: string
  readonly minScore?: number
  readonly sort: SortName
  readonly limit: number
  readonly cursor?: string
}
