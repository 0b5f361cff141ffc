import { sql, type QueryExecutorProvider } from 'kysely'
import type { DatasetKind } from '../database.ts'
import type { Release } from '../publish.ts'

/** What is served now of one kind. */
export type Served = {
  readonly release: string
  readonly sha256: string
  readonly rows: ReadonlyMap<string, Readonly<Record<string, unknown>>>
}

/** How a release differs from what is served. */
export type Changes = {
  readonly added: number
  readonly gone: number
  readonly changed: number
  readonly same: number
}

/** Reads what is served of a kind; undefined when nothing is. */
export async function readServed(db: QueryExecutorProvider, kind: DatasetKind): Promise<Served | undefined> {
  const column = sql.id(kind === 'wrc' ? 'wrc_dataset' : 'nri_dataset')
  const found = await sql<{ id: number; release: string; sha256: string }>`
    select dataset.id, release, sha256
    from (select * from data_version order by id desc limit 1) as served
    join dataset on dataset.id = served.${column}`.execute(db)
  const [dataset] = found.rows
  if (dataset === undefined) return undefined
  const table = sql.id(kind === 'wrc' ? 'wrc_county' : 'nri_county')
  const { rows } = await sql<{ code: string; row: Record<string, unknown> }>`
    select code, to_jsonb(${table}) - 'dataset' as row from ${table} where dataset = ${dataset.id}`.execute(
    db,
  )
  return { ...dataset, rows: new Map(rows.map(({ code, row }) => [code, row])) }
}

/** Counts what a release would change. A value that is not published and one that is null are the same. */
export function compareWith(served: Served | undefined, rows: Release['rows']): Changes {
  const before = served?.rows ?? new Map<string, Readonly<Record<string, unknown>>>()
  const codes = new Set(rows.map(({ code }) => code))
  const known = rows.filter(({ code }) => before.has(code))
  const same = known.filter((row) => isSame(before.get(row.code) ?? {}, row)).length
  return {
    added: rows.length - known.length,
    gone: [...before.keys()].filter((code) => !codes.has(code)).length,
    changed: known.length - same,
    same,
  }
}

function isSame(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].every((name) => (before[name] ?? null) === (after[name] ?? null))
}
