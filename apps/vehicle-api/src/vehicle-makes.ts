import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import Joi from 'joi'
import { answer, answers } from './answers.ts'
import type { ServedData } from './served-data.ts'
import { integer, list } from './vehicle-schema.ts'

/** GET /v1/vehicles */
export function vehicleMakes(data: ServedData): Endpoint {
  return endpoint(description, (_input, req, res) =>
    answer(data, req, res, ({ catalogue }) => ({
      answer: () => {
        const makes = [...catalogue.makes.values()]
          .filter(({ modelCount }) => modelCount > 0)
          .map(({ name, slug, modelCount }) => ({ name, slug, model_count: modelCount }))
        return { data: { makes }, meta: { total: makes.length } }
      },
    })),
  )
}

const makeSchema = record({
  name: Joi.string().description('For display.'),
  slug: Joi.string().description('For paths.'),
  model_count: integer('Models in the catalogue.'),
})

const description = {
  id: 'listMakes',
  summary: 'All makes',
  description: 'The manufacturers of the catalogue by name, in one answer.',
  tag: 'Vehicles',
  responses: answers('The makes.', record({ makes: list(makeSchema, 'By name.') }), {
    total: integer('Makes in the list.'),
  }),
  examples: [{ name: 'all makes', status: 200 }],
}
