import { sql, type QueryExecutorProvider } from 'kysely'
import { tableName, type VersionNumbers } from '../data-tables.ts'

/** How makes and models are shown. */
export type VehicleNames = {
  readonly makes: ReadonlyMap<string, string>
  /** By `make/model`. */
  readonly models: ReadonlyMap<string, string>
}

/**
 * Chooses how each make and model is written: as most complaints have it, else as most recalls, else as most
 * ratings; among equals the first in the alphabet.
 */
export async function nameVehicles(
  db: QueryExecutorProvider,
  numbers: VersionNumbers,
): Promise<VehicleNames> {
  const makes = new Map<string, string>()
  const models = new Map<string, string>()
  for (const { make, model, make_name, model_name } of await spellings(db, numbers)) {
    if (!makes.has(make)) makes.set(make, make_name)
    const key = `${make}/${model}`
    if (!models.has(key)) models.set(key, model_name)
  }
  return { makes, models }
}

type Spelling = {
  readonly make: string
  readonly model: string
  readonly make_name: string
  readonly model_name: string
}

/** The best first: makes are ranked over all their models. */
async function spellings(db: QueryExecutorProvider, numbers: VersionNumbers): Promise<Spelling[]> {
  const sources = [
    sql`select 1 as source, make, model, make_name, model_name, complaints as rows
      from ${sql.id(tableName('spelling', numbers.complaints))}`,
  ]
  for (const [at, kind] of (['recalls', 'ratings'] as const).entries()) {
    const number = numbers[kind]
    if (number === null) continue
    const table = sql.id(tableName(kind === 'recalls' ? 'recall' : 'rating', number))
    sources.push(sql`select ${sql.lit(at + 2)}, make, model, make_name, model_name, count(*)
      from ${table} group by make, model, make_name, model_name`)
  }
  const { rows } = await sql<Spelling>`
    with spelling as (${sql.join(sources, sql` union all `)})
    select make, model, make_name, model_name,
      sum(rows) over (partition by source, make, make_name) as of_make
    from spelling
    order by source, of_make desc, make_name collate "C", rows desc, model_name collate "C"`.execute(db)
  return rows
}
