import { sql, type Kysely } from 'kysely'
import type { ServedTables } from './served-version.ts'

/** Makes and models of one data version in memory, by key (see vehicleKey), in the order of their names. */
export type Catalogue = {
  readonly makes: ReadonlyMap<string, Make>
  /** Models that have a key, of whatever make. */
  readonly modelsByKey: ReadonlyMap<string, readonly Model[]>
}

/** A make and all its models that are known. */
export type Make = {
  readonly key: string
  readonly slug: string
  /** As it is shown. */
  readonly name: string
  /** Models in the catalogue. */
  readonly modelCount: number
  readonly models: ReadonlyMap<string, Model>
}

/** A model. */
export type Model = {
  readonly make: Make
  readonly key: string
  readonly slug: string
  readonly name: string
  /** Whether it is in the catalogue; others answer too when they are asked for by name. */
  readonly isListed: boolean
  /** Model years, ascending. */
  readonly years: readonly number[]
  readonly complaints: number
}

/** Reads the catalogue of a version. @throws Error when a model has no make */
export async function loadCatalogue(
  db: Kysely<unknown>,
  tables: Pick<ServedTables, 'make' | 'model'>,
): Promise<Catalogue> {
  const makes = await sql<MakeRow>`select make, slug, name, model_count from ${tables.make}`.execute(db)
  const models = await sql<ModelRow>`
    select make, model, slug, name, is_listed, years, complaints from ${tables.model}`.execute(db)
  return makeCatalogue(makes.rows, models.rows)
}

function makeCatalogue(makeRows: readonly MakeRow[], modelRows: readonly ModelRow[]): Catalogue {
  const modelsOf = new Map(makeRows.map(({ make }) => [make, new Map<string, Model>()]))
  const makes = new Map(
    makeRows.toSorted(byName).map(({ make: key, slug, name, model_count: modelCount }) => {
      const models = modelsOf.get(key) ?? new Map<string, Model>()
      return [key, { key, slug, name, modelCount, models }]
    }),
  )
  for (const row of modelRows.toSorted(byName)) {
    const make = makes.get(row.make)
    if (make === undefined) throw new Error(`Model ${row.model} is of make ${row.make}, which is not there.`)
    modelsOf.get(row.make)?.set(row.model, modelOf(make, row))
  }
  const models = [...modelsOf.values()].flatMap((ofMake) => [...ofMake.values()])
  return { makes, modelsByKey: Map.groupBy(models, ({ key }) => key) }
}

function modelOf(make: Make, row: ModelRow): Model {
  const { model: key, slug, name, is_listed: isListed, complaints } = row
  return { make, key, slug, name, isListed, years: row.years.toSorted((a, b) => a - b), complaints }
}

/** By code units, not by a locale: the same on every machine. */
function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  const [first, second] = [a.name.toLowerCase(), b.name.toLowerCase()]
  return first === second ? 0 : first < second ? -1 : 1
}

type MakeRow = {
  readonly make: string
  readonly slug: string
  readonly name: string
  readonly model_count: number
}

type ModelRow = {
  readonly make: string
  readonly model: string
  readonly slug: string
  readonly name: string
  readonly is_listed: boolean
  readonly years: readonly number[]
  readonly complaints: number
}
