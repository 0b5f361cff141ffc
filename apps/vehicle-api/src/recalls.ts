import { record } from '@hearth/chassis/endpoint'
import { executePrepared } from '@hearth/chassis/prepared'
import { sql, type Kysely } from 'kysely'
import type { Model } from './catalogue.ts'
import type { ServedTables } from './served-version.ts'
import * as schema from './vehicle-schema.ts'

/** Recall campaigns of a model year, newest first; null when no recalls are loaded. */
export async function readRecalls(
  db: Kysely<unknown>,
  { recall }: ServedTables,
  { model, year }: { readonly model: Model; readonly year: number },
): Promise<unknown[] | null> {
  if (recall === null) return null
  const { rows } = await executePrepared(
    db,
    sql`
    select campaign as campaign_number, received as date_received, manufacturer, components, summary,
      consequence, remedy, notes, units as units_affected, do_not_drive, park_outside
    from ${recall}
    where make = ${model.make.key} and model = ${model.key} and year = ${year}
    order by received desc nulls last, campaign desc`,
  )
  return rows
}

const textOrNull = (description: string) => schema.text(description).allow(null)

/** A recall campaign as it is answered. */
export const recallSchema = record({
  campaign_number: schema.text('Campaign number of the regulator, such as 18V123000.'),
  date_received: schema.date('When the regulator received it').allow(null),
  manufacturer: textOrNull('Who recalls.'),
  components: schema.list(schema.text('Component path.'), 'What is recalled.'),
  summary: textOrNull('The defect.'),
  consequence: textOrNull('What it can lead to.'),
  remedy: textOrNull('What the maker does about it.'),
  notes: textOrNull('Whom to call.'),
  units_affected: schema
    .integer('Vehicles of the whole campaign, which may cover other models too.')
    .allow(null),
  do_not_drive: schema.flag('The vehicle is not to be driven before it is repaired.'),
  park_outside: schema.flag('It is to be parked outside and away from buildings until then.'),
})
