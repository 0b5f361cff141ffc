import { sql, type Kysely, type RawBuilder } from 'kysely'
import { loadCatalogue, type Catalogue } from './catalogue.ts'
import { tableName, tableShape, versionsKept, type Tables, type VersionNumbers } from './data-tables.ts'
import type { DatasetKind } from './database.ts'

/** One data version as it is served: where its tables are, where they come from, and its catalogue in memory. */
export type ServedVersion = {
  /** 1, 2, 3 …, for people. */
  readonly number: number
  /** Names the data version over all databases. */
  readonly stamp: string
  /** Generated data about invented makes. */
  readonly isSample: boolean
  readonly publishedAt: Date
  /** Constants of the scoring method, as the import fitted them. */
  readonly methodology: unknown
  /** What it was made from. */
  readonly datasets: readonly Dataset[]
  readonly tables: ServedTables
  readonly catalogue: Catalogue
}

/** The tables that answers are read from; null where no dataset of the kind is loaded. */
export type ServedTables = Pick<
  Tables,
  'complaint' | 'similar' | 'issue' | 'make' | 'model' | 'model_year' | 'category' | 'period'
> & { readonly [Name in 'recall' | 'rating']: RawBuilder<unknown> | null }

/** Where data come from. */
export type Dataset = {
  readonly kind: DatasetKind
  readonly sample: boolean
  /** File name or address. */
  readonly source: string
  readonly sha256: string
  /** Lines read, taken and refused. */
  readonly lines: number
  readonly taken: number
  readonly refused: number
  readonly records: number
  /** `YYYY-MM-DD` */
  readonly firstDate: string | null
  readonly lastDate: string | null
  readonly importedAt: Date
}

/**
 * The stamp of the version to serve: the newest one whose tables have the shape this code reads, of those whose
 * tables are kept. So instances of two versions of the service, between which the shape changed, both serve while one
 * takes the place of the other.
 *
 * @returns what is lacking where there is none: nothing was published yet, or only what cannot be read
 */
export async function servedStamp(
  db: Kysely<unknown>,
): Promise<{ readonly stamp: string } | { readonly lacks: 'data' | 'readable data' }> {
  const { rows } = await sql<Pick<VersionRow, 'stamp' | 'shape'>>`
    select stamp, shape from data_version order by id desc limit ${versionsKept}`.execute(db)
  const version = rows.find(isReadable)
  return version ?? { lacks: rows.length === 0 ? 'data' : 'readable data' }
}

/** @throws Error when there is no version to serve, or its tables have gone since */
export async function loadVersion(db: Kysely<unknown>): Promise<ServedVersion> {
  const { rows } = await sql<VersionRow>`
    select * from data_version order by id desc limit ${versionsKept}`.execute(db)
  const row = rows.find(isReadable)
  if (row === undefined) throw new Error('No data version that can be read was published.')
  const tables = tablesOf({
    version: row.id,
    complaints: row.complaints_dataset,
    recalls: row.recalls_dataset,
    ratings: row.ratings_dataset,
    sales: row.sales_dataset,
  })
  return {
    number: row.id,
    stamp: row.stamp,
    isSample: row.sample,
    publishedAt: row.published_at,
    methodology: row.methodology,
    datasets: await loadDatasets(db, row.id),
    tables,
    catalogue: await loadCatalogue(db, tables),
  }
}

function isReadable({ shape }: Pick<VersionRow, 'shape'>): boolean {
  return shape === tableShape
}

function tablesOf({ version, complaints, recalls, ratings }: VersionNumbers): ServedTables {
  const table = (name: keyof Tables, number: number) => sql.table(tableName(name, number))
  return {
    complaint: table('complaint', complaints),
    similar: table('similar', complaints),
    issue: table('issue', complaints),
    recall: recalls === null ? null : table('recall', recalls),
    rating: ratings === null ? null : table('rating', ratings),
    make: table('make', version),
    model: table('model', version),
    model_year: table('model_year', version),
    category: table('category', version),
    period: table('period', version),
  }
}

async function loadDatasets(db: Kysely<unknown>, version: number): Promise<Dataset[]> {
  const { rows } = await sql<Dataset>`
    select dataset.kind, dataset.sample, dataset.source, dataset.sha256, dataset.lines, dataset.taken,
      dataset.refused, dataset.records, dataset.first_date as "firstDate", dataset.last_date as "lastDate",
      dataset.imported_at as "importedAt"
    from data_version as served
    join dataset on dataset.id in
      (served.complaints_dataset, served.recalls_dataset, served.ratings_dataset, served.sales_dataset)
    where served.id = ${version}
    order by array_position(array['complaints', 'recalls', 'ratings', 'sales'], dataset.kind)`.execute(db)
  return rows
}

type VersionRow = {
  readonly id: number
  readonly stamp: string
  readonly sample: boolean
  readonly shape: number | null
  readonly complaints_dataset: number
  readonly recalls_dataset: number | null
  readonly ratings_dataset: number | null
  readonly sales_dataset: number | null
  readonly methodology: unknown
  readonly published_at: Date
}
