import { sql, type RawBuilder } from 'kysely'
import { tableName, tablesOfVersion, type VersionNumbers } from '../data-tables.ts'
import type { ImportSession } from '../database.ts'
import { averageCost, type AverageCost } from '../model/average-cost.ts'
import { categories as allCategories, type Category } from '../model/category.ts'
import { modelScore } from '../model/model-score.ts'
import { slug } from '../model/names.ts'
import { isReference } from '../model/reliability/basis-fit.ts'
import { fitReliability } from '../model/reliability/fit-reliability.ts'
import type { ReliabilityFit } from '../model/reliability-fit.ts'
import { analysePeriods, type PeriodAnalysis } from '../model/statistics/periods.ts'
import { modelTrends, type ReportedIssue } from '../model/trends/model-trends.ts'
import type { ModelYear, VehicleScore } from '../model/vehicle-score.ts'
import { countVehicles, type CountedVehicle } from './count-vehicles.ts'
import { medianCosts } from './mine-narratives.ts'
import { nameVehicles, type VehicleNames } from './name-vehicles.ts'
import { grouped, openWriter, rowsOf, type Writer } from './rows.ts'
import { createTables, finishTables } from './tables.ts'

/** A version that can be published. */
export type BuiltVersion = {
  readonly fit: ReliabilityFit
  readonly makes: number
  readonly models: number
  readonly modelYears: number
  /**
   * Where sales are loaded that no score rests on, because too few model years have them: how many have them and
   * could be measured against.
   */
  readonly unusedSales: number | null
}

/**
 * Makes the tables of a version from its datasets: scores every model year, and writes makes, models, model years
 * and their categories, so that every read is a look-up.
 *
 * @param asOf date of the newest complaint
 */
export async function buildVersion(
  session: ImportSession,
  numbers: VersionNumbers,
  asOf: string,
): Promise<BuiltVersion> {
  const { db } = session
  const { version } = numbers
  await createTables(db, tablesOfVersion, version)
  const [built] = await session.inParallel(
    (own) => writeVehicles(own, numbers, asOf),
    (own) => writeCategories(own, numbers),
  )
  await finishTables(db, tablesOfVersion, version)
  return built
}

async function writeVehicles(
  session: ImportSession,
  numbers: VersionNumbers,
  asOf: string,
): Promise<BuiltVersion> {
  const counted = await countVehicles(session.db, numbers)
  const { fit, scores } = fitReliability(counted, asOf)
  const names = await nameVehicles(session.db, numbers)
  const models = modelsOf(counted, scores)
  await writeModels(session, numbers, { models, names, fit })
  const makes = await writeMakes(session, numbers, { models, names })
  const unusedSales = numbers.sales === null || fit.bases.sales !== undefined ? null : soldOf(counted, asOf)
  return { fit, makes, models: models.length, modelYears: counted.length, unusedSales }
}

function soldOf(vehicles: readonly CountedVehicle[], asOf: string): number {
  return vehicles.filter((vehicle) => vehicle.units?.basis === 'sales' && isReference(vehicle, asOf)).length
}

/** The model years of one model, in order. */
type CountedModel = {
  readonly make: string
  readonly model: string
  readonly years: readonly { readonly counts: CountedVehicle; readonly score: VehicleScore }[]
}

function modelsOf(counted: readonly CountedVehicle[], scores: readonly VehicleScore[]): CountedModel[] {
  const models: (CountedModel & { years: CountedModel['years'][number][] })[] = []
  for (const [at, counts] of counted.entries()) {
    const score = scores[at]
    if (score === undefined) throw new Error('Every vehicle has a score.')
    let last = models.at(-1)
    if (last?.make !== counts.make || last.model !== counts.model) {
      last = { make: counts.make, model: counts.model, years: [] }
      models.push(last)
    }
    last.years.push({ counts, score })
  }
  return models
}

type Built = {
  readonly models: readonly CountedModel[]
  readonly names: VehicleNames
  readonly fit: ReliabilityFit
}

async function writeModels(
  session: ImportSession,
  numbers: VersionNumbers,
  { models, names, fit }: Built,
): Promise<void> {
  const modelTable = openWriter(session, tableName('model', numbers.version))
  const yearTable = openWriter(session, tableName('model_year', numbers.version))
  await session.transaction(async () => {
    const query = sql<ReportedIssue & Model>`
      select make, model, year, id, category, phrase, report_count as "reportCount"
      from ${sql.id(tableName('issue', numbers.complaints))}
      order by make collate "C", model collate "C", year, rank`
    const issuesOf = inStep(grouped(rowsOf(session.db, query), keyOf))
    for (const model of models) {
      await writeModel(model, await issuesOf(keyOf(model)), { names, fit }, modelTable)
      for (const { counts, score } of model.years) await yearTable.add(yearRow(counts, score))
    }
    await modelTable.end()
    await yearTable.end()
  })
}

type Model = { readonly make: string; readonly model: string }

function keyOf({ make, model }: Model): string {
  return `${make}/${model}`
}

/** Walks through sorted groups beside a sorted list: the group of a model, or nothing. */
function inStep(groups: AsyncGenerator<(ReportedIssue & Model)[]>) {
  let ahead: readonly (ReportedIssue & Model)[] | undefined
  return async (key: string): Promise<readonly ReportedIssue[]> => {
    if (ahead === undefined) {
      const next = await groups.next()
      ahead = next.done === true ? [] : next.value
    }
    const [first] = ahead
    if (first === undefined || keyOf(first) !== key) return []
    const group = ahead
    ahead = undefined
    return group
  }
}

async function writeModel(
  { make, model, years }: CountedModel,
  issues: readonly ReportedIssue[],
  { names, fit }: Pick<Built, 'names' | 'fit'>,
  table: Writer,
): Promise<void> {
  const modelYears = years.map(({ counts, score }) => toModelYear(counts, score))
  const name = names.models.get(`${make}/${model}`) ?? model
  const categories = years.flatMap(({ counts }) => categoryCounts(counts))
  const shown = { make: names.makes.get(make) ?? make, model: name }
  const trends = modelTrends({ make, model, names: shown, years: modelYears, categories, issues, fit })
  const { score, rating, confidence, basis } = modelScore(modelYears, fit)
  const complaints = modelYears.reduce((sum, year) => sum + year.complaints, 0)
  await table.add([
    ...[make, model, slug(name), name, isListed(years), modelYears.map(({ year }) => year), complaints],
    ...[score, rating, confidence, basis, JSON.stringify(trends)],
  ])
}

/** Five complaints or a recall: below that it is more often a slip of the pen than a model. */
function isListed(years: CountedModel['years']): boolean {
  const complaints = years.reduce((sum, { counts }) => sum + counts.complaints, 0)
  return complaints >= 5 || years.some(({ counts }) => counts.recalls > 0)
}

function toModelYear({ year, complaints, doNotDrive }: CountedVehicle, score: VehicleScore): ModelYear {
  return { year, complaints, doNotDrive, measure: score, background: score.background }
}

/** In the order of the list, which that of the rows of a file does not decide. */
function categoryCounts({ year, categories }: CountedVehicle) {
  return allCategories.flatMap((category) => {
    const { complaints } = categories[category] ?? { complaints: 0 }
    return complaints === 0 ? [] : [{ year, category, complaints }]
  })
}

function yearRow(counts: CountedVehicle, score: VehicleScore) {
  const { background } = score
  return [
    ...[counts.make, counts.model, counts.year, counts.complaints, counts.weight, counts.crashes],
    ...[counts.fires, counts.injuries, counts.deaths, counts.recalls, counts.doNotDrive],
    ...[counts.overallStars, score.lnRate, score.exposure, score.score, score.scoreLow, score.scoreHigh],
    ...[score.rating, score.confidence, score.basis, JSON.stringify(score.categoryScores)],
    background === null ? null : JSON.stringify(background),
    JSON.stringify(Object.fromEntries(categoryCounts(counts).map((one) => [one.category, one.complaints]))),
  ]
}

async function writeMakes(
  session: ImportSession,
  { version }: VersionNumbers,
  { models, names }: Omit<Built, 'fit'>,
): Promise<number> {
  const makes = new Map<string, { models: number; complaints: number }>()
  for (const { make, years } of models) {
    const entry = makes.get(make) ?? { models: 0, complaints: 0 }
    makes.set(make, entry)
    entry.models += isListed(years) ? 1 : 0
    entry.complaints += years.reduce((sum, { counts }) => sum + counts.complaints, 0)
  }
  const table = openWriter(session, tableName('make', version))
  for (const [make, { models: count, complaints }] of makes) {
    const name = names.makes.get(make) ?? make
    await table.add([make, slug(name), name, count, complaints])
  }
  await table.end()
  return makes.size
}

async function writeCategories(session: ImportSession, numbers: VersionNumbers): Promise<void> {
  const medians = await medianCosts(session.db, numbers.complaints)
  const table = openWriter(session, tableName('category', numbers.version))
  const periodTable = openWriter(session, tableName('period', numbers.version))
  await session.transaction(async () => {
    const query = categoryQuery(sql.id(tableName('complaint', numbers.complaints)))
    for await (const rows of grouped(rowsOf(session.db, query), keyOf)) {
      const [first] = rows
      if (first === undefined) continue
      const averaged = rows.map((row) => ({
        ...row,
        ...averageCost(row.costs, medians[row.category] ?? null),
      }))
      for (const row of averaged) await table.add(categoryRow(row))
      const periods = analysePeriods(averaged.map((row) => ({ ...row, avgRepairCost: row.average })))
      for (const period of periods) await periodTable.add(periodRow(first, period))
    }
    await table.end()
    await periodTable.end()
  })
}

function categoryRow({ make, model, year, category, mileages, ...row }: CategoryRow & AverageCost) {
  return [
    ...[make, model, year, category, row.complaints, row.weight, row.average, row.estimated, row.components],
    ...[mileages.length, mileages.reduce((sum, miles) => sum + miles, 0), mileages],
  ]
}

function periodRow({ make, model }: Model, { from, to, mileage, cost, usualCost }: PeriodAnalysis) {
  return [
    ...[make, model, from, to, mileage.n, mileage.avg_failure_mileage, mileage.median_failure_mileage],
    ...[mileage.most_problematic_range, cost.n, cost.avg_repair_cost, cost.median_repair_cost],
    ...[cost.expensive_repairs_percentage, cost.estimated, usualCost],
  ]
}

type CategoryRow = Model & {
  readonly year: number
  readonly category: Category
  readonly complaints: number
  readonly weight: number
  readonly components: string[]
  readonly mileages: number[]
  readonly costs: number[]
}

/** Of the components the five most frequent; mileages and costs ascending. Weights: see complaintCounts(). */
function categoryQuery(complaint: RawBuilder<unknown>) {
  return sql<CategoryRow>`
    with component as (
      select make, model, year, category, component, count(*) as n, sum(weight::double precision) as weight
      from ${complaint} group by make, model, year, category, component
    ), found as (
      select make, model, year, category, sum(n)::integer as complaints, sum(weight) as weight,
        (array_agg(component order by n desc, component collate "C"))[1:5] as components
      from component group by make, model, year, category
    ), mileage as (
      select make, model, year, category, array_agg(mileage order by mileage) as mileages
      from ${complaint} where mileage is not null group by make, model, year, category
    ), cost as (
      select make, model, year, category, array_agg(repair_cost order by repair_cost) as costs
      from ${complaint} where repair_cost is not null group by make, model, year, category
    )
    select make, model, year, category, complaints, weight, components,
      coalesce(mileages, '{}') as mileages, coalesce(costs, '{}') as costs
    from found left join mileage using (make, model, year, category) left join cost using (make, model, year, category)
    order by make collate "C", model collate "C", year, category collate "C"`
}
