import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findBinary } from '../../binaries.ts'
import type { AskOptions } from './reads.ts'
import type { Service } from './service.ts'
import type { LoggedStatement, Stores } from './stores.ts'

/** pgbench takes so many scripts. */
const mostScripts = 120

/**
 * Writes a pgbench script for each path: the statements that the service sends to Postgres for it, as the server's log
 * has them.
 *
 * @returns the files
 */
export async function scriptsFor(
  stores: Stores,
  service: Service,
  paths: readonly string[],
): Promise<string[]> {
  const directory = join(stores.directory, 'scripts')
  mkdirSync(directory, { recursive: true })
  await setLogging(stores, 'all')
  const files: string[] = []
  for (const [number, path] of paths.slice(0, mostScripts).entries()) {
    const before = stores.logged().length
    const headers = { Authorization: `Bearer ${service.keys[0] ?? ''}` }
    const response = await fetch(service.url + path, { headers })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    await response.arrayBuffer()
    const statements = await until(() => stores.logged().slice(before).flatMap(statementOf))
    const file = join(directory, `${number}.sql`)
    writeFileSync(file, `${statements.join(';\n')};\n`)
    files.push(file)
  }
  await setLogging(stores, 'none')
  return files
}

/**
 * Runs the scripts at random: with prepared statements, as the service does, or planning each time.
 *
 * @returns transactions, which are one script each, per second
 */
export function runScripts(
  databaseUrl: string,
  files: readonly string[],
  protocol: 'prepared' | 'extended',
  { connections, seconds, seed }: Omit<AskOptions, 'directory'>,
): number {
  const pgbench = findBinary('pgbench')
  if (pgbench === undefined) throw new Error('pgbench is missing (Debian: postgresql-contrib or postgresql).')
  const url = new URL(databaseUrl)
  const output = execFileSync(
    pgbench,
    [
      ...['-n', '-M', protocol, '-c', String(connections), '-j', '1', '-T', String(seconds)],
      ...[`--random-seed=${seed}`, ...files.flatMap((file) => ['-f', file])],
      ...['-h', url.hostname, '-p', url.port, '-U', url.username, url.pathname.slice(1)],
    ],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], PGOPTIONS: '-c search_path=vehicle' } },
  )
  return Number(/tps = ([\d.]+)/.exec(output)?.[1])
}

async function setLogging({ postgres }: Stores, which: 'all' | 'none'): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(`alter system set log_statement = '${which}'`)
  await client.query('select pg_reload_conf()')
  await client.end()
  await sleep(500)
}

/** The statement of a line of the log with its values in their places, when it reads complaints. */
function statementOf({ message, detail = '' }: LoggedStatement): string[] {
  const [, statement] = /^execute [^:]*: (.*)$/s.exec(message) ?? []
  if (statement === undefined || !/from "(?:complaint|category)_\d+"/.test(statement)) return []
  const values = new Map(
    [...detail.matchAll(/(\$\d+) = ('(?:[^']|'')*'|NULL)/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
  return [statement.replaceAll(/\s+/g, ' ').replaceAll(/\$\d+/g, (name) => values.get(name) ?? name)]
}

/** The log is written by a process of its own. */
async function until<T>(read: () => T[], least = 1): Promise<T[]> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const found = read()
    if (found.length >= least) return found
    await sleep(20)
  }
  throw new Error('The statements of the list did not come into the log of Postgres.')
}
