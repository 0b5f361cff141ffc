import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { executePrepared } from '@hearth/chassis/prepared'
import { sql, type Kysely } from 'kysely'
import { answer, answers } from './answers.ts'
import type { Model } from './catalogue.ts'
import { categories, type Category } from './model/category.ts'
import { percentageOf } from './model/rounding.ts'
import { presentModelYear } from './presentation.ts'
import { vehicleProblems } from './problems.ts'
import { roundedMean } from './rounding.ts'
import { sampleVehicle } from './sample-vehicle.ts'
import type { ServedData } from './served-data.ts'
import type { ServedTables } from './served-version.ts'
import { findModelYear, modelYearParams } from './vehicle-path.ts'
import * as schema from './vehicle-schema.ts'

/** GET /v1/complaints/{make}/{model}/{year}/categories */
export function complaintCategories(data: ServedData): Endpoint {
  return endpoint(description, ({ params }, req, res) =>
    answer(data, req, res, ({ catalogue, tables }) => {
      const vehicle = { model: findModelYear(catalogue, params), year: params.year }
      return { answer: async (db) => ({ data: await summarise(db, tables, vehicle) }) }
    }),
  )
}

/** All ten categories, the one with the most complaints first. */
async function summarise(
  db: Kysely<unknown>,
  tables: ServedTables,
  vehicle: { readonly model: Model; readonly year: number },
) {
  const { model, year } = vehicle
  const { rows } = await executePrepared(
    db,
    sql<CategoryRow>`
    select category as name, complaints as count, known, miles, avg_repair_cost, cost_estimated, top_components
    from ${tables.category}
    where make = ${model.make.key} and model = ${model.key} and year = ${year}`,
  )
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const rowOf = new Map(rows.map((row) => [row.name, row]))
  const entries = categories.map((name) => present(rowOf.get(name) ?? { ...without, name }, total))
  return {
    vehicle: presentModelYear(vehicle),
    categories: entries.toSorted((a, b) => b.count - a.count),
    total_complaints: total,
  }
}

function present(row: CategoryRow, total: number) {
  const { name, count, known, miles, avg_repair_cost, cost_estimated, top_components } = row
  return {
    name,
    count,
    percentage: percentageOf(count, total),
    avg_mileage: roundedMean(miles, known),
    avg_repair_cost,
    repair_cost_estimated: cost_estimated,
    top_components,
  }
}

type CategoryRow = {
  readonly name: Category
  readonly count: number
  readonly known: number
  readonly miles: number
  readonly avg_repair_cost: number | null
  readonly cost_estimated: boolean
  readonly top_components: readonly string[]
}

const without = {
  ...{ count: 0, known: 0, miles: 0 },
  ...{ avg_repair_cost: null, cost_estimated: false, top_components: [] },
}

const entrySchema = record({
  name: schema.categorySchema,
  count: schema.integer('Complaints that are counted under it.'),
  percentage: schema.percentage("the vehicle's complaints"),
  avg_mileage: schema.integer('Mean of the known mileages, in miles; null when none is known.').allow(null),
  avg_repair_cost: schema.number('US dollars per repair; null when nothing is known.').allow(null),
  repair_cost_estimated: schema.flag(
    'The cost is the median of the category over all vehicles, for lack of own ones.',
  ),
  top_components: schema.list(schema.text('Component.'), 'The components named most often.'),
})

const description = {
  id: 'listComplaintCategories',
  summary: 'Complaints about a model year by category',
  description:
    'How many complaints each of the ten categories has. Each complaint is counted once, under its primary category, so the counts add up to the total.',
  tag: 'Complaints',
  params: modelYearParams,
  responses: answers(
    'The categories.',
    record({
      vehicle: schema.vehicleYearSchema,
      categories: schema.list(entrySchema, 'All ten, the one with the most complaints first.'),
      total_complaints: schema.integer('Complaints about the vehicle.'),
    }),
  ),
  problems: [vehicleProblems.vehicle_not_found],
  examples: [{ name: 'by category', status: 200, params: { ...sampleVehicle } }],
}
