import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findBinary } from '../../binaries.ts'
import { createDatabase } from '../../test-servers.ts'
import { progress, secret, type Stores } from './stores.ts'

/** How long a program ran, from its start to its end. */
export type Run = { readonly seconds: number }

/** An import: the most memory its process has had, and what it said that it imported. */
export type ImportRun = Run & {
  readonly peakMiB: number
  readonly complaints: number
  readonly databaseUrl: string
}

export const serviceFolder = fileURLToPath(new URL('../../../apps/vehicle-api/', import.meta.url))

/**
 * Puts the file as it is into a table of 51 text columns with psql's `\copy`: the least that an import can take.
 * Quotes are data in this file, so the quote is a character that does not occur.
 */
export async function copyPlainly({ postgres }: Stores, file: string): Promise<Run> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const columns = Array.from({ length: 51 }, (_, index) => `c${index + 1} text`)
  await client.query(`drop table if exists plain; create table plain (${columns.join(', ')})`)
  const copy = String.raw`\copy plain from '${file}' (format csv, delimiter E'\t', quote E'\b')`
  const { seconds } = await run(psql(), [postgres.url, '-X', '-q', '-c', copy], {}, () => {})
  await client.query('drop table plain')
  await settle(client)
  await client.end()
  return { seconds }
}

/** Imports the file into a new database with the service's own command. */
export async function importFile({ postgres, directory }: Stores, file: string): Promise<ImportRun> {
  const databaseUrl = await createDatabase(postgres.url)
  const environment = {
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: join(directory, 'import'), NODE_ENV: 'production' },
    ...{ MIGRATE_ON_START: 'true', REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn' },
    ...{ KEY_PEPPER: secret(), JWT_SECRET: secret(), OPERATOR_TOKEN: secret() },
  }
  let peakMiB = 0
  const watch = (pid: number) => (peakMiB = Math.max(peakMiB, peakOf(pid)))
  const args = ['src/main.ts', 'import', '--complaints', file]
  const { seconds, output } = await run(process.execPath, args, environment, watch)
  const complaints = Number(/: (\d+) complaints from/.exec(output)?.[1])
  if (!output.includes('Published') || !(complaints > 0)) throw new Error(`The import failed:\n${output}`)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await settle(client)
  await client.end()
  return { seconds, peakMiB, complaints, databaseUrl }
}

/** Nothing that one measurement leaves to be done is done during the next. */
async function settle(client: pg.Client): Promise<void> {
  await client.query('checkpoint')
}

async function run(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  watch: (pid: number) => void,
): Promise<Run & { readonly output: string }> {
  const startedAt = performance.now()
  const child = spawn(program, args, {
    cwd: serviceFolder,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const timer = setInterval(() => watch(child.pid ?? 0), 200)
  const outputs = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await once(child, 'exit')) as [number | null]
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(timer)
  const output = (await outputs).join('\n')
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${String(code)}:\n${output}`)
  progress(`${args.at(-3) === 'import' ? 'import' : 'copy'}: ${seconds.toFixed(1)} s`)
  return { seconds, output }
}

/** The most resident memory that a process has had so far. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0 // it has ended
  }
}

function psql(): string {
  const path = findBinary('psql', ['pgbench'])
  if (path === undefined)
    throw new Error('psql and pgbench are missing (Debian: postgresql, postgresql-client).')
  return path
}
