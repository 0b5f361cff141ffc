import { record } from '@hearth/chassis/endpoint'
import Joi from 'joi'
import { categories } from './model/category.ts'
import { exposureBases } from './model/vehicle-counts.ts'

/** Schemas of what the vehicle endpoints answer; they are what /openapi.json shows. */

export const integer = (description: string) => Joi.number().integer().description(description)
export const number = (description: string) => Joi.number().description(description)
export const text = (description: string) => Joi.string().allow('').description(description)
export const date = (description: string) =>
  Joi.string()
    .pattern(/^\d{4}-\d{2}-\d{2}$/)
    .description(`${description}, YYYY-MM-DD.`)
/** With `valid(…, null)` the schema that is shown would not have the null. */
export const choiceOrNull = (values: readonly string[], description: string) =>
  Joi.alternatives()
    .try(Joi.string().valid(...values), Joi.valid(null))
    .description(description)
export const choice = (values: readonly string[], description: string) =>
  Joi.string()
    .valid(...values)
    .description(description)
export const flag = (description: string) => Joi.boolean().description(description)
export const list = (items: Joi.Schema, description: string) =>
  Joi.array().items(items).description(description)

/** How far a score can be trusted. */
export const confidences = ['high', 'medium', 'low', 'insufficient_data'] as const

/** What every score carries. */
export const trustFields = {
  confidence: choice(
    confidences,
    'How far the score can be trusted: the width of its 90 % interval is at most 10 points (high), at most 25 (medium), or more (low). With insufficient_data there are fewer than 5 complaints and the score is that of the median vehicle.',
  ),
  exposure_basis: choice(
    exposureBases,
    'What the use of the vehicle was estimated from; crash_background, from complaints alone, is the weakest.',
  ),
}

export const scoreSchema = number('0..100 with one decimal, higher is better; 50 is the median vehicle.')
  .min(0)
  .max(100)
export const ratingSchema = number('0..5 with one decimal: the score divided by 20.').min(0).max(5)
export const categorySchema = choice(categories, 'What the complaint is about.')
export const percentage = (of: string) => number(`Percent of ${of}, rounded to one decimal.`).min(0).max(100)

/** The vehicle of an answer, in the names of the data whatever it was called in the request. */
export const vehicleFields = {
  make: Joi.string().description('Make, for display.'),
  model: Joi.string().description('Model, for display.'),
  make_slug: Joi.string().description('Make, as it stands in paths.'),
  model_slug: Joi.string().description('Model, as it stands in paths.'),
}
export const vehicleSchema = record(vehicleFields)
export const vehicleYearSchema = record({ ...vehicleFields, year: integer('Model year.') })

/** An object with a value for each of the ten categories. */
export function byCategory(value: Joi.Schema): Joi.ObjectSchema {
  return record(Object.fromEntries(categories.map((category) => [category, value])))
}

/** Reasons for what is null or weak. */
export const notesSchema = list(text('Reason.'), 'Why something is null or cannot be relied on.')
