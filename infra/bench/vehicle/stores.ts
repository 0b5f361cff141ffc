import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres, type TestServer } from '../../test-servers.ts'

/** What the measurements share. */
export type Stores = {
  readonly postgres: TestServer
  /** For files of the run; removed at its end. */
  readonly directory: string
  /** Every statement that was logged, as the server has it: see logStatements in sql.ts. */
  readonly logged: () => LoggedStatement[]
}

/** A line of Postgres's log. */
export type LoggedStatement = { readonly message: string; readonly detail?: string }

/** As of a server that keeps its data, with memory for a small machine; the same for everything that is measured. */
export const postgresSettings = {
  ...{ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
  ...{ shared_buffers: '1GB', max_wal_size: '4GB' },
} as const

export async function openStores(): Promise<Stores> {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const logs = join(directory, 'log')
  mkdirSync(logs)
  // Postgres runs as another user when this runs as root.
  execFileSync('chmod', ['711', directory])
  execFileSync('chmod', ['777', logs])
  const logging = { logging_collector: 'on', log_destination: 'jsonlog', log_directory: logs }
  const postgres = await startPostgres({ settings: { ...postgresSettings, ...logging } })
  const logged = () =>
    readdirSync(logs)
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LoggedStatement)
  return { postgres, directory, logged }
}

/** A complaint file of so many lines; the same one each time. */
export async function complaintFile(rows: number, directory: string): Promise<string> {
  mkdirSync(directory, { recursive: true })
  const path = join(directory, `complaints-${rows}.txt`)
  if (existsSync(path)) return path
  progress(`writing a complaint file of ${rows} lines`)
  const generator = fileURLToPath(new URL('generate.ts', import.meta.url))
  const child = spawn(process.execPath, [generator, '--rows', String(rows), '--out', path], {
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code === 0) return path
  rmSync(path, { force: true })
  throw new Error(`The complaint file could not be written (${String(code)}).`)
}

export function progress(line: string): void {
  process.stderr.write(`${line}\n`)
}

export function secret(): string {
  return randomBytes(32).toString('base64url')
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}
