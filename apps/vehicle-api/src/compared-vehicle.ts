import { sql, type Kysely } from 'kysely'
import type { Model } from './catalogue.ts'
import { readCategoryRows, readModelYears } from './model-years.ts'
import type { ComparedVehicle } from './model/comparison/compare-vehicles.ts'
import type { Dynamics } from './model/comparison/driving.ts'
import type { CategoryRow } from './model/statistics/statistics-over.ts'
import type { ServedTables, ServedVersion } from './served-version.ts'

/** Everything a comparison looks at of one model year. */
export async function readComparedVehicle(
  db: Kysely<unknown>,
  { tables }: ServedVersion,
  { model, year }: { readonly model: Model; readonly year: number },
): Promise<ComparedVehicle> {
  const [[figures], categories, dynamics] = await Promise.all([
    readModelYears(db, tables, model, year),
    readCategoryRows(db, tables, model, year),
    readDynamics(db, tables, model, year),
  ])
  if (figures === undefined) throw new Error(`There are no figures for ${model.slug} ${year}.`)
  return {
    ...figures,
    vehicle: { make: model.make.slug, model: model.slug, year },
    avgRepairCost: averageRepairCost(categories),
    dynamics,
  }
}

/** Mean of the categories' averages, each as heavy as it has complaints; null when no category has one. */
function averageRepairCost(rows: readonly CategoryRow[]): number | null {
  const known = rows.flatMap(({ complaints, avgRepairCost: cost }) =>
    cost === null ? [] : [{ complaints, cost }],
  )
  const complaints = known.reduce((sum, row) => sum + row.complaints, 0)
  if (complaints === 0) return null
  return known.reduce((sum, row) => sum + row.complaints * row.cost, 0) / complaints
}

/** Over the rated variants: the mean, and of what is text the value most of them have. */
async function readDynamics(
  db: Kysely<unknown>,
  { rating }: ServedTables,
  { make, key }: Model,
  year: number,
): Promise<Dynamics> {
  const unknown = { staticStabilityFactor: null, driveTrain: null, bodyStyle: null, vehicleType: null }
  if (rating === null) return { model: key, ...unknown }
  const { rows } = await sql<Omit<Dynamics, 'model'>>`
    select avg(static_stability_factor) as "staticStabilityFactor",
      mode() within group (order by drive_train) as "driveTrain",
      mode() within group (order by body_style) as "bodyStyle",
      mode() within group (order by vehicle_type) as "vehicleType"
    from ${rating} where make = ${make.key} and model = ${key} and year = ${year}`.execute(db)
  return { model: key, ...(rows[0] ?? unknown) }
}
