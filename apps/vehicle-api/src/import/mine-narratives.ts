import { sql, type QueryExecutorProvider } from 'kysely'
import { tableName } from '../data-tables.ts'
import type { ImportSession } from '../database.ts'
import { minimumCosts } from '../model/average-cost.ts'
import type { Category } from '../model/category.ts'
import { createBackground, type GrowingBackground } from '../model/narratives/background.ts'
import { asDone } from './ahead.ts'
import type { Crew, MineTask } from './crew.ts'
import type { NarrativeFile } from './narrative-file.ts'
import { shelfOf, shelves } from './narrative-shelves.ts'
import { openWriter, pagesOf } from './rows.ts'
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
  { crew, narratives }: { readonly crew: Crew; readonly narratives: NarrativeFile },
  complaints: number,
  onRow: (complaints: number) => void,
): Promise<void> {
  await createTables(session.db, ['issue', 'similar'], dataset)
  const background = (await readBackground(session, dataset, complaints)).counts()
  const categoryCosts = await medianCosts(session.db, dataset)
  const mine = (task: Pick<MineTask, 'shelf' | 'names'>) => crew.mine({ ...task, background, categoryCosts })
  let seen = 0
  await session.transaction(async () => {
    const issues = openWriter(session, tableName('issue', dataset))
    const similar = openWriter(session, tableName('similar', dataset))
    const tasks = tasksOf(narratives, await spellingsOf(session.db, dataset))
    for await (const found of asDone(tasks, mine, crew.hands + 2)) {
      await issues.addLines(found.issues)
      await similar.addLines(found.similar)
      onRow((seen += found.complaints))
    }
    await issues.end()
    await similar.end()
  })
  await finishTables(session.db, ['issue', 'similar'], dataset)
}

/** One after the other: none waits in memory. */
async function* tasksOf(
  narratives: NarrativeFile,
  names: ReadonlyMap<string, readonly string[]>,
): AsyncGenerator<Pick<MineTask, 'shelf' | 'names'>> {
  const byShelf = Map.groupBy(names, ([key]) => shelfOf(key))
  for (let shelf = 0; shelf < shelves; shelf++) {
    const own = byShelf.get(shelf)
    if (own !== undefined) yield { shelf: narratives.shelf(shelf), names: new Map(own) }
  }
}

/**
 * Counts the terms of a sample of all narratives: of every one in so many, which their ODI numbers decide. The counts
 * depend a little on the order, so that is always the same, however the rows of the files are ordered.
 */
async function readBackground(
  session: ImportSession,
  dataset: number,
  complaints: number,
): Promise<GrowingBackground> {
  const every = Math.max(1, Math.round(complaints / largestSample))
  const background = createBackground(Math.min(largestSample, complaints))
  // Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4).
  const query = sql<{ odi: string; description: string }>`
    select odi, description from ${sql.id(tableName('complaint', dataset))}
    where description <> '' and ((odi::bigint * 2654435761) >> 12 & 1048575) % ${every} = 0
    order by id collate "C"`
  await session.transaction(async () => {
    for await (const rows of pagesOf(session.db, query)) {
      for (const { odi, description } of rows) background.add(odi, description)
    }
  })
  return { ...background, counts: () => ({ ...background.counts(), every }) }
}

const largestSample = 200_000

/**
 * Median repair cost of each category over all vehicles. A category of which fewer than five complaints name an amount
 * has none: one or two amounts say nothing about others.
 */
export async function medianCosts(
  db: QueryExecutorProvider,
  dataset: number,
): Promise<Partial<Record<Category, number>>> {
  const { rows } = await sql<{ category: Category; median: number }>`
    select category, percentile_cont(0.5) within group (order by repair_cost::double precision) as median
    from ${sql.id(tableName('complaint', dataset))} where repair_cost is not null
    group by category having count(*) >= ${minimumCosts}`.execute(db)
  return Object.fromEntries(rows.map(({ category, median }) => [category, median]))
}

/** Every way make and model of a vehicle are written. */
async function spellingsOf(db: QueryExecutorProvider, dataset: number): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ make: string; model: string; names: string[] }>`
    select make, model, array_agg(distinct make_name) || array_agg(distinct model_name) as names
    from ${sql.id(tableName('spelling', dataset))} group by make, model`.execute(db)
  return new Map(rows.map(({ make, model, names }) => [`${make}/${model}`, names]))
}
