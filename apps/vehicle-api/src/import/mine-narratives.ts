import { sql, type QueryExecutorProvider } from 'kysely'
import { tableName } from '../data-tables.ts'
import type { ImportSession } from '../database.ts'
import type { Category } from '../model/category.ts'
import { analyseModel, type Narrative } from '../model/narratives/analyse-model.ts'
import { createBackground, type Background } from '../model/narratives/background.ts'
import { grouped, openWriter, rowsOf, type Writer } from './rows.ts'
import { createTables, finishTables } from './tables.ts'

/**
 * Finds the common issues of every model year and the complaints that resemble each other, model by model.
 *
 * @param complaints how many there are
 * @param onRow called with the number of complaints so far
 */
export async function mineNarratives(
  session: ImportSession,
  dataset: number,
  complaints: number,
  onRow: (complaints: number) => void,
): Promise<void> {
  await createTables(session.db, ['issue', 'similar'], dataset)
  const background = await readBackground(session, dataset, complaints)
  const complaint = sql.id(tableName('complaint', dataset))
  const categoryCosts = await medianCosts(session.db, dataset)
  const names = await spellingsOf(session.db, dataset)
  let seen = 0
  await session.transaction(async () => {
    const issues = openWriter(session, tableName('issue', dataset))
    const similar = openWriter(session, tableName('similar', dataset))
    const query = sql<NarrativeRow>`
      select make, model, id, year, category, component, description as text, repair_cost as "repairCost"
      from ${complaint} order by make collate "C", model collate "C", id collate "C"`
    for await (const rows of grouped(rowsOf(session.db, query), modelKey)) {
      const [first] = rows
      if (first === undefined) continue
      const { make, model } = first
      const context = { make, model, names: names.get(modelKey(first)) ?? [], background, categoryCosts }
      await write(make, model, analyseModel(rows, context), issues, similar)
      onRow((seen += rows.length))
    }
    await issues.end()
    await similar.end()
  })
  await finishTables(session.db, ['issue', 'similar'], dataset)
}

/**
 * Counts the terms of a sample of all narratives: of every one in so many, which their ODI numbers decide. The counts
 * depend a little on the order, so that is always the same, however the rows of the files are ordered.
 */
async function readBackground(
  session: ImportSession,
  dataset: number,
  complaints: number,
): Promise<Background> {
  const every = Math.max(1, Math.round(complaints / largestSample))
  const background = createBackground(Math.min(largestSample, complaints))
  // Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4).
  const query = sql<{ odi: string; description: string }>`
    select odi, description from ${sql.id(tableName('complaint', dataset))}
    where description <> '' and ((odi::bigint * 2654435761) >> 12 & 1048575) % ${every} = 0
    order by id collate "C"`
  await session.transaction(async () => {
    for await (const { odi, description } of rowsOf(session.db, query)) background.add(odi, description)
  })
  return { ...background, every }
}

const largestSample = 200_000

type NarrativeRow = Narrative & { readonly make: string; readonly model: string }

function modelKey({ make, model }: { readonly make: string; readonly model: string }): string {
  return `${make}/${model}`
}

async function write(
  make: string,
  model: string,
  found: ReturnType<typeof analyseModel>,
  issues: Writer,
  similar: Writer,
): Promise<void> {
  for (const {
    year,
    rank,
    id,
    category,
    phrase,
    description,
    frequency,
    reportCount,
    ...cost
  } of found.issues) {
    await issues.add([
      ...[make, model, year, rank, id, category, phrase, description, frequency, reportCount],
      ...[cost.avgRepairCost, cost.costEstimated],
    ])
  }
  for (const { id, count, ids } of found.similar) await similar.add([id, count, ids])
}

/** Median repair cost of each category over all vehicles. */
export async function medianCosts(
  db: QueryExecutorProvider,
  dataset: number,
): Promise<Partial<Record<Category, number>>> {
  const { rows } = await sql<{ category: Category; median: number }>`
    select category, percentile_cont(0.5) within group (order by repair_cost::double precision) as median
    from ${sql.id(tableName('complaint', dataset))} where repair_cost is not null
    group by category`.execute(db)
  return Object.fromEntries(rows.map(({ category, median }) => [category, median]))
}

/** Every way make and model of a vehicle are written. */
async function spellingsOf(db: QueryExecutorProvider, dataset: number): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ make: string; model: string; names: string[] }>`
    select make, model, array_agg(distinct make_name) || array_agg(distinct model_name) as names
    from ${sql.id(tableName('spelling', dataset))} group by make, model`.execute(db)
  return new Map(rows.map((row) => [modelKey(row), row.names]))
}
