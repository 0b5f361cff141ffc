import { HttpError } from '@hearth/chassis/errors'
import Joi from 'joi'
import type { Catalogue, Make, Model } from './catalogue.ts'
import { canonicalVehicle, makeKey, vehicleKey } from './model/names.ts'
import { nearNames } from './near-names.ts'
import { vehicleProblems } from './problems.ts'

/** Model years that a request may name. */
export const firstYear = 1886
export const lastYear = 2100

/** Path parameters that name a vehicle. */
export const vehicleParams = {
  make: Joi.string()
    .max(100)
    .required()
    .description('Slug of the make. Other spellings and common short names, such as vw, are understood.'),
  model: Joi.string()
    .max(100)
    .required()
    .description('Slug of the model. Spellings that differ in case, hyphens and blanks are understood.'),
  year: Joi.number().integer().min(firstYear).max(lastYear).required().description('Model year.'),
}

export const makeParams = Joi.object<{ make: string }>({ make: vehicleParams.make })
export const modelParams = Joi.object<ModelName>({ make: vehicleParams.make, model: vehicleParams.model })
export const modelYearParams = Joi.object<ModelYearName>(vehicleParams)

/** A model as a request names it. */
export type ModelName = { readonly make: string; readonly model: string }
/** A model year as a request names it. */
export type ModelYearName = ModelName & { readonly year: number }

/** @throws HttpError vehicle_not_found with the slugs of near makes */
export function findMake(catalogue: Catalogue, text: string): Make {
  const key = makeKey(text)
  const make = catalogue.makes.get(key)
  if (make !== undefined) return make
  const near = nearNames(key, catalogue.makes.values()).map(({ slug }) => slug)
  throw notFound(`No make is called ${quoted(text)}.`, near, 'GET /v1/vehicles lists the makes.')
}

/** @throws HttpError vehicle_not_found with near models as `make/model` */
export function findModel(catalogue: Catalogue, name: ModelName): Model {
  const make = findMake(catalogue, name.make)
  const key = vehicleKey(name.model)
  const model = make.models.get(key) ?? make.models.get(canonicalKey(name))
  if (model !== undefined) return model
  const near = [...nearNames(key, make.models.values()), ...(catalogue.modelsByKey.get(key) ?? [])].map(
    slugOf,
  )
  throw notFound(
    `${make.name} has no model called ${quoted(name.model)}.`,
    near.slice(0, mostSuggestions),
    `GET /v1/vehicles/${make.slug} lists its models.`,
  )
}

/** The model that a variant or another spelling belongs to: a C300 is a C-Class, a Camry Hybrid a Camry. */
function canonicalKey({ make, model }: ModelName): string {
  const vehicle = canonicalVehicle(make, model)
  return 'model' in vehicle ? vehicle.model : ''
}

/** @throws HttpError vehicle_not_found with the nearest model years as `make/model/year` */
export function findModelYear(catalogue: Catalogue, name: ModelYearName): Model {
  const model = findModel(catalogue, name)
  const { years } = model
  if (years.includes(name.year)) return model
  const near = years
    .toSorted((a, b) => Math.abs(a - name.year) - Math.abs(b - name.year))
    .slice(0, 3)
    .map((year) => `${slugOf(model)}/${year}`)
  throw notFound(
    `The data have no model year ${name.year} of ${model.make.name} ${model.name}.`,
    near,
    `GET /v1/vehicles/${slugOf(model)} lists its model years.`,
  )
}

/** A model as it stands in a path. */
export function slugOf({ make, slug }: Model): string {
  return `${make.slug}/${slug}`
}

const mostSuggestions = 5

function notFound(what: string, suggestions: readonly string[], otherwise: string): HttpError {
  const hint = suggestions.length > 0 ? `Near it: ${suggestions.join(', ')}.` : otherwise
  return new HttpError(vehicleProblems.vehicle_not_found, `${what} ${hint}`, {
    members: suggestions.length > 0 ? { suggestions } : {},
  })
}

function quoted(text: string): string {
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`
}
