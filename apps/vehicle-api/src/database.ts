import type { AccountTables } from '@hearth/account'
import type { BulkSession } from '@hearth/chassis/bulk'
import type { Generated } from 'kysely'

/** The tables of the schema `vehicle`: those of the accounts, and what says which data are served. */
export type VehicleTables = AccountTables & {
  dataset: DatasetTable
  data_version: DataVersionTable
}

/** What can be imported. */
export const datasetKinds = ['complaints', 'recalls', 'ratings', 'sales'] as const
export type DatasetKind = (typeof datasetKinds)[number]

/** One import of one kind; the row stays as provenance when its data are gone. */
type DatasetTable = {
  id: Generated<number>
  kind: DatasetKind
  /** Generated, with invented makes. */
  sample: boolean
  /** File name or address without credentials; several with commas between them. */
  source: string
  sha256: string
  /** Lines read, lines taken, lines refused as faulty. */
  lines: number
  taken: number
  refused: number
  /** Complaints (one per ODI number and vehicle), recalls (campaign and vehicle), rated variants, vehicles sold. */
  records: number
  /** First and last date in it, `YYYY-MM-DD`; null where it has none. */
  first_date: string | null
  last_date: string | null
  imported_at: Generated<Date>
}

/** What has been served since when; the last row is served now. Its data lie in tables named by number. */
type DataVersionTable = {
  /** 1, 2, 3 without gaps. */
  id: number
  /** Different for every row of every database, so that answers of a restored database are not confused. */
  stamp: Generated<string>
  sample: boolean
  complaints_dataset: number
  recalls_dataset: number | null
  ratings_dataset: number | null
  sales_dataset: number | null
  /** Which tableShape its tables have; null before these had numbers. */
  shape: number | null
  /** Fitted constants of rel-1: see ReliabilityFit. */
  methodology: unknown
  published_at: Generated<Date>
}

/** The connection of an import. */
export type ImportSession = BulkSession<VehicleTables>
