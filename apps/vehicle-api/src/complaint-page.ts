import { sql, type Kysely, type RawBuilder } from 'kysely'
import { complaintColumns, type ComplaintRow } from './complaint-row.ts'
import type { Cursor, Sort } from './complaint-cursor.ts'
import type { ServedTables } from './served-version.ts'
import type { Model } from './catalogue.ts'
import type { Category } from './model/category.ts'

/** Which complaints, and in which order. */
export type Selection = {
  readonly model: Model
  readonly year: number
  readonly category?: Category
  readonly minMileage?: number
  readonly maxMileage?: number
  readonly sort: Sort
}

/** How many complaints are selected, and how many of these have a known mileage. */
export type Totals = { readonly total: number; readonly known: number }

/** A complaint of a page and where it stands in the order. */
export type Placed = { readonly row: ComplaintRow; readonly value: string | number }

/**
 * Totals without a look at the complaints: from the counts and the sorted mileages of each category. Complaints
 * whose mileage is not known are left out of a selection by mileage.
 */
export async function countComplaints(
  db: Kysely<unknown>,
  { category }: Pick<ServedTables, 'category'>,
  selection: Selection,
): Promise<Totals> {
  const { model, year, minMileage, maxMileage } = selection
  const ofCategory = selection.category === undefined ? sql`` : sql`and category = ${selection.category}`
  // width_bucket is the number of sorted thresholds that are not above a value: a binary search.
  const upTo = (mileage: number) => sql`width_bucket(${mileage}::integer, mileages)`
  const below = minMileage === undefined ? sql`0` : upTo(minMileage - 1)
  const notAbove = maxMileage === undefined ? sql`cardinality(mileages)` : upTo(maxMileage)
  const { rows } = await sql<{ all: number; known: number }>`
    select coalesce(sum(complaints), 0)::integer as all, coalesce(sum(${notAbove} - ${below}), 0)::integer as known
    from ${category}
    where make = ${model.make.key} and model = ${model.key} and year = ${year} ${ofCategory}`.execute(db)
  const { all = 0, known = 0 } = rows[0] ?? {}
  return { total: isByMileage(selection) ? known : all, known }
}

/**
 * A page of the selection: `limit` complaints after a cursor, or after the first `offset` ones. In orders by mileage
 * those without a known one come last, newest first.
 */
export async function readPage(
  db: Kysely<unknown>,
  tables: Pick<ServedTables, 'complaint'>,
  selection: Selection,
  place: { readonly after?: Cursor; readonly offset: number; readonly limit: number; readonly known: number },
): Promise<Placed[]> {
  let { after, offset } = place
  const page: Placed[] = []
  for (const part of partsOf(selection, after)) {
    const size = part.column === 'mileage' ? place.known : Infinity
    const limit = place.limit - page.length
    if (limit > 0 && offset < size) {
      const rows = await readPart(db, tables, part, { after, offset, limit })
      page.push(...rows.map((row) => ({ row, value: row[part.column] ?? '' })))
    }
    offset = Math.max(0, offset - size)
    after = undefined
  }
  return page
}

/** A stretch of the order that lies in one index. */
type Part = {
  readonly column: 'mileage' | 'listed_on'
  readonly isDescending: boolean
  readonly where: RawBuilder<unknown>
}

function partsOf(selection: Selection, after: Cursor | undefined): Part[] {
  const { sort, minMileage, maxMileage } = selection
  const where = sql.join(
    [
      sql`make = ${selection.model.make.key} and model = ${selection.model.key} and year = ${selection.year}`,
      ...(selection.category === undefined ? [] : [sql`category = ${selection.category}`]),
      ...(minMileage === undefined ? [] : [sql`mileage >= ${minMileage}`]),
      ...(maxMileage === undefined ? [] : [sql`mileage <= ${maxMileage}`]),
    ],
    sql` and `,
  )
  const isDescending = sort.endsWith('desc')
  if (sort.startsWith('date')) return [{ column: 'listed_on', isDescending, where }]
  const known: Part = { column: 'mileage', isDescending, where: sql`${where} and mileage is not null` }
  if (isByMileage(selection)) return [known]
  const unknown: Part = {
    column: 'listed_on',
    isDescending: true,
    where: sql`${where} and mileage is null`,
  }
  return typeof after?.value === 'string' ? [unknown] : [known, unknown]
}

function isByMileage({ minMileage, maxMileage }: Selection): boolean {
  return minMileage !== undefined || maxMileage !== undefined
}

async function readPart(
  db: Kysely<unknown>,
  { complaint }: Pick<ServedTables, 'complaint'>,
  { column, isDescending, where }: Part,
  { after, offset, limit }: { after: Cursor | undefined; offset: number; limit: number },
): Promise<ComplaintRow[]> {
  const name = sql.ref(column)
  const direction = isDescending ? sql`desc` : sql`asc`
  const type = column === 'mileage' ? sql`integer` : sql`date`
  const beyond = isDescending ? sql`<` : sql`>`
  const rest =
    after === undefined ? sql`` : sql`and (${name}, id) ${beyond} (${after.value}::${type}, ${after.id})`
  // What is skipped is read from the index alone.
  const { rows } = await sql<ComplaintRow>`
    select ${complaintColumns}
    from (
      select id from ${complaint} where ${where} ${rest}
      order by ${name} ${direction}, id ${direction} limit ${limit} offset ${offset}
    ) as page
    join ${complaint} using (id)
    order by ${name} ${direction}, id ${direction}`.execute(db)
  return rows
}
