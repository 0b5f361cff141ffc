import { endpoint, type Endpoint } from '@hearth/chassis/endpoint'
import { HttpError } from '@hearth/chassis/errors'
import { executePrepared } from '@hearth/chassis/prepared'
import Joi from 'joi'
import { sql, type Kysely } from 'kysely'
import { answer, answers } from './answers.ts'
import { complaintIdPattern } from './complaint-cursor.ts'
import { complaintColumns, presentComplaint, type ComplaintRow } from './complaint-row.ts'
import { complaintDetailSchema } from './complaint-schema.ts'
import { presentModelYear } from './presentation.ts'
import { vehicleProblems } from './problems.ts'
import { sampleComplaint } from './sample-vehicle.ts'
import type { ServedData } from './served-data.ts'
import type { ServedTables, ServedVersion } from './served-version.ts'

/** GET /v1/complaints/{id} */
export function complaintDetail(data: ServedData): Endpoint {
  return endpoint(description, ({ params }, req, res) =>
    answer(data, req, res, (version) => ({
      answer: async (db) => ({ data: await describeComplaint(db, version, params.id) }),
    })),
  )
}

/** @throws HttpError complaint_not_found */
async function describeComplaint(db: Kysely<unknown>, { tables, catalogue }: ServedVersion, id: string) {
  const { rows } = await executePrepared(
    db,
    sql<DetailRow>`
    select ${complaintColumns}, odi, make, model, year, trim, date_incident, purchase_date, deaths,
      repair_attempted, response, categories, category_source, components, mileage_source, repair_cost_kind,
      raw_description, state, vin,
      (select jsonb_build_object('count', count, 'ids', ids) from ${tables.similar} as near
        where near.id = complaint.id) as similar
    from ${tables.complaint} as complaint where id = ${id}`,
  )
  const [row] = rows
  if (row === undefined) throw await notFound(db, tables, id)
  const model = catalogue.makes.get(row.make)?.models.get(row.model)
  if (model === undefined) throw new Error(`Complaint ${id} is about a model that is not in the catalogue.`)
  return presentDetail(row, { ...presentModelYear({ model, year: row.year }), trim: row.trim })
}

function presentDetail(row: DetailRow, vehicle: object) {
  return {
    ...presentComplaint(row),
    vehicle,
    date_incident: row.date_incident,
    purchase_date: row.purchase_date,
    deaths: row.deaths,
    repair_attempted: row.repair_attempted,
    regulator_id: row.odi,
    nhtsa_id: row.odi,
    similar_complaints: row.similar?.count ?? 0,
    similar_complaint_ids: row.similar?.ids ?? [],
    manufacturer_response: row.response,
    categories: row.categories,
    category_source: row.category_source,
    components: row.components,
    mileage_source: row.mileage_source,
    repair_cost_kind: row.repair_cost_kind,
    raw_description: row.raw_description,
    state: row.state,
    vin_prefix: row.vin,
  }
}

async function notFound(db: Kysely<unknown>, tables: ServedTables, id: string): Promise<HttpError> {
  const [base = ''] = id.split('-')
  const near = Array.from({ length: 9 }, (_, at) => (at === 0 ? base : `${base}-${at + 1}`))
  const { rows } = await executePrepared(
    db,
    sql<{
      id: string
    }>`select id from ${tables.complaint} where id = any(${near}) order by id`,
  )
  const suggestions = rows.map((row) => row.id)
  const hint = suggestions.length > 0 ? ` Of the same ODI number: ${suggestions.join(', ')}.` : ''
  return new HttpError(vehicleProblems.complaint_not_found, `No complaint has the id ${id}.${hint}`, {
    members: suggestions.length > 0 ? { suggestions } : {},
  })
}

type DetailRow = ComplaintRow & {
  readonly odi: string
  readonly make: string
  readonly model: string
  readonly year: number
  readonly trim: string | null
  readonly date_incident: string | null
  readonly purchase_date: string | null
  readonly deaths: number
  readonly repair_attempted: boolean | null
  readonly response: object | null
  readonly categories: readonly string[]
  readonly category_source: string
  readonly components: readonly string[]
  readonly mileage_source: string | null
  readonly repair_cost_kind: string | null
  readonly raw_description: string | null
  readonly state: string | null
  readonly vin: string | null
  readonly similar: { readonly count: number; readonly ids: readonly string[] } | null
}

const description = {
  id: 'getComplaint',
  summary: 'One complaint in full',
  description: 'A complaint with everything that was filed and what was read from its text.',
  tag: 'Complaints',
  params: Joi.object<{ id: string }>({
    id: Joi.string()
      .required()
      .pattern(complaintIdPattern, { name: 'cmp_ and the ODI number, such as cmp_11512345' })
      .description('Id of the complaint, from a complaint list.'),
  }),
  responses: answers('The complaint.', complaintDetailSchema),
  problems: [vehicleProblems.complaint_not_found],
  examples: [
    { name: 'a complaint', status: 200, params: { id: sampleComplaint } },
    { name: 'no such complaint', status: 404, params: { id: 'cmp_1' } },
    { name: 'not an id', status: 400, params: { id: '11512345' } },
  ],
}
