import { join } from 'node:path'
import { dropDatabase } from '../test-servers.ts'
import { publish } from './gate/report.ts'
import { readOptions, usage, type Options } from './vehicle/options.ts'
import { copyPlainly, importFile, type ImportRun, type Run } from './vehicle/imports.ts'
import { ask, kinds, vehiclesOf, type Kind, type Load } from './vehicle/reads.ts'
import {
  importTable,
  readTable,
  sqlLine,
  type Imports,
  type ReadRow,
  type SqlRounds,
} from './vehicle/report.ts'
import { runScripts, scriptsFor } from './vehicle/same-sql.ts'
import { startService, type Service } from './vehicle/service.ts'
import { complaintFile, openStores, progress } from './vehicle/stores.ts'

/*
 * How long vehicle-api takes to import the official complaint file, against psql's `\copy` of the same file into a
 * table of texts; how long its reads take with 50 thousand lines and with 2.25 million; and how many lists it answers
 * a second, against pgbench with the same statements. See vehicle/options.ts and README.md beside this file. Needs wrk
 * and Postgres with psql and pgbench.
 */

const options = optionsOrExit(process.argv.slice(2))
const stores = await openStores()
const files = options.files ?? join(stores.directory, 'files')
const [smallFile, file] = [
  await complaintFile(options.small, files),
  await complaintFile(options.rows, files),
]
const imports = {
  small: await compareImports(smallFile, options.rounds),
  large: await compareImports(file, 1),
}
const [small, large] = await startServices()
const { rows, sql } = await measureReads()
const lines = [
  ...importTable(imports, options),
  '',
  ...readTable(rows, options),
  '',
  ...sqlLine(sql, options),
]
await Promise.all([small, large].map(({ stop }) => stop()))
await stores.postgres.stop()
process.stdout.write(`${lines.join('\n')}\n`)
if (options.publish) publish(new URL('README.md', import.meta.url), 'vehicle', lines)

/** Ends the process for `--help`, and for options that are none. */
function optionsOrExit(args: readonly string[]): Options {
  if (args.includes('--help')) {
    process.stdout.write(usage)
    process.exit(0)
  }
  try {
    return readOptions(args)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}

/** The same file by `\\copy` and by the import, in turns. */
async function compareImports(path: string, rounds: number): Promise<Imports> {
  const copies: Run[] = []
  const imports: ImportRun[] = []
  for (let round = 0; round < rounds; round++) {
    copies.push(await copyPlainly(stores, path))
    const last = imports.at(-1)
    if (last !== undefined) await dropDatabase(last.databaseUrl)
    imports.push(await importFile(stores, path))
  }
  return { copies, imports }
}

/** A service for each of the data sets. */
async function startServices(): Promise<[Service, Service]> {
  // One kind of request after the other, at most 5,000 a second, and some more for chance.
  const requests = (kinds.length + 2) * (options.rounds + 1) * options.seconds * 2 * 5_000
  const accounts = Math.ceil((1.2 * requests) / 10_000)
  const start = ({ imports: all }: Imports) => startService(all.at(-1)?.databaseUrl ?? '', accounts)
  return [await start(imports.small), await start(imports.large)]
}

async function measureReads(): Promise<{ rows: ReadRow[]; sql: SqlRounds }> {
  const databaseUrls = [imports.small, imports.large].map((all) => all.imports.at(-1)?.databaseUrl ?? '')
  const known = await Promise.all(databaseUrls.map((url) => vehiclesOf(url)))
  // The same ones are asked for: those that have enough complaints with the smaller data, too.
  const asked = (known[0] ?? []).map(({ path }) => path)
  const pathsOf = ({ path }: Kind, which: number): string[] => {
    const vehicles = (known[which] ?? []).filter((vehicle) => asked.includes(vehicle.path))
    return vehicles.map((vehicle, index) => path(vehicle, vehicles[(index + 1) % vehicles.length] ?? vehicle))
  }
  const rows: ReadRow[] = []
  for (const kind of kinds) {
    progress(kind.name)
    rows.push(await measureKind(kind, pathsOf(kind, 0), pathsOf(kind, 1)))
  }
  const [list] = kinds
  if (list === undefined) throw new Error('There is no kind of request.')
  return { rows, sql: await compareSql(pathsOf(list, 1), databaseUrls[1] ?? '') }
}

async function measureKind(
  kind: Kind,
  smallPaths: readonly string[],
  largePaths: readonly string[],
): Promise<ReadRow> {
  const row = { kind, small: [] as Load[], large: [] as Load[], parallel: [] as Load[] }
  for (let round = 0; round <= options.rounds; round++) {
    const one = { ...stores, ...options, connections: 1, seed: round }
    const loads = {
      small: await ask(small, smallPaths, one),
      large: await ask(large, largePaths, one),
      parallel: await ask(large, largePaths, { ...one, connections: options.connections }),
    }
    if (round === 0) continue // it warms up
    row.small.push(loads.small)
    row.large.push(loads.large)
    row.parallel.push(loads.parallel)
  }
  return row
}

/** Lists of the service and the same statements by pgbench, in turns. */
async function compareSql(paths: readonly string[], databaseUrl: string): Promise<SqlRounds> {
  progress('the same statements by pgbench')
  const scripts = await scriptsFor(stores, large, paths)
  const rounds: SqlRounds[number][] = []
  for (let round = 0; round <= options.rounds; round++) {
    const how = { ...stores, ...options, seed: round }
    const pgbench = runScripts(databaseUrl, scripts, 'prepared', how)
    const planning = runScripts(databaseUrl, scripts, 'extended', how)
    const { perSecond: service } = await ask(large, paths, how)
    if (round > 0) rounds.push({ service, pgbench, planning })
  }
  return rounds
}
