import { dataFile } from '@hearth/chassis/data-file'
import { parse } from 'csv-parse/sync'
import { sql, type QueryExecutorProvider } from 'kysely'
import { readFileSync } from 'node:fs'
import { publish } from './publish.ts'

/** The name of a shipped file beside its origin, licence and checksum: a row of `sources.json`. */
export type ShippedSource = {
  readonly file: string
  readonly source: string
  readonly url: string
  readonly release: string
  readonly licence: string
  readonly rows: number
  readonly sha256: string
}

/** What is recorded of the shipped files. */
export function shippedSources(): readonly ShippedSource[] {
  return JSON.parse(readFileSync(shippedFile('sources.json'), 'utf8')) as readonly ShippedSource[] // made by generate/
}

/** Where a file of `data` lies. */
export function shippedFile(name: string): URL {
  return dataFile(import.meta.url, name)
}

/**
 * Loads the shipped counties and the shipped wildfire table: a few set-based statements, in the caller's transaction.
 * A table of this release or a newer one that is there already stays.
 */
export async function loadShippedData(db: QueryExecutorProvider): Promise<void> {
  await loadCounties(db)
  const origin = shippedSources().find(({ file }) => file === 'wrc-counties.csv')
  if (origin === undefined) throw new Error('data/sources.json does not name wrc-counties.csv.')
  const { release, sha256, licence, source, url } = origin
  // Releases are dates, which sort as text.
  const newer = await sql`select 1 from dataset where kind = 'wrc' and release >= ${release}`.execute(db)
  if (newer.rows.length > 0) return
  const rows = readTable('wrc-counties.csv').map(({ code = '', ...values }) => ({ code, ...values }))
  await publish(db, [{ kind: 'wrc', release, sha256, licence, source: `${source} (${url})`, rows }])
}

async function loadCounties(db: QueryExecutorProvider): Promise<void> {
  const rows = readTable('counties.csv').map(({ neighbors, longitude, latitude, ...row }) => ({
    ...row,
    longitude: longitude === '' ? null : Number(longitude),
    latitude: latitude === '' ? null : Number(latitude),
    neighbors: neighbors === '' ? [] : neighbors?.split(' '),
  }))
  await sql`
    insert into county select * from jsonb_populate_recordset(null::county, ${JSON.stringify(rows)}::jsonb)
    on conflict (code) do update set (name, state, state_name, type, longitude, latitude, neighbors) =
      (excluded.name, excluded.state, excluded.state_name, excluded.type, excluded.longitude, excluded.latitude,
       excluded.neighbors)`.execute(db)
}

function readTable(name: string): Record<string, string>[] {
  return parse(readFileSync(shippedFile(name)), { columns: true })
}
