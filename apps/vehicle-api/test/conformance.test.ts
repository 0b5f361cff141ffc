import { categories } from '../src/model/category.ts'
import { roomyPlans, startVehicle, type VehicleApp } from './support.ts'

/*
 * Every field of documents 2 and 3 of the reference, with its type. Fields that an answer has besides are in the API
 * description, against which every answer of the tests is checked.
 */

type Check = (value: unknown) => boolean
type Shape = Check | { readonly [field: string]: Shape } | readonly [Shape]

const isString: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const isInteger: Check = (value) => Number.isInteger(value)
const isBoolean: Check = (value) => typeof value === 'boolean'
const isDate: Check = (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)
const isCategory: Check = (value) => categories.some((category) => category === value)
const isSlug: Check = (value) => typeof value === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value)
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.some((one) => one === value)
/** What cannot be known is null. */
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
/** An object with a value for each category. */
const byCategory = (shape: Shape): Shape =>
  Object.fromEntries(categories.map((category) => [category, shape]))

const vehicle = { make: isString, model: isString }
const vehicleYear = { ...vehicle, year: isInteger }
const trend = oneOf('improving', 'worsening', 'stable', 'insufficient_data')
const pathOrNull = orNull((value) => typeof value === 'string' && /^[\w-]+\/[\w-]+\/\d{4}$/.test(value))

const complaint = {
  id: (value: unknown) => typeof value === 'string' && /^cmp_\d+/.test(value),
  date_reported: isDate,
  category: isCategory,
  component: isString,
  description: isString,
  mileage: orNull(isInteger),
  crash: isBoolean,
  fire: isBoolean,
  injuries: isInteger,
  repair_cost: isNumber,
  repair_description: isString,
}

const issue = {
  id: isString,
  category: isCategory,
  description: isString,
  frequency: oneOf('very_common', 'common', 'occasional', 'rare'),
  avg_repair_cost: orNull(isNumber),
  report_count: isInteger,
}

/** Of each endpoint: a request, and the shape of `data` and `meta`. */
const promised: [path: string, data: Shape, meta: Shape][] = [
  [
    '/v1/vehicles',
    { makes: [{ name: isString, slug: isSlug, model_count: isInteger }] },
    { total: isInteger },
  ],
  [
    '/v1/vehicles/aldera',
    {
      make: isString,
      models: [{ name: isString, slug: isSlug, years: [isInteger], complaint_count: isInteger }],
    },
    {},
  ],
  [
    '/v1/vehicles/aldera/corvane',
    {
      ...vehicle,
      slug: isSlug,
      years_available: [isInteger],
      total_complaints: isInteger,
      reliability_rating: isNumber,
      year_breakdown: [{ year: isInteger, complaints: isInteger, rating: isNumber }],
      most_common_issues: [{ category: isCategory, percentage: isNumber }],
    },
    {},
  ],
  [
    '/v1/vehicles/aldera/corvane/2018?include=complaints,recalls,ratings',
    {
      ...vehicleYear,
      reliability_score: isNumber,
      complaint_summary: { total: isInteger, categories: byCategory(isInteger) },
      average_mileage_at_failure: orNull(isInteger),
      common_issues: [issue],
      complaints: [complaint],
      recalls: [{ campaign_number: isString }],
      ratings: [{ overall_stars: orNull(isInteger) }],
    },
    {},
  ],
  [
    '/v1/statistics/aldera/corvane',
    {
      vehicle,
      period: { from: isInteger, to: isInteger },
      overall_score: isNumber,
      total_complaints: isInteger,
      average_complaints_per_year: isNumber,
      reliability_trend: trend,
      trend_percentage: orNull(isNumber),
      category_breakdown: byCategory({ count: isInteger, percentage: isNumber, trend }),
      mileage_analysis: {
        avg_failure_mileage: isInteger,
        median_failure_mileage: isInteger,
        most_problematic_range: (value: unknown) => typeof value === 'string' && /^\d+-\d+$/.test(value),
      },
      repair_cost_analysis: {
        avg_repair_cost: isNumber,
        median_repair_cost: isNumber,
        expensive_repairs_percentage: isNumber,
      },
    },
    {},
  ],
  [
    '/v1/statistics/aldera/corvane/trends',
    {
      vehicle,
      yearly_trends: [
        {
          year: isInteger,
          score: isNumber,
          complaints: isInteger,
          trend: oneOf('excellent', 'good', 'average', 'below_average', 'poor', 'insufficient_data'),
        },
      ],
      generation_analysis: Array.isArray,
      recommendation: { best_years: Array.isArray, years_to_avoid: [isInteger], reasoning: isString },
    },
    {},
  ],
  [
    '/v1/statistics/ford/f-150/trends',
    {
      generation_analysis: [
        {
          generation: (value: unknown) => typeof value === 'string' && /\d{4}/.test(value),
          avg_score: isNumber,
          total_complaints: isInteger,
          notable_issues: Array.isArray,
        },
      ],
    },
    {},
  ],
  [
    '/v1/statistics/compare?vehicles=aldera/corvane/2018,aldera/tessaro/2018',
    {
      comparison: [
        {
          vehicle: vehicleYear,
          reliability_score: isNumber,
          total_complaints: isInteger,
          rank: isInteger,
          strengths: Array.isArray,
          weaknesses: Array.isArray,
          category_scores: { overall: isNumber, ...(byCategory(isNumber) as Record<string, Shape>) },
        },
      ],
      recommendation: {
        best_overall: pathOrNull,
        best_value: pathOrNull,
        most_fun_to_drive: pathOrNull,
        summary: isString,
      },
    },
    {},
  ],
  [
    '/v1/complaints/aldera/corvane/2018',
    { vehicle: vehicleYear, complaints: [complaint] },
    { page: isInteger, limit: isInteger, total: isInteger, hasMore: isBoolean },
  ],
  [
    '/v1/complaints/aldera/corvane/2018/categories',
    {
      vehicle: vehicleYear,
      categories: [
        {
          name: isCategory,
          count: isInteger,
          percentage: isNumber,
          avg_mileage: orNull(isInteger),
          avg_repair_cost: orNull(isNumber),
          top_components: [isString],
        },
      ],
      total_complaints: isInteger,
    },
    {},
  ],
  [
    '/v1/complaints/cmp_90000001',
    {
      ...complaint,
      vehicle: { ...vehicleYear, trim: orNull(isString) },
      date_incident: orNull(isDate),
      purchase_date: orNull(isDate),
      deaths: isInteger,
      repair_attempted: orNull(isBoolean),
      regulator_id: isString,
      nhtsa_id: isString,
      similar_complaints: isInteger,
      manufacturer_response: orNull((value) => typeof value === 'object'),
    },
    {},
  ],
]

let app: VehicleApp
let key: string

beforeAll(async () => {
  app = await startVehicle({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
  key = (await app.signUp()).key
})
afterAll(() => app.close())

test.each(promised)('%s has every field of the reference', async (path, data, meta) => {
  const { status, body } = await app.call('get', path, { key })

  expect([status, body.success]).toEqual([200, true])
  expect([...misfits(body.data, data, 'data'), ...misfits(body.meta, meta, 'meta')]).toEqual([])
})

test.each(promised)('%s carries confidence and basis with every score', async (path) => {
  const { body } = await app.call('get', path, { key })
  expect(scoresAlone(body.data)).toEqual([])
})

test('the checks of this file find what is missing or of another type', () => {
  const shape: Shape = { a: [{ b: isInteger }], c: isString }
  expect(misfits({ a: [{ b: 1 }, { b: 1.5 }, {}] }, shape, 'x')).toEqual(['x.a.1.b', 'x.a.2.b', 'x.c'])
  expect(misfits({ a: [], c: '' }, shape, 'x')).toEqual(['x.a'])
  expect(scoresAlone({ list: [{ score: 1 }] })).toEqual(['score'])
})

/** Places where a value does not have the shape. An array must have an entry that shows the shape of its entries. */
function misfits(value: unknown, shape: Shape, place: string): string[] {
  if (typeof shape === 'function') return shape(value) ? [] : [place]
  if (isList(shape)) {
    if (!Array.isArray(value) || value.length === 0) return [place]
    return value.flatMap((entry, at) => misfits(entry, shape[0], `${place}.${at}`))
  }
  if (typeof value !== 'object' || value === null) return [place]
  const fields = value as Record<string, unknown>
  return Object.entries(shape).flatMap(([name, inner]) => misfits(fields[name], inner, `${place}.${name}`))
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}

/** Names of scores in objects that do not say how far they can be trusted. */
function scoresAlone(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const isTrusted = 'confidence' in value && 'exposure_basis' in value
  return Object.entries(value).flatMap(([name, inner]) => {
    const isScore = /(^|_)(score|rating)$/.test(name) && typeof inner === 'number'
    // Scores by category stand within the entry whose confidence they share.
    return isScore && !isTrusted ? [name] : scoresAlone(inner)
  })
}
