import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { executePrepared } from '@hearth/chassis/prepared'
import Joi from 'joi'
import { sql, type Kysely } from 'kysely'
import { answer, answers } from './answers.ts'
import type { Model } from './catalogue.ts'
import type { Category } from './model/category.ts'
import { percentageOf } from './model/rounding.ts'
import { presentModel } from './presentation.ts'
import { vehicleProblems } from './problems.ts'
import { sampleVehicle } from './sample-vehicle.ts'
import type { ServedData } from './served-data.ts'
import type { ServedTables } from './served-version.ts'
import { findModel, modelParams } from './vehicle-path.ts'
import * as schema from './vehicle-schema.ts'

/** GET /v1/vehicles/{make}/{model} */
export function vehicleModel(data: ServedData): Endpoint {
  return endpoint(description, ({ params }, req, res) =>
    answer(data, req, res, ({ catalogue, tables }) => {
      const model = findModel(catalogue, params)
      return { answer: async (db) => ({ data: await describeModel(db, tables, model) }) }
    }),
  )
}

async function describeModel(db: Kysely<unknown>, tables: ServedTables, model: Model) {
  const [score, years, issues] = await Promise.all([
    readScore(db, tables, model),
    readYears(db, tables, model),
    readCategories(db, tables, model),
  ])
  return {
    ...presentModel(model),
    slug: model.slug,
    years_available: model.years,
    total_complaints: model.complaints,
    ...score,
    year_breakdown: years,
    most_common_issues: issues.map(({ category, count }) => ({
      category,
      percentage: percentageOf(count, model.complaints),
      count,
    })),
  }
}

async function readScore(db: Kysely<unknown>, tables: ServedTables, { make, key }: Model) {
  const { rows } = await executePrepared(
    db,
    sql<Score>`
    select rating as reliability_rating, score as reliability_score, confidence, exposure_basis
    from ${tables.model} where make = ${make.key} and model = ${key}`,
  )
  return rows[0]
}

async function readYears(db: Kysely<unknown>, tables: ServedTables, { make, key }: Model) {
  const { rows } = await executePrepared(
    db,
    sql<{ year: number }>`
    select year, complaints, rating, score, confidence, exposure_basis
    from ${tables.model_year} where make = ${make.key} and model = ${key} order by year`,
  )
  return rows
}

async function readCategories(db: Kysely<unknown>, tables: ServedTables, { make, key }: Model) {
  const { rows } = await executePrepared(
    db,
    sql<{ category: Category; count: number }>`
    select category, sum(complaints)::integer as count
    from ${tables.category} where make = ${make.key} and model = ${key}
    group by category having sum(complaints) > 0 order by count desc, category limit 5`,
  )
  return rows
}

type Score = {
  readonly reliability_rating: number
  readonly reliability_score: number
  readonly confidence: string
  readonly exposure_basis: string
}

const yearSchema = record({
  year: schema.integer('Model year.'),
  complaints: schema.integer('Complaints about it.'),
  rating: schema.ratingSchema,
  score: schema.scoreSchema,
  ...schema.trustFields,
})

const issueSchema = record({
  category: schema.categorySchema,
  percentage: schema.percentage("the model's complaints"),
  count: schema.integer('Complaints under this category.'),
})

const description = {
  id: 'getModel',
  summary: 'A model over all its years',
  description:
    'How many complaints there are about a model, what they are about, and how reliable it is, in all and by model year. How scores are made is said by `GET /v1/methodology`.',
  tag: 'Vehicles',
  params: modelParams,
  responses: answers(
    'The model.',
    record({
      ...schema.vehicleFields,
      slug: Joi.string().description('Model, as it stands in paths: the same as model_slug.'),
      years_available: schema.list(schema.integer('Model year.'), 'Model years in the data, ascending.'),
      total_complaints: schema.integer('Complaints about all model years.'),
      reliability_rating: schema.ratingSchema,
      reliability_score: schema.scoreSchema,
      ...schema.trustFields,
      year_breakdown: schema.list(
        yearSchema,
        'One entry for each of years_available, each on the best basis that is known of it: years of different exposure_basis cannot be compared. In /trends all are on one.',
      ),
      most_common_issues: schema.list(issueSchema, 'Up to five categories, the most frequent first.'),
    }),
  ),
  problems: [vehicleProblems.vehicle_not_found],
  examples: [
    {
      name: 'a model',
      status: 200,
      params: { make: sampleVehicle.make, model: sampleVehicle.model },
    },
    { name: 'no such model', status: 404, params: { make: sampleVehicle.make, model: 'nonesuch' } },
  ],
}
