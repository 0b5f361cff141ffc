import { endpoint, type Endpoint, type OperationExample } from '@hearth/chassis/endpoint'
import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import type { Kysely } from 'kysely'
import { answer, answers } from './answers.ts'
import type { Catalogue, Model } from './catalogue.ts'
import { readComparedVehicles } from './compared-vehicle.ts'
import { categories, type Category } from './model/category.ts'
import { compareVehicles } from './model/comparison/compare-vehicles.ts'
import type { ReliabilityFit } from './model/reliability-fit.ts'
import { presentModelYear } from './presentation.ts'
import { vehicleProblems } from './problems.ts'
import { otherSampleModel, sampleVehicle } from './sample-vehicle.ts'
import type { ServedData } from './served-data.ts'
import type { ServedVersion } from './served-version.ts'
import { comparisonSchema } from './statistics-schema.ts'
import { findModelYear, firstYear, lastYear, slugOf, type ModelYearName } from './vehicle-path.ts'

/** GET /v1/statistics/compare */
export function statisticsCompare(data: ServedData): Endpoint {
  return endpoint(description, ({ query }, req, res) => {
    const only = query.categories === undefined ? undefined : readCategories(query.categories)
    return answer(data, req, res, (version) => {
      const names = readNames(query.vehicles, version.catalogue)
      const vehicles = findVehicles(version.catalogue, names)
      return { answer: async (db) => ({ data: await compare(db, version, vehicles, only) }) }
    })
  })
}

type Vehicle = { readonly model: Model; readonly year: number }

async function compare(
  db: Kysely<unknown>,
  version: ServedVersion,
  vehicles: readonly Vehicle[],
  only: readonly Category[] | undefined,
) {
  const entries = await readComparedVehicles(db, version, vehicles)
  const fit = version.methodology as ReliabilityFit // what the import has stored
  const { comparison, recommendation } = compareVehicles(entries, fit, only)
  const vehicleBySlugs = new Map(vehicles.map((vehicle) => [pathOf(vehicle), presentModelYear(vehicle)]))
  return {
    comparison: comparison.map((entry) => {
      const { make, model, year } = entry.vehicle
      return { ...entry, vehicle: vehicleBySlugs.get(`${make}/${model}/${year}`) }
    }),
    recommendation,
  }
}

function pathOf({ model, year }: Vehicle): string {
  return `${slugOf(model)}/${year}`
}

/** @throws HttpError vehicle_not_found, or validation_failed when one vehicle is named twice */
function findVehicles(catalogue: Catalogue, names: readonly ModelYearName[]): Vehicle[] {
  const vehicles = names.map((name) => ({ model: findModelYear(catalogue, name), year: name.year }))
  const paths = vehicles.map(pathOf)
  const twice = paths.find((path, at) => paths.indexOf(path) !== at)
  if (twice === undefined) return vehicles
  throw invalidVehicles('duplicate', `vehicles names ${twice} twice; name each vehicle once.`)
}

/**
 * @param catalogue where messages take an example from that can be sent
 * @throws HttpError validation_failed unless it is a list of 2 to 10 vehicles
 */
function readNames(text: string, catalogue: Catalogue): ModelYearName[] {
  const entries = text.split(',').map((entry) => entry.trim())
  if (entries.length < 2 || entries.length > mostVehicles) {
    const code = entries.length < 2 ? 'too_few' : 'too_many'
    const detail = `vehicles names ${entries.length}; expected 2 to ${mostVehicles} as make/model/year with commas between them.`
    throw invalidVehicles(code, detail)
  }
  return entries.map((entry) => {
    const [, make = '', model = '', year = ''] = /^([^/]{1,100})\/([^/]{1,100})\/(\d{4})$/.exec(entry) ?? []
    if (Number(year) >= firstYear && Number(year) <= lastYear) return { make, model, year: Number(year) }
    const expected = `make/model/year with a year from ${firstYear} to ${lastYear}${exampleOf(catalogue)}`
    const detail = `vehicles has the entry "${entry.slice(0, 60)}"; expected ${expected}.`
    throw invalidVehicles('wrong_format', detail)
  })
}

/** A model year that is there. */
function exampleOf({ makes }: Catalogue): string {
  for (const { models } of makes.values()) {
    for (const model of models.values()) {
      const year = model.isListed ? model.years.at(-1) : undefined
      if (year !== undefined) return `, such as ${pathOf({ model, year })}`
    }
  }
  return ''
}

const mostVehicles = 10

function invalidVehicles(code: string, detail: string) {
  return invalid([{ parameter: 'vehicles', code, detail }])
}

/** In the order of the ten. @throws HttpError validation_failed for a category that there is not */
function readCategories(text: string): Category[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !categories.some((category) => category === name))
  if (unknown === undefined) return categories.filter((category) => names.includes(category))
  const detail = `categories names "${unknown.slice(0, 60)}"; expected one or more of ${categories.join(', ')} with commas between them.`
  throw invalid([{ parameter: 'categories', code: 'not_allowed', detail }])
}

const { make, model, year } = sampleVehicle
const two = `${make}/${model}/${year},${make}/${otherSampleModel}/${year}`

const examples: readonly OperationExample[] = [
  { name: 'two models', status: 200, query: { vehicles: two } },
  { name: 'in two categories', status: 200, query: { vehicles: two, categories: 'engine,brakes' } },
  {
    name: 'one vehicle is nothing to compare',
    status: 400,
    query: { vehicles: `${make}/${model}/${year}` },
  },
]

const description = {
  id: 'compareVehicles',
  summary: 'Vehicles side by side',
  description:
    'Two to ten model years, ranked by score, for one unit. All scores of an answer have one exposure basis, the best that all of its vehicles with enough complaints have. A vehicle with an open recall that says not to drive it keeps its rank, and is not recommended while another one is compared.',
  tag: 'Statistics',
  query: Joi.object<{ vehicles: string; categories?: string }>({
    vehicles: Joi.string()
      .required()
      .max(2_100)
      .description('2 to 10 vehicles as make/model/year, with commas between them.'),
    categories: Joi.string()
      .max(200)
      .description('Categories to compare, with commas between them; all unless given.'),
  }),
  responses: answers('The vehicles, and which of them to prefer.', comparisonSchema),
  problems: [vehicleProblems.vehicle_not_found],
  examples,
}
