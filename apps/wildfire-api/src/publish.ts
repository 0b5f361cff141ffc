import { sql, type QueryExecutorProvider } from 'kysely'
import type { DatasetKind } from './database.ts'

/** A whole table of county values, checked and ready to be served. */
export type Release = {
  readonly kind: DatasetKind
  /** As it is shown, such as `2026-04-15` or `v1.20 (December 2025)`. */
  readonly release: string
  /** Name of the file or its address, without credentials. */
  readonly source: string
  readonly sha256: string
  readonly licence: string
  readonly rows: readonly ({ readonly code: string } & Readonly<Record<string, number | string | null>>)[]
}

/**
 * Stores releases and makes them the served data, with a new data version, in the transaction it is given. Readers
 * see the version before until it commits. Of each kind the county rows of the release before are kept.
 *
 * @returns number of the new data version
 */
export async function publish(trx: QueryExecutorProvider, releases: readonly Release[]): Promise<number> {
  // Two that publish at once would each copy the other's half from before.
  await sql`lock table data_version in share row exclusive mode`.execute(trx)
  const ids: Partial<Record<DatasetKind, number>> = {}
  for (const release of releases) ids[release.kind] = await store(trx, release)
  const { rows } = await sql<{ id: number }>`
    insert into data_version (id, wrc_dataset, nri_dataset)
    select coalesce(served.id, 0) + 1, coalesce(${ids.wrc ?? null}::bigint, served.wrc_dataset), coalesce(${ids.nri ?? null}::bigint, served.nri_dataset)
    from (select 1) as always
    left join (select * from data_version order by id desc limit 1) as served on true
    returning id`.execute(trx)
  for (const { kind } of releases) await forgetOld(trx, kind)
  return rows[0]?.id ?? 0
}

async function store(
  trx: QueryExecutorProvider,
  { kind, release, source, sha256, licence, rows }: Release,
): Promise<number> {
  const inserted = await sql<{ id: number }>`
    insert into dataset (kind, release, source, sha256, licence, rows)
    values (${kind}, ${release}, ${source}, ${sha256}, ${licence}, ${rows.length}) returning id`.execute(trx)
  const id = inserted.rows[0]?.id ?? 0
  const table = sql.id(tableOf(kind))
  const values = JSON.stringify(rows.map((row) => ({ dataset: id, ...row })))
  await sql`
    insert into ${table} select * from jsonb_populate_recordset(null::${table}, ${values}::jsonb)`.execute(
    trx,
  )
  return id
}

async function forgetOld(trx: QueryExecutorProvider, kind: DatasetKind): Promise<void> {
  await sql`
    delete from ${sql.id(tableOf(kind))} where dataset not in
      (select id from dataset where kind = ${kind} order by id desc limit 2)`.execute(trx)
}

function tableOf(kind: DatasetKind): string {
  return kind === 'wrc' ? 'wrc_county' : 'nri_county'
}
