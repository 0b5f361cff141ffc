import { endpoint, type Endpoint } from '@hearth/chassis/endpoint'
import { executePrepared } from '@hearth/chassis/prepared'
import { sql, type Kysely } from 'kysely'
import { answer, answers } from './answers.ts'
import type { Model } from './catalogue.ts'
import type { ModelTrends } from './model/trends/model-trends.ts'
import { presentModel } from './presentation.ts'
import { vehicleProblems } from './problems.ts'
import { sampleVehicle } from './sample-vehicle.ts'
import type { ServedData } from './served-data.ts'
import type { ServedTables } from './served-version.ts'
import { trendsSchema } from './statistics-schema.ts'
import { findModel, modelParams } from './vehicle-path.ts'

/** GET /v1/statistics/{make}/{model}/trends */
export function statisticsTrends(data: ServedData): Endpoint {
  return endpoint(description, ({ params }, req, res) =>
    answer(data, req, res, ({ catalogue, tables }) => {
      const model = findModel(catalogue, params)
      return { answer: async (db) => ({ data: await describeTrends(db, tables, model) }) }
    }),
  )
}

/** They are made by the import. Their basis is that of the model's score; older imports have not written it twice. */
async function describeTrends(db: Kysely<unknown>, tables: ServedTables, model: Model) {
  const { rows } = await executePrepared(
    db,
    sql<{ trends: Omit<ModelTrends, 'exposure_basis'>; exposure_basis: string }>`
    select trends, exposure_basis from ${tables.model} where make = ${model.make.key} and model = ${model.key}`,
  )
  const [row] = rows
  if (row === undefined) throw new Error(`There are no trends of ${model.make.slug}/${model.slug}.`)
  return { exposure_basis: row.exposure_basis, ...row.trends, vehicle: presentModel(model) }
}

const description = {
  id: 'getTrends',
  summary: 'A model year by year and by generation',
  description:
    'How reliable each model year is, which generations there were and what was notable about them, and which years to prefer and to avoid. Everything in an answer rests on one exposure basis, `exposure_basis`: the best that all model years with enough complaints have, so a year may score otherwise here than by itself. The rules are in `GET /v1/methodology`.',
  tag: 'Statistics',
  params: modelParams,
  responses: answers('The trends.', trendsSchema),
  problems: [vehicleProblems.vehicle_not_found],
  examples: [
    {
      name: 'trends of a model',
      status: 200,
      params: { make: sampleVehicle.make, model: sampleVehicle.model },
    },
  ],
}
