import { tableName, tablesOf, tablesOfVersion } from '../src/data-tables.ts'
import { datasetKinds } from '../src/database.ts'
import { readServed } from '../src/import/publish.ts'
import type { VehicleApp } from './support.ts'

/** Names of tables by what they hold. */
export type TableNames = Readonly<Record<string, string>>

/** The tables of the version that is served. */
export async function servedTables({ database }: Pick<VehicleApp, 'database'>): Promise<TableNames> {
  const served = await readServed(database.db)
  if (served === undefined) throw new Error('Nothing is served.')
  return Object.fromEntries([
    ...tablesOfVersion.map((table) => [table, tableName(table, served.version)]),
    ...datasetKinds.flatMap((kind) => {
      const number = served[kind]
      return number === null ? [] : tablesOf[kind].map((table) => [table, tableName(table, number)])
    }),
  ]) as TableNames
}
