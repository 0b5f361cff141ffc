import { endpoint, type Endpoint, type OperationExample } from '@hearth/chassis/endpoint'
import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import type { Kysely } from 'kysely'
import { answer, answers } from './answers.ts'
import type { Model } from './catalogue.ts'
import { readModelYears, readPeriod, type Period } from './model-years.ts'
import type { ReliabilityFit } from './model/reliability-fit.ts'
import { statisticsOver } from './model/statistics/statistics-over.ts'
import { presentModel } from './presentation.ts'
import { vehicleProblems } from './problems.ts'
import { sampleVehicle } from './sample-vehicle.ts'
import type { ServedData } from './served-data.ts'
import type { ServedVersion } from './served-version.ts'
import { statisticsSchema } from './statistics-schema.ts'
import { findModel, firstYear, lastYear, modelParams } from './vehicle-path.ts'

/** GET /v1/statistics/{make}/{model} @param clock Milliseconds since 1970 */
export function statisticsModel(data: ServedData, clock: () => number): Endpoint {
  return endpoint(description, ({ params, query }, req, res) => {
    const currentYear = new Date(clock()).getUTCFullYear()
    return answer(data, req, res, (version) => {
      const model = findModel(version.catalogue, params)
      const period = periodOf(query, model, currentYear)
      return {
        key: `${period.from}-${period.to}`,
        answer: async (db) => ({ data: await describeStatistics(db, version, model, period) }),
      }
    })
  })
}

/**
 * All available years to the current one unless the query says otherwise; of a model that is announced and not yet
 * there, to its first year.
 * @throws HttpError validation_failed when it ends before it begins
 */
function periodOf({ year_from, year_to }: PeriodQuery, { years }: Model, currentYear: number): Period {
  const first = Math.min(years[0] ?? currentYear, year_to ?? Infinity)
  const from = year_from ?? first
  const to = year_to ?? (year_from === undefined ? Math.max(currentYear, first) : currentYear)
  if (from <= to) return { from, to }
  const detail =
    year_to === undefined
      ? `year_from ${from} is after ${to}, the current year, with which the period ends unless year_to is given; expected an earlier year, or year_to too.`
      : `year_from ${from} is after year_to ${to}; expected the earlier year first.`
  throw invalid([{ parameter: 'year_from', code: 'too_large', detail }])
}

async function describeStatistics(
  db: Kysely<unknown>,
  { tables, methodology }: ServedVersion,
  model: Model,
  period: Period,
) {
  const vehicle = presentModel(model)
  const [{ years, categories }, known] = await Promise.all([
    readModelYears(db, tables, model, period),
    readPeriod(db, tables, model, period),
  ])
  const fit = methodology as ReliabilityFit // what the import has stored
  return { ...statisticsOver({ vehicle, years, categories, known, ...period, fit }), vehicle }
}

type PeriodQuery = { readonly year_from?: number; readonly year_to?: number }

const year = Joi.number().integer().min(firstYear).max(lastYear)
const example = { make: sampleVehicle.make, model: sampleVehicle.model }

const examples: readonly OperationExample[] = [
  { name: 'all years', status: 200, params: example },
  { name: 'three years', status: 200, params: example, query: { year_from: '2016', year_to: '2018' } },
  { name: 'from after to', status: 400, params: example, query: { year_from: '2018', year_to: '2016' } },
  { name: 'from a year to come', status: 400, params: example, query: { year_from: '2099' } },
]

const description = {
  id: 'getStatistics',
  summary: 'Statistics of a model over a period',
  description:
    'Score, trend, complaints by category, mileage at failure and repair cost over the model years of a period. What cannot be computed is null, and `notes` says why.',
  tag: 'Statistics',
  params: modelParams,
  query: Joi.object<PeriodQuery>({
    year_from: year.description('First model year, not after year_to; all available years unless given.'),
    year_to: year.description('Last model year; the current year unless given.'),
  }),
  responses: answers('The statistics.', statisticsSchema),
  problems: [vehicleProblems.vehicle_not_found],
  examples,
}
