import { executePrepared } from '@hearth/chassis/prepared'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Model } from './catalogue.ts'
import { figureColumns, figuresOf, type FiguresRow } from './model-years.ts'
import type { ComparedVehicle } from './model/comparison/compare-vehicles.ts'
import type { Dynamics } from './model/comparison/driving.ts'
import type { ServedTables, ServedVersion } from './served-version.ts'

/** Everything a comparison looks at of model years, in their order. */
export async function readComparedVehicles(
  db: Kysely<unknown>,
  { tables }: ServedVersion,
  vehicles: readonly { readonly model: Model; readonly year: number }[],
): Promise<ComparedVehicle[]> {
  const [makes, models, years] = [
    vehicles.map(({ model }) => model.make.key),
    vehicles.map(({ model }) => model.key),
    vehicles.map(({ year }) => year),
  ]
  const { rows } = await executePrepared(
    db,
    sql<ComparedRow>`
    select place, ${figureColumns}, category_counts, usual_cost, dynamics.*
    from unnest(${makes}::text[], ${models}::text[], ${years}::smallint[])
      with ordinality as asked (make, model, year, place)
    join ${tables.model_year} as figures using (make, model, year)
    left join ${tables.period} as period on period.make = figures.make and period.model = figures.model
      and year_from = figures.year and year_to = figures.year
    left join lateral (${dynamicsOf(tables)}) as dynamics on true`,
  )
  const rowOf = new Map(rows.map((row) => [row.place, row]))
  return vehicles.map(({ model, year }, at) => {
    const row = rowOf.get(at + 1)
    if (row === undefined) throw new Error(`There are no figures for ${model.slug} ${year}.`)
    const { staticStabilityFactor, driveTrain, bodyStyle, vehicleType } = row
    return {
      ...figuresOf(row),
      vehicle: { make: model.make.slug, model: model.slug, year },
      categoryComplaints: row.category_counts,
      avgRepairCost: row.usual_cost,
      dynamics: { model: model.key, staticStabilityFactor, driveTrain, bodyStyle, vehicleType },
    }
  })
}

/** Over the rated variants: the mean, and of what is text the value most of them have. */
function dynamicsOf({ rating }: Pick<ServedTables, 'rating'>): RawBuilder<unknown> {
  if (rating === null) {
    return sql`
      select null::double precision as "staticStabilityFactor", null as "driveTrain", null as "bodyStyle",
        null as "vehicleType"`
  }
  return sql`
    select avg(static_stability_factor) as "staticStabilityFactor",
      mode() within group (order by drive_train) as "driveTrain",
      mode() within group (order by body_style) as "bodyStyle",
      mode() within group (order by vehicle_type) as "vehicleType"
    from ${rating} as rating
    where rating.make = figures.make and rating.model = figures.model and rating.year = figures.year`
}

type ComparedRow = FiguresRow &
  Omit<Dynamics, 'model'> & {
    /** 1 for the first one asked for. */
    readonly place: number
    readonly category_counts: ComparedVehicle['categoryComplaints']
    readonly usual_cost: number | null
  }
