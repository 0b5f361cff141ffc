import type { LocalFile } from '@hearth/chassis/importing/fetch-file'
import { sql, type QueryExecutorProvider } from 'kysely'
import { tableName } from '../data-tables.ts'
import type { ComplaintRecord } from '../model/complaint-record.ts'
import type { ImportSession } from '../database.ts'
import { readComplaints, readScattered } from './complaint-file.ts'
import { complaintLine } from './complaint-line.ts'
import { loadRecords, type LoadOptions, type Source, type Tally } from './load-dataset.ts'
import { createOdiNumbers, type OdiNumbers } from './odi-numbers.ts'
import { openWriter } from './rows.ts'
import { createTables } from './tables.ts'

/** What the check of a complaint dataset looks at. */
export type ComplaintTally = Tally & {
  readonly complaints: number
  readonly withoutNarrative: number
}

/**
 * Reads complaint files into the tables of a dataset: one row per ODI number and vehicle, however the rows of the
 * files are ordered.
 */
export async function loadComplaints(
  session: ImportSession,
  dataset: number,
  files: readonly LocalFile[],
  options: LoadOptions,
): Promise<ComplaintTally> {
  const { currentYear } = options
  const seen = createOdiNumbers()
  const source: Source<ComplaintRecord> = {
    ...{ kind: 'complaints', name: 'complaints', table: 'complaint', isPlain: true },
    read: (path, onProgress) => readComplaints(path, { currentYear, seen, onProgress }),
    line: complaintLine,
    dateOf: ({ dateReported, dateIncident }) => dateReported ?? dateIncident,
  }
  const tally = await loadRecords(session, dataset, source, files, options)
  const paths = files.map(({ path }) => path)
  await mergeScattered(session, dataset, paths, { currentYear, seen })
  await numberVehicles(session.db, dataset)
  await writeSpellings(session.db, dataset)
  return { ...tally, ...(await countComplaints(session.db, dataset, options.today)) }
}

/** Puts the complaints whose rows do not stand together in the files in place of their pieces. */
async function mergeScattered(
  session: ImportSession,
  dataset: number,
  paths: readonly string[],
  reading: { readonly currentYear: number; readonly seen: OdiNumbers },
): Promise<void> {
  if (reading.seen.scattered.size === 0) return
  const table = tableName('complaint', dataset)
  const scattered = [...reading.seen.scattered]
  await sql`delete from ${sql.id(table)} where odi = any(${scattered})`.execute(session.db)
  const whole = openWriter(session, table)
  for await (const records of readScattered(paths, reading)) {
    for (const record of records) await whole.addLine(complaintLine(record))
  }
  await whole.end()
}

/** Before 2003 one ODI number may be about several vehicles: the second and the third get `-2` and `-3`. */
async function numberVehicles(db: QueryExecutorProvider, dataset: number): Promise<void> {
  const complaint = sql.id(tableName('complaint', dataset))
  await sql`
    update ${complaint} as target set id = target.id || '-' || ranked.number
    from (
      select ctid, row_number() over (partition by odi order by make collate "C", model collate "C", year) as number
      from ${complaint}
      where odi in (select odi from ${complaint} group by odi having count(*) > 1)
    ) as ranked
    where target.ctid = ranked.ctid and ranked.number > 1`.execute(db)
}

async function writeSpellings(db: QueryExecutorProvider, dataset: number): Promise<void> {
  await createTables(db, ['spelling'], dataset)
  await sql`
    insert into ${sql.id(tableName('spelling', dataset))}
    select make, model, make_name, model_name, count(*) from ${sql.id(tableName('complaint', dataset))}
    group by make, model, make_name, model_name`.execute(db)
}

/** A date that is yet to come is a slip of the keyboard: the age of all vehicles is counted from the last date. */
async function countComplaints(db: QueryExecutorProvider, dataset: number, today: string) {
  const { rows } = await sql<
    Pick<ComplaintTally, 'complaints' | 'withoutNarrative' | 'firstDate' | 'lastDate'>
  >`
    select count(*) as complaints, count(*) filter (where description = '') as "withoutNarrative",
      min(date) filter (where date <= ${today}) as "firstDate",
      max(date) filter (where date <= ${today}) as "lastDate"
    from (
      select description, coalesce(date_reported, date_incident) as date
      from ${sql.id(tableName('complaint', dataset))}
    ) as complaint`.execute(db)
  return rows[0] ?? { complaints: 0, withoutNarrative: 0, firstDate: null, lastDate: null }
}
