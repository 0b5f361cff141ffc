import { sql, type QueryExecutorProvider } from 'kysely'
import { tableShape, type VersionNumbers } from '../data-tables.ts'
import { datasetKinds, type DatasetKind } from '../database.ts'

/** A dataset whose tables are filled, ready to be served. */
export type LoadedDataset = {
  readonly id: number
  readonly kind: DatasetKind
  readonly sample: boolean
  /** File names or addresses without credentials. */
  readonly source: string
  readonly sha256: string
  readonly lines: number
  readonly taken: number
  readonly refused: number
  readonly records: number
  readonly firstDate: string | null
  readonly lastDate: string | null
}

/** The version that is served, and what it was made from; undefined before the first. */
export type ServedVersion = VersionNumbers & {
  readonly sample: boolean
  /** Whether its tables have the shape of this code's, so that datasets of it can go into the next version. */
  readonly isReadable: boolean
  readonly datasets: Readonly<Partial<Record<DatasetKind, LoadedDataset>>>
}

/**
 * Records the datasets and makes their version the served one, in the transaction it is given: readers see all of
 * it or nothing.
 */
export async function publish(
  trx: QueryExecutorProvider,
  numbers: VersionNumbers,
  loaded: readonly LoadedDataset[],
  { sample, methodology }: { readonly sample: boolean; readonly methodology: unknown },
): Promise<void> {
  for (const { id, kind, sample: generated, source, sha256, lines, ...rest } of loaded) {
    const { taken, refused, records, firstDate, lastDate } = rest
    await sql`
      insert into dataset
        (id, kind, sample, source, sha256, lines, taken, refused, records, first_date, last_date)
      overriding system value
      values (${id}, ${kind}, ${generated}, ${source}, ${sha256}, ${lines}, ${taken}, ${refused}, ${records},
        ${firstDate}, ${lastDate})`.execute(trx)
  }
  await sql`
    insert into data_version
      (id, sample, complaints_dataset, recalls_dataset, ratings_dataset, sales_dataset, methodology, shape)
    values (${numbers.version}, ${sample}, ${numbers.complaints}, ${numbers.recalls}, ${numbers.ratings},
      ${numbers.sales}, ${JSON.stringify(methodology)}::json, ${tableShape})`.execute(trx)
}

/** What was published last. */
export async function readServed(db: QueryExecutorProvider): Promise<ServedVersion | undefined> {
  const { rows } = await sql<VersionRow>`
    select id, sample, shape, complaints_dataset, recalls_dataset, ratings_dataset, sales_dataset
    from data_version order by id desc limit 1`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const numbers = datasetKinds.map((kind) => row[`${kind}_dataset`])
  const found = await sql<LoadedDataset>`
    select id, kind, sample, source, sha256, lines, taken, refused, records,
      first_date as "firstDate", last_date as "lastDate"
    from dataset where id = any(${numbers})`.execute(db)
  return {
    version: row.id,
    sample: row.sample,
    isReadable: row.shape === tableShape,
    complaints: row.complaints_dataset,
    recalls: row.recalls_dataset,
    ratings: row.ratings_dataset,
    sales: row.sales_dataset,
    datasets: Object.fromEntries(found.rows.map((dataset) => [dataset.kind, dataset])),
  }
}

type VersionRow = {
  readonly id: number
  readonly sample: boolean
  readonly shape: number | null
  readonly complaints_dataset: number
  readonly recalls_dataset: number | null
  readonly ratings_dataset: number | null
  readonly sales_dataset: number | null
}
