import type { Transaction } from 'kysely'
import type { SolarDatabase, SolarTables } from './database.ts'

/** What a run made, as JSON texts. */
export type Outcome = { readonly model: string; readonly result: string; readonly cashFlow: string }

/** A calculation to be saved. */
export type NewCalculation = Pick<SolarTables['calculation'], 'tag' | 'id' | 'name' | 'kind' | 'input'> & {
  readonly createdAt: Date
}

/** A line of the list: a calculation and which result is its latest. */
export type CalculationLine = Awaited<ReturnType<typeof listCalculations>>[number]

/** A calculation with one of its results. */
export type SavedCalculation = NonNullable<Awaited<ReturnType<typeof findCalculation>>>

export async function countCalculations(db: SolarDatabase, tag: string): Promise<number> {
  const { count } = await db
    .selectFrom('calculation')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('tag', '=', tag)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Saves a calculation with its first result, unless the account has as many as it may keep. The row of the account
 * is locked meanwhile, so that of many at once exactly as many are saved as there is room for.
 *
 * @returns `gone` when the account was deleted
 */
export async function insertCalculation(
  db: SolarDatabase,
  { createdAt, ...calculation }: NewCalculation,
  outcome: Outcome,
  capacity: number,
): Promise<'saved' | 'full' | 'gone'> {
  const { tag, id } = calculation
  return db.transaction().execute(async (trx) => {
    const owner = await trx
      .selectFrom('account')
      .select('tag')
      .where('tag', '=', tag)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (owner === undefined) return 'gone'
    if ((await countCalculations(trx, tag)) >= capacity) return 'full'
    await trx
      .insertInto('calculation')
      .values({ ...calculation, created_at: createdAt })
      .execute()
    await insertResult(trx, { tag, id, revision: 1 }, outcome, createdAt)
    return 'saved'
  })
}

/**
 * Adds a result, unless the latest one is the same: of the same model and byte for byte. Results of before stay.
 *
 * @returns the latest revision; undefined when there is no such calculation
 */
export async function addResult(
  db: SolarDatabase,
  tag: string,
  id: string,
  outcome: Outcome,
  at: Date,
): Promise<number | undefined> {
  return db.transaction().execute(async (trx) => {
    const locked = await trx
      .selectFrom('calculation')
      .select('revision')
      .where('tag', '=', tag)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (locked === undefined) return undefined
    const { revision } = locked
    const same = await trx
      .selectFrom('calculation_result')
      .select('revision')
      .where('tag', '=', tag)
      .where('id', '=', id)
      .where('revision', '=', revision)
      .where('model', '=', outcome.model)
      .where('result', '=', outcome.result)
      .where('cash_flow', '=', outcome.cashFlow)
      .executeTakeFirst()
    if (same !== undefined) return revision
    const next = { tag, id, revision: revision + 1 }
    await insertResult(trx, next, outcome, at)
    await trx
      .updateTable('calculation')
      .set({ revision: next.revision })
      .where('tag', '=', tag)
      .where('id', '=', id)
      .execute()
    return next.revision
  })
}

/** Newest first. @param before an id of a calculation, which need not exist any more: only older ones */
export async function listCalculations(
  db: SolarDatabase,
  tag: string,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
) {
  return db
    .selectFrom('calculation as c')
    .innerJoin('calculation_result as r', (on) =>
      on.onRef('r.tag', '=', 'c.tag').onRef('r.id', '=', 'c.id').onRef('r.revision', '=', 'c.revision'),
    )
    .select(['c.id', 'c.name', 'c.kind', 'c.created_at', 'r.revision', 'r.model', 'r.calculated_at'])
    .where('c.tag', '=', tag)
    .$if(before !== undefined, (query) => query.where('c.id', '<', before ?? ''))
    .orderBy('c.id', 'desc')
    .limit(limit)
    .execute()
}

/** A calculation with its latest result, or the one of a revision. */
export async function findCalculation(db: SolarDatabase, tag: string, id: string, revision?: number) {
  return db
    .selectFrom('calculation as c')
    .innerJoin('calculation_result as r', (on) => on.onRef('r.tag', '=', 'c.tag').onRef('r.id', '=', 'c.id'))
    .select(['c.id', 'c.name', 'c.kind', 'c.created_at', 'c.input'])
    .select(['r.revision', 'r.model', 'r.calculated_at', 'r.result'])
    .where('c.tag', '=', tag)
    .where('c.id', '=', id)
    .where((row) => row('r.revision', '=', revision ?? row.ref('c.revision')))
    .executeTakeFirst()
}

/** The yearly table that belongs to the latest result, or to that of a revision, as JSON text. */
export async function findCashFlow(
  db: SolarDatabase,
  tag: string,
  id: string,
  revision?: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('calculation_result')
    .select('cash_flow')
    .where('tag', '=', tag)
    .where('id', '=', id)
    .$if(revision !== undefined, (query) => query.where('revision', '=', revision ?? 0))
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.cash_flow
}

/** All results of a calculation without their numbers, newest first. */
export async function listRevisions(db: SolarDatabase, tag: string, id: string) {
  return db
    .selectFrom('calculation_result')
    .select(['revision', 'model', 'calculated_at'])
    .where('tag', '=', tag)
    .where('id', '=', id)
    .orderBy('revision', 'desc')
    .execute()
}

/** @returns whether there is such a calculation */
export async function renameRow(db: SolarDatabase, tag: string, id: string, name: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('calculation')
    .set({ name })
    .where('tag', '=', tag)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** @returns whether there was such a calculation */
export async function deleteRow(db: SolarDatabase, tag: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('calculation')
    .where('tag', '=', tag)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

async function insertResult(
  trx: Transaction<SolarTables>,
  place: Pick<SolarTables['calculation_result'], 'tag' | 'id' | 'revision'>,
  { model, result, cashFlow }: Outcome,
  at: Date,
): Promise<void> {
  const row = { ...place, model, result, cash_flow: cashFlow, calculated_at: at }
  await trx.insertInto('calculation_result').values(row).execute()
}
