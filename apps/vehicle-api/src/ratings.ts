import { record } from '@hearth/chassis/endpoint'
import { executePrepared } from '@hearth/chassis/prepared'
import { sql, type Kysely } from 'kysely'
import type { Model } from './catalogue.ts'
import type { ServedTables } from './served-version.ts'
import * as schema from './vehicle-schema.ts'

/** Crash-test ratings of a model year, one entry per rated variant; null when no ratings are loaded. */
export async function readRatings(
  db: Kysely<unknown>,
  { rating }: ServedTables,
  { model, year }: { readonly model: Model; readonly year: number },
): Promise<unknown[] | null> {
  if (rating === null) return null
  const { rows } = await executePrepared(
    db,
    sql`
    select variant, overall as overall_stars, frontal as frontal_stars, side as side_stars,
      rollover as rollover_stars, rollover_possibility, static_stability_factor,
      curb_weight as curb_weight_lb, vehicle_type, body_style, drive_train
    from ${rating}
    where make = ${model.make.key} and model = ${model.key} and year = ${year} order by variant`,
  )
  return rows
}

const stars = (test: string) =>
  schema.integer(`${test}, 1 to 5 stars; null where not rated.`).min(1).max(5).allow(null)
const numberOrNull = (description: string) => schema.number(description).allow(null)
const textOrNull = (description: string) => schema.text(description).allow(null)

/** A rated variant as it is answered. */
export const ratingSchema = record({
  variant: schema.text('The rated variant, such as its body style and drive train.'),
  overall_stars: stars('All tests'),
  frontal_stars: stars('Frontal crash'),
  side_stars: stars('Side crash'),
  rollover_stars: stars('Rollover'),
  rollover_possibility: numberOrNull('Chance to roll over in a single-vehicle crash, as published.'),
  static_stability_factor: numberOrNull(
    'Half the track width divided by the height of the centre of gravity.',
  ),
  curb_weight_lb: schema.integer('Weight without load, in pounds.').allow(null),
  vehicle_type: textOrNull('As published.'),
  body_style: textOrNull('As published.'),
  drive_train: textOrNull('As published.'),
})
