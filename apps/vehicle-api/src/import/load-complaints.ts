import { refuseChanged, type LocalFile } from '@hearth/chassis/importing/fetch-file'
import { sql, type QueryExecutorProvider } from 'kysely'
import { tableName } from '../data-tables.ts'
import type { ImportSession } from '../database.ts'
import { inOrder } from './ahead.ts'
import { readScattered, shifted } from './complaint-file.ts'
import { complaintLine } from './complaint-line.ts'
import type { Crew } from './crew.ts'
import { keeper, type KeptComplaint } from './narrative-shelves.ts'
import { toldOfWriting, type NarrativeFile } from './narrative-file.ts'
import { readParts } from './cut-parts.ts'
import { loadRecords, namedAfter, type LoadOptions, type Source, type Tally } from './load-dataset.ts'
import { createOdiNumbers, type OdiNumbers } from './odi-numbers.ts'
import { openWriter, pagesOf } from './rows.ts'
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
  { crew, narratives, ...options }: LoadOptions & { readonly crew: Crew; readonly narratives: NarrativeFile },
): Promise<ComplaintTally> {
  const { currentYear } = options
  const { target } = narratives
  const seen = createOdiNumbers()
  const several = new Set<string>()
  const source: Source = {
    ...{ kind: 'complaints', name: 'complaints', table: 'complaint', isPlain: true },
    read: async function* (path, onProgress) {
      let before = 0
      const read = (bytes: Buffer) =>
        crew.read({ bytes, currentYear, target }).catch((error: unknown) => {
          throw toldOfWriting(error)
        })
      for await (const part of inOrder(readParts(path, onProgress), read, crew.hands + 2)) {
        for (const odi of part.runs) seen.add(odi)
        for (const odi of part.several) several.add(odi)
        narratives.add(part.kept)
        yield { ...part, rejections: shifted(part.rejections, before) }
        before += part.lines
      }
    },
  }
  const tally = await loadRecords(session, dataset, source, files, options)
  await mergeScattered(session, dataset, files, { currentYear, seen })
  const replaced = [...several.union(seen.scattered)]
  await numberVehicles(session.db, dataset, replaced)
  await keepOnceMore(session, dataset, replaced, narratives)
  await writeSpellings(session.db, dataset)
  return { ...tally, ...(await countComplaints(session.db, dataset, options.today)) }
}

/** Puts the complaints whose rows do not stand together in the files in place of their pieces. */
async function mergeScattered(
  session: ImportSession,
  dataset: number,
  files: readonly LocalFile[],
  reading: { readonly currentYear: number; readonly seen: OdiNumbers },
): Promise<void> {
  if (reading.seen.scattered.size === 0) return
  const table = tableName('complaint', dataset)
  const scattered = [...reading.seen.scattered]
  await sql`delete from ${sql.id(table)} where odi = any(${scattered})`.execute(session.db)
  const whole = openWriter(session, table)
  const paths = files.map(({ path }) => path)
  for await (const records of readScattered(paths, reading)) {
    for (const record of records) await whole.addLines(complaintLine(record))
  }
  for (const file of files) await refuseChanged(file).catch(namedAfter(file))
  await whole.end()
}

/** Before 2003 one ODI number may be about several vehicles: the second and the third get `-2` and `-3`. */
async function numberVehicles(
  db: QueryExecutorProvider,
  dataset: number,
  odis: readonly string[],
): Promise<void> {
  if (odis.length === 0) return
  const complaint = sql.id(tableName('complaint', dataset))
  await sql`
    update ${complaint} as target set id = target.id || '-' || ranked.number
    from (
      select ctid, row_number() over (partition by odi order by make collate "C", model collate "C", year) as number
      from ${complaint}
      where odi = any(${odis})
    ) as ranked
    where target.ctid = ranked.ctid and ranked.number > 1`.execute(db)
}

/** Complaints that have been merged, or got another id, after their narratives were kept. */
async function keepOnceMore(
  session: ImportSession,
  dataset: number,
  odis: readonly string[],
  narratives: NarrativeFile,
): Promise<void> {
  if (odis.length === 0) return
  narratives.replaceBefore(odis)
  const query = sql<KeptComplaint & { readonly id: string }>`
    select id, odi, make, model, year, category, component, repair_cost as "repairCost", description
    from ${sql.id(tableName('complaint', dataset))} where odi = any(${odis})`
  const again = keeper()
  await session.transaction(async () => {
    for await (const rows of pagesOf(session.db, query)) {
      for (const row of rows) again.add(row, row.id)
      narratives.add(again.writeTo(narratives.target))
    }
  })
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
