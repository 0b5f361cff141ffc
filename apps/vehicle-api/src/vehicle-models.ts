import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import Joi from 'joi'
import { answer, answers } from './answers.ts'
import type { Model } from './catalogue.ts'
import { vehicleProblems } from './problems.ts'
import { sampleVehicle } from './sample-vehicle.ts'
import type { ServedData } from './served-data.ts'
import { findMake, makeParams } from './vehicle-path.ts'
import { integer, list } from './vehicle-schema.ts'

/** GET /v1/vehicles/{make} */
export function vehicleModels(data: ServedData): Endpoint {
  return endpoint(description, ({ params }, req, res) =>
    answer(data, req, res, ({ catalogue }) => {
      const make = findMake(catalogue, params.make)
      return {
        answer: () => {
          const models = [...make.models.values()].filter(({ isListed }) => isListed).map(present)
          return { data: { make: make.name, slug: make.slug, models }, meta: { total: models.length } }
        },
      }
    }),
  )
}

function present({ name, slug, years, complaints }: Model) {
  return { name, slug, years: [years.at(0), years.at(-1)], complaint_count: complaints }
}

const modelSchema = record({
  name: Joi.string().description('For display.'),
  slug: Joi.string().description('For paths.'),
  years: Joi.array()
    .items(integer('Model year.'))
    .length(2)
    .description('First and last model year; there may be gaps between them.'),
  complaint_count: integer('Complaints about all its model years.'),
})

const description = {
  id: 'listModels',
  summary: 'Models of a make',
  description:
    'The models of a make by name, in one answer. A model is listed from 5 complaints or one recall on; others can still be asked for by name.',
  tag: 'Vehicles',
  params: makeParams,
  responses: answers(
    'The models.',
    record({
      make: Joi.string().description('Make, for display.'),
      slug: Joi.string().description('Make, as it stands in paths.'),
      models: list(modelSchema, 'By name.'),
    }),
    { total: integer('Models in the list.') },
  ),
  problems: [vehicleProblems.vehicle_not_found],
  examples: [
    { name: 'models of a make', status: 200, params: { make: sampleVehicle.make } },
    { name: 'no such make', status: 404, params: { make: 'nonesuch' } },
  ],
}
