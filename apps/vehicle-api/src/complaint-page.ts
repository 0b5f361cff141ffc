import { executePrepared } from '@hearth/chassis/prepared'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { complaintColumns, type ComplaintRow } from './complaint-row.ts'
import type { Cursor, ListName } from './complaint-cursor.ts'
import type { ServedTables } from './served-version.ts'
import type { Model } from './catalogue.ts'

/** Which complaints, and in which order. */
export type Selection = ListName & { readonly model: Model }

/** A complaint of a page and where it stands in the order. */
export type Placed = { readonly row: ComplaintRow; readonly value: string | number }

/** A page, and how many complaints are selected over all pages. */
export type Page = { readonly total: number; readonly page: readonly Placed[] }

/** `limit` complaints after a cursor, or after the first `offset` ones. */
type Place = { readonly after?: Cursor; readonly offset: number; readonly limit: number }

type PageTables = Pick<ServedTables, 'category' | 'complaint'>

/**
 * A page of the selection. Complaints whose mileage is not known are left out of a selection by mileage; in orders by
 * mileage they come last, newest first.
 */
export async function readPage(
  db: Kysely<unknown>,
  tables: PageTables,
  selection: Selection,
  place: Place,
): Promise<Page> {
  const { offset, limit } = place
  const [first, last] = partsOf(selection, place.after)
  const [totals, page] = await readStart(db, tables, { selection, part: first, place })
  const rest = { offset: Math.max(0, offset - totals.known), limit: limit - page.length }
  if (last !== undefined && rest.limit > 0) {
    const size = totals.all - totals.known
    page.push(...(await readPart(db, tables, { part: last, place: rest, size })))
  }
  return { total: isByMileage(selection) ? totals.known : totals.all, page }
}

/** How many complaints are selected, and how many of these have a known mileage. */
type Totals = { readonly all: number; readonly known: number }

/** The totals, and what the page has of the first part: near the start of a list both in one question. */
async function readStart(
  db: Kysely<unknown>,
  tables: PageTables,
  { selection, part, place }: { readonly selection: Selection; readonly part: Part; readonly place: Place },
): Promise<[Totals, Placed[]]> {
  const totalsOnly = totalsOf(tables, selection)
  if (place.offset > near) {
    const { rows } = await executePrepared(db, totalsOnly)
    const [totals = noTotals] = rows
    const size = part.column === 'mileage' || isByMileage(selection) ? totals.known : totals.all
    return [totals, await readPart(db, tables, { part, place, size })]
  }
  const { rows } = await executePrepared(
    db,
    sql<Totals & (ComplaintRow | { readonly id: null })>`
      select * from (${totalsOnly}) as totals left join (${rowsOf(tables, part, place)}) as page on true
      ${inOrder(part)}`,
  )
  const page = rows.flatMap((row) => (row.id === null ? [] : [placed(part, row)]))
  return [rows[0] ?? noTotals, page]
}

const noTotals: Totals = { all: 0, known: 0 }

/** Up to so many entries are skipped sooner than a question of its own would tell whether the end is nearer. */
const near = 200

/**
 * Totals without a look at the complaints: from the counts and the sorted mileages of each category. Complaints
 * whose mileage is not known are left out of a selection by mileage.
 */
function totalsOf({ category }: Pick<ServedTables, 'category'>, selection: Selection): RawBuilder<Totals> {
  const { model, year, minMileage, maxMileage } = selection
  const ofCategory = selection.category === undefined ? sql`` : sql`and category = ${selection.category}`
  // width_bucket is the number of sorted thresholds that are not above a value: a binary search.
  const upTo = (mileage: number) => sql`width_bucket(${mileage}::integer, mileages)`
  const below = minMileage === undefined ? sql`0` : upTo(minMileage - 1)
  const notAbove = maxMileage === undefined ? sql`known` : upTo(maxMileage)
  return sql<Totals>`
    select coalesce(sum(complaints), 0)::integer as all, coalesce(sum(${notAbove} - ${below}), 0)::integer as known
    from ${category}
    where make = ${model.make.key} and model = ${model.key} and year = ${year} ${ofCategory}`
}

/** A stretch of the order that lies in one index. */
type Part = {
  readonly column: 'mileage' | 'listed_on'
  readonly isDescending: boolean
  readonly where: RawBuilder<unknown>
  /** Whether the index has just these rows, so that none is read in vain. */
  readonly isWhole: boolean
}

function partsOf(selection: Selection, after: Cursor | undefined): readonly [Part, Part?] {
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
  if (sort.startsWith('date'))
    return [{ column: 'listed_on', isDescending, where, isWhole: !isByMileage(selection) }]
  const known: Part = {
    ...{ column: 'mileage', isDescending, isWhole: true },
    where: sql`${where} and mileage is not null`,
  }
  if (isByMileage(selection)) return [known]
  const unknown: Part = {
    ...{ column: 'listed_on', isDescending: true, isWhole: false },
    where: sql`${where} and mileage is null`,
  }
  return typeof after?.value === 'string' ? [unknown] : [known, unknown]
}

function isByMileage({ minMileage, maxMileage }: Selection): boolean {
  return minMileage !== undefined || maxMileage !== undefined
}

/** @param size how many complaints the part has: a page nearer to its end is read from there */
async function readPart(
  db: Kysely<unknown>,
  tables: PageTables,
  { part, place, size }: { readonly part: Part; readonly place: Place; readonly size: number },
): Promise<Placed[]> {
  const { offset, after } = place
  const limit = Math.min(place.limit, size - offset)
  if (limit <= 0) return []
  const behind = size - offset - limit
  const inner =
    after === undefined && behind < offset
      ? rowsOf(tables, { ...part, isDescending: !part.isDescending }, { offset: behind, limit })
      : rowsOf(tables, part, { ...place, limit })
  const { rows } = await executePrepared(
    db,
    sql<ComplaintRow>`select * from (${inner}) as page ${inOrder(part)}`,
  )
  return rows.map((row) => placed(part, row))
}

function placed({ column }: Part, row: ComplaintRow): Placed {
  return { row, value: row[column] ?? '' }
}

/** The rows of a place, in any order. */
function rowsOf({ complaint }: PageTables, part: Part, { after, offset, limit }: Place): RawBuilder<unknown> {
  const { column, where, isDescending, isWhole } = part
  const name = sql.ref(column)
  const type = column === 'mileage' ? sql`integer` : sql`date`
  const beyond = isDescending ? sql`<` : sql`>`
  const rest =
    after === undefined ? sql`` : sql`and (${name}, id) ${beyond} (${after.value}::${type}, ${after.id})`
  const place = sql`
    from ${complaint} where ${where} ${rest} ${inOrder(part)} limit ${limit} offset ${offset}`
  if (isWhole && offset <= limit) return sql`select ${complaintColumns} ${place}`
  // What is skipped is read from the index alone, which costs a search by id for each row of the page.
  return sql`select ${complaintColumns} from (select id ${place}) as chosen join ${complaint} using (id)`
}

function inOrder({ column, isDescending }: Pick<Part, 'column' | 'isDescending'>): RawBuilder<unknown> {
  const [name, direction] = [sql.ref(column), isDescending ? sql`desc` : sql`asc`]
  return sql`order by ${name} ${direction}, id ${direction}`
}
