import { endpoint, type Endpoint, type OperationExample } from '@hearth/chassis/endpoint'
import { executePrepared } from '@hearth/chassis/prepared'
import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import { sql, type Kysely } from 'kysely'
import { answer, answers } from './answers.ts'
import type { Model } from './catalogue.ts'
import { readPage } from './complaint-page.ts'
import { presentComplaint } from './complaint-row.ts'
import { categories, type Category } from './model/category.ts'
import { modelYearSchema } from './model-year-schema.ts'
import { presentModelYear } from './presentation.ts'
import { vehicleProblems } from './problems.ts'
import { readRatings } from './ratings.ts'
import { readRecalls } from './recalls.ts'
import { sampleVehicle } from './sample-vehicle.ts'
import type { ServedData } from './served-data.ts'
import type { ServedTables } from './served-version.ts'
import { findModelYear, modelYearParams } from './vehicle-path.ts'

/** GET /v1/vehicles/{make}/{model}/{year} */
export function vehicleModelYear(data: ServedData): Endpoint {
  return endpoint(description, ({ params, query }, req, res) => {
    const include = readInclude(query.include)
    return answer(data, req, res, ({ catalogue, tables }) => {
      const vehicle = { model: findModelYear(catalogue, params), year: params.year }
      return { answer: async (db) => ({ data: await describeModelYear(db, tables, vehicle, include) }) }
    })
  })
}

/** What a model year can be answered with besides. */
const inclusions = ['complaints', 'recalls', 'ratings'] as const
type Inclusion = (typeof inclusions)[number]

/** @throws HttpError validation_failed for a name that cannot be included */
function readInclude(text: string | undefined): ReadonlySet<Inclusion> {
  const names = text?.split(',').map((name) => name.trim()) ?? []
  const known = inclusions.filter((inclusion) => names.includes(inclusion))
  const unknown = names.find((name) => !inclusions.some((inclusion) => inclusion === name))
  if (unknown === undefined) return new Set(known)
  const detail = `include names "${unknown.slice(0, 60)}"; expected one or more of ${inclusions.join(', ')} with commas between them.`
  throw invalid([{ parameter: 'include', code: 'not_allowed', detail }])
}

type Vehicle = { readonly model: Model; readonly year: number }

async function describeModelYear(
  db: Kysely<unknown>,
  tables: ServedTables,
  vehicle: Vehicle,
  include: ReadonlySet<Inclusion>,
) {
  const [figures, complaints, recalls, ratings] = await Promise.all([
    readFigures(db, tables, vehicle),
    include.has('complaints') ? readLatest(db, tables, vehicle) : undefined,
    include.has('recalls') ? readRecalls(db, tables, vehicle) : undefined,
    include.has('ratings') ? readRatings(db, tables, vehicle) : undefined,
  ])
  const { complaints: total, recalls: recallCount, category_counts: counts, issues, known, ...rest } = figures
  const { crashes, fires, injuries, deaths, avg_mileage: averageMileage, ...score } = rest
  const isWithoutRecalls = tables.recall === null
  return {
    ...presentModelYear(vehicle),
    ...score,
    complaint_summary: {
      total,
      categories: Object.fromEntries(categories.map((category) => [category, counts[category] ?? 0])),
    },
    average_mileage_at_failure: averageMileage,
    complaints_with_mileage: known,
    ...{ crashes, fires, injuries, deaths },
    recall_count: isWithoutRecalls ? null : recallCount,
    common_issues: issues,
    ...(include.has('complaints') && { complaints }),
    ...(include.has('recalls') && { recalls }),
    ...(include.has('ratings') && { ratings }),
    notes: [
      ...(known === 0 ? ['No complaint says the mileage, so its average is null.'] : []),
      ...(score.confidence === 'insufficient_data' ? [insufficient] : []),
      ...(isWithoutRecalls ? ['No recall data are loaded, so recalls and their number are null.'] : []),
      ...(ratings === null ? ['No crash-test data are loaded, so ratings are null.'] : []),
    ],
  }
}

const insufficient = 'Fewer than 5 complaints: the scores are those of the median vehicle, not of this one.'

/** Score, counts, mileage and common issues. */
async function readFigures(db: Kysely<unknown>, tables: ServedTables, { model, year }: Vehicle) {
  const { rows } = await executePrepared(
    db,
    sql<Figures>`
    select score as reliability_score, score_low, score_high, rating as reliability_rating, confidence,
      exposure_basis, crashes, fires, injuries, deaths, complaints, recalls, category_counts,
      coalesce(mileages, 0) as known, avg_mileage, coalesce((
        select json_agg(issue) from (
          select id, category, description, frequency, avg_repair_cost, cost_estimated as repair_cost_estimated,
            report_count
          from ${tables.issue} where make = figures.make and model = figures.model and year = figures.year
          order by rank
        ) as issue
      ), '[]') as issues
    from ${tables.model_year} as figures
    left join ${tables.period} as period on period.make = figures.make and period.model = figures.model
      and year_from = year and year_to = year
    where figures.make = ${model.make.key} and figures.model = ${model.key} and year = ${year}`,
  )
  const [figures] = rows
  if (figures === undefined) throw new Error(`There are no figures for ${model.slug} ${year}.`)
  return figures
}

async function readLatest(db: Kysely<unknown>, tables: ServedTables, vehicle: Vehicle) {
  const selection = { ...vehicle, sort: 'date_desc' } as const
  const { page } = await readPage(db, tables, selection, { offset: 0, limit: 10 })
  return page.map(({ row }) => presentComplaint(row))
}

type Figures = {
  readonly reliability_score: number
  readonly score_low: number
  readonly score_high: number
  readonly reliability_rating: number
  readonly confidence: string
  readonly exposure_basis: string
  readonly crashes: number
  readonly fires: number
  readonly injuries: number
  readonly deaths: number
  readonly complaints: number
  readonly recalls: number
  readonly category_counts: Readonly<Partial<Record<Category, number>>>
  readonly known: number
  readonly avg_mileage: number | null
  readonly issues: readonly object[]
}

const example = { ...sampleVehicle }

const examples: readonly OperationExample[] = [
  { name: 'a model year', status: 200, params: example },
  {
    name: 'with all there is',
    status: 200,
    params: example,
    query: { include: 'complaints,recalls,ratings' },
  },
  { name: 'no such model year', status: 404, params: { ...sampleVehicle, year: '1886' } },
  { name: 'not a year', status: 400, params: { ...sampleVehicle, year: 'next' } },
]

const description = {
  id: 'getModelYear',
  summary: 'A model year',
  description:
    'Score, complaints by category, mileage and common issues of one model year. `include` adds the 10 latest complaints, the recalls and the crash-test ratings.',
  tag: 'Vehicles',
  params: modelYearParams,
  query: Joi.object<{ include?: string }>({
    include: Joi.string()
      .max(100)
      .description('One or more of complaints, recalls and ratings, with commas between them.'),
  }),
  responses: answers('The model year.', modelYearSchema),
  problems: [vehicleProblems.vehicle_not_found],
  examples,
}
