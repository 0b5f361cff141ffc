import { copyLine } from '@hearth/chassis/copy-line'
import type { LocalFile } from '@hearth/chassis/importing/fetch-file'
import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import { tableName } from '../data-tables.ts'
import type { DatasetKind, ImportSession } from '../database.ts'
import { copyBatches, type CopyForm } from './batch.ts'
import { loadRecords, type LoadOptions, type Source, type Tally } from './load-dataset.ts'
import { readRatings, type RatingRecord } from './rating-file.ts'
import { readRecalls, type RecallRecord } from './recall-file.ts'
import { readSales, type SaleRecord } from './sales-file.ts'

type OtherKind = Exclude<DatasetKind, 'complaints'>

/** Reads the files of recalls, ratings or sales into the table of a dataset. */
export async function loadOther(
  session: ImportSession,
  dataset: number,
  kind: OtherKind,
  files: readonly LocalFile[],
  options: LoadOptions,
): Promise<Tally & { readonly records: number }> {
  const tally =
    kind === 'recalls'
      ? await loadRecords(session, dataset, recalls(options.currentYear), files, options)
      : kind === 'ratings'
        ? await loadRecords(session, dataset, ratings(options.currentYear), files, options)
        : await loadRecords(session, dataset, sales(options.currentYear), files, options)
  const table = sql.id(tableName(tableOfKind[kind], dataset))
  if (kind !== 'ratings') await mergeRows(session.db, kind, table)
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${table}`.execute(session.db)
  return { ...tally, records: rows[0]?.n ?? 0 }
}

const tableOfKind = { recalls: 'recall', ratings: 'rating', sales: 'sale' } as const

function recalls(currentYear: number): Source {
  const form: CopyForm<RecallRecord> = {
    line: (recall) =>
      copyLine([
        ...[recall.make, recall.model, recall.year, recall.campaign, recall.makeName, recall.modelName],
        ...[recall.manufacturer, recall.received, recall.components, recall.summary, recall.consequence],
        ...[recall.remedy, recall.notes, recall.units, recall.doNotDrive, recall.parkOutside],
      ]),
    dateOf: ({ received }) => received,
  }
  return {
    ...{ kind: 'recalls', name: 'recalls', table: 'recall' },
    read: (path, onProgress) => copyBatches(readRecalls(path, { currentYear, onProgress }), form),
  }
}

function ratings(currentYear: number): Source {
  const form: CopyForm<RatingRecord> = {
    line: (rating) =>
      copyLine([
        ...[rating.make, rating.model, rating.year, rating.makeName, rating.modelName, rating.variant],
        ...[rating.overall, rating.frontal, rating.side, rating.rollover, rating.rolloverPossibility],
        ...[rating.staticStabilityFactor, rating.curbWeight, rating.vehicleType, rating.bodyStyle],
        rating.driveTrain,
      ]),
    dateOf: () => null,
  }
  return {
    ...{ kind: 'ratings', name: 'ratings', table: 'rating' },
    read: (path, onProgress) => copyBatches(readRatings(path, { currentYear, onProgress }), form),
  }
}

function sales(currentYear: number): Source {
  const form: CopyForm<SaleRecord> = {
    line: ({ make, model, year, units, source }) => copyLine([make, model, year, units, source]),
    dateOf: () => null,
  }
  return {
    ...{ kind: 'sales', name: 'sales', table: 'sale' },
    read: (path, onProgress) => copyBatches(readSales(path, { currentYear, onProgress }), form),
  }
}

/**
 * The recall file has a row for every component, and sales may have one for every trim: here each campaign of a
 * vehicle, and each model year sold, becomes one row. The units of a campaign are those of the whole campaign on
 * every row; those of trims add up.
 */
async function mergeRows(
  db: QueryExecutorProvider,
  kind: 'recalls' | 'sales',
  table: RawBuilder<unknown>,
): Promise<void> {
  const merged = kind === 'recalls' ? mergedRecalls : mergedSales
  await sql`
    with gone as (delete from ${table} returning *)
    insert into ${table} ${merged}`.execute(db)
}

const mergedRecalls = sql`
  select make, model, year, campaign, min(make_name), min(model_name), min(manufacturer), min(received),
    (select array_agg(distinct component order by component) from unnest(string_to_array(string_agg(array_to_string(components, e'\\x1f'), e'\\x1f'), e'\\x1f')) as component),
    max(summary), max(consequence), max(remedy), max(notes), max(units), bool_or(do_not_drive), bool_or(park_outside)
  from gone group by make, model, year, campaign`

const mergedSales = sql`
  select make, model, year, sum(units), string_agg(distinct source, ', ' order by source)
  from gone group by make, model, year`
