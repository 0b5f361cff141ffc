import { endpoint, record, withHeaders, type Endpoint, type OperationExample } from '@hearth/chassis/endpoint'
import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import type { Kysely } from 'kysely'
import { answer, answersWithCsv, formsWithCsv, type Answer } from './answers.ts'
import { readCursor, sorts, writeCursor, type Cursor, type Sort } from './complaint-cursor.ts'
import { readPage, type Selection } from './complaint-page.ts'
import { presentComplaint } from './complaint-row.ts'
import { complaintFields, complaintSchema } from './complaint-schema.ts'
import { categories, type Category } from './model/category.ts'
import { presentModelYear } from './presentation.ts'
import { vehicleProblems } from './problems.ts'
import { sampleVehicle } from './sample-vehicle.ts'
import type { ServedData } from './served-data.ts'
import type { ServedTables } from './served-version.ts'
import { findModelYear, modelYearParams } from './vehicle-path.ts'
import * as schema from './vehicle-schema.ts'

/** GET /v1/complaints/{make}/{model}/{year} */
export function complaintList(data: ServedData): Endpoint {
  return endpoint(description, ({ params, query }, req, res) => {
    const start = readStart(query)
    return answer(
      data,
      req,
      res,
      ({ catalogue, tables }) => {
        const { category, min_mileage: minMileage, max_mileage: maxMileage, sort } = query
        const model = findModelYear(catalogue, params)
        const selection = { model, year: params.year, category, minMileage, maxMileage, sort }
        const place = placeOf(start, selection)
        return { answer: (db) => listComplaints(db, tables, selection, place, req.originalUrl) }
      },
      formsWithCsv,
    )
  })
}

/** Where a page begins as a request has it, and how long it is. */
type Start = { readonly page: number; readonly limit: number; readonly cursor?: string }

/** The same, once it is known which list the cursor should be of. */
type Place = { readonly page: number; readonly limit: number; readonly after?: Cursor }

/** @throws HttpError validation_failed for values that do not go together */
function readStart(query: ListQuery): Start {
  const { page, limit, cursor, min_mileage: min = 0, max_mileage: max = Infinity } = query
  if (min > max) {
    const detail = `min_mileage ${min} is above max_mileage ${max}; expected the lower one first.`
    throw invalid([{ parameter: 'min_mileage', code: 'too_large', detail }])
  }
  if (cursor !== undefined && page !== undefined) {
    const detail = 'page and cursor exclude each other: a cursor says itself where its page begins.'
    throw invalid([{ parameter: 'page', code: 'not_allowed', detail }])
  }
  const start = { page: page ?? 1, limit, cursor }
  if (start.page * limit <= deepest) return start
  const detail = `page ${start.page} with limit ${limit} lies beyond the first ${deepest} complaints; expected page times limit to be at most ${deepest}. To read further, send nextCursor of the page before as cursor.`
  throw invalid([{ parameter: 'page', code: 'too_large', detail }])
}

/** @throws HttpError validation_failed for a cursor that is not one of the list */
function placeOf({ page, limit, cursor }: Start, selection: Selection): Place {
  if (cursor === undefined) return { page, limit }
  const after = readCursor(cursor, selection)
  return { page: after.page + 1, limit, after }
}

/** Skipping costs the database as much as reading. */
const deepest = 10_000

async function listComplaints(
  db: Kysely<unknown>,
  tables: ServedTables,
  selection: Selection,
  { page, limit, after }: Place,
  url: string,
): Promise<Answer> {
  const offset = after === undefined ? (page - 1) * limit : 0
  // One more than the page says whether there is another one.
  const place = { after, offset, limit: limit + 1 }
  const { total, page: found } = await readPage(db, tables, selection, place)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = found.length > limit
  const nextCursor =
    hasMore && last !== undefined
      ? writeCursor(selection, { page, value: last.value, id: last.row.id })
      : null
  const vehicle = presentModelYear(selection)
  const complaints = shown.map(({ row }) => presentComplaint(row))
  const { make, model, year } = vehicle
  return {
    data: { vehicle, complaints },
    meta: { page, limit, total, hasMore, nextCursor },
    csv: {
      columns: ['make', 'model', 'year', ...complaintColumns],
      rows: complaints.map((complaint) => ({ make, model, year, ...complaint })),
    },
    headers: nextCursor === null ? [] : ['Link', `<${linkTo(url, nextCursor)}>; rel="next"`],
  }
}

const complaintColumns = Object.keys(complaintFields)

function linkTo(url: string, cursor: string): string {
  const [path = '', search = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(search)
  parameters.delete('page')
  parameters.set('cursor', cursor)
  return `${path}?${parameters.toString()}`
}

type ListQuery = {
  readonly category?: Category
  readonly min_mileage?: number
  readonly max_mileage?: number
  readonly sort: Sort
  readonly page?: number
  readonly limit: number
  readonly cursor?: string
}

const mileage = Joi.number().integer().min(0).max(10_000_000)

const querySchema = Joi.object<ListQuery>({
  category: schema.choice(
    categories,
    'Only complaints that are counted under this category. Each is counted under one, its `category`, so that counts add up: one that has this category only among the further `categories` of its details is not found by it.',
  ),
  min_mileage: mileage.description(
    'Least mileage at failure. Complaints whose mileage is not known are left out.',
  ),
  max_mileage: mileage.description(
    'Greatest mileage at failure. Complaints whose mileage is not known are left out.',
  ),
  sort: schema
    .choice(
      sorts,
      'By date of report or by mileage. Complaints without a known mileage come last, newest first.',
    )
    .default('date_desc'),
  page: Joi.number()
    .integer()
    .min(1)
    .description(`Page number, 1 unless given. Page times limit is at most ${deepest}; use cursor beyond.`),
  limit: Joi.number().integer().min(1).max(100).default(20).description('Complaints per page.'),
  cursor: Joi.string()
    .max(200)
    .description('In place of page: nextCursor of the page before, with the same filters and sort.'),
})

const example = { ...sampleVehicle }

const examples: readonly OperationExample[] = [
  { name: 'the newest', status: 200, params: example },
  {
    name: 'the earliest failures of the engine',
    status: 200,
    params: example,
    query: { category: 'engine', sort: 'mileage_asc', limit: '5' },
  },
  { name: 'no such category', status: 400, params: example, query: { category: 'wheels' } },
]

const description = {
  id: 'listComplaints',
  summary: 'Complaints about a model year',
  description:
    'What owners have reported, filtered, sorted and in pages. The next page is also in the header `Link`. With `Accept: text/csv` the page is a table.',
  tag: 'Complaints',
  params: modelYearParams,
  query: querySchema,
  responses: withHeaders(
    answersWithCsv(
      'A page of complaints.',
      record({
        vehicle: schema.vehicleYearSchema,
        complaints: schema.list(complaintSchema, 'In the order asked for.'),
      }),
      {
        page: schema.integer('Number of this page; with a cursor, counted from where it began.'),
        limit: schema.integer('Complaints per page.'),
        total: schema.integer('Complaints that match, over all pages.'),
        hasMore: schema.flag('There is another page.'),
        nextCursor: schema.text('For the next page; null on the last one.').allow(null),
      },
    ),
    ['Link'],
  ),
  problems: [vehicleProblems.vehicle_not_found],
  examples,
}
