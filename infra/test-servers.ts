import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findBinary } from './binaries.ts'
import { startServer, type TestServer } from './server-process.ts'

export type { TestServer } from './server-process.ts'

/**
 * Starts a private Postgres (user `postgres`, no password, UTF-8, C locale, durability off) on a free port.
 *
 * @throws Error if the machine has no Postgres programs or the server does not start within 20 s
 */
export function startPostgres({ settings = {} }: PostgresOptions = {}): Promise<TestServer> {
  const postgres = requireBinary('postgres', ['initdb'])
  const owner = unprivilegedOwner()
  return startServer({
    name: 'Postgres',
    ...(owner === undefined ? {} : { owner }),
    prepare: (directory) => initialise(join(dirname(postgres), 'initdb'), directory, owner),
    command: (directory, port) => [
      postgres,
      ...['-D', join(directory, 'data'), '-p', String(port), '-h', '127.0.0.1', '-k', directory],
      ...Object.entries({ ...FAST_POSTGRES, ...settings }).flatMap(([key, value]) => [
        '-c',
        `${key}=${String(value)}`,
      ]),
    ],
    url: postgresUrl,
    isReady: (port) => query(postgresUrl(port), 'select 1').then(succeeded, failed),
    stopSignal: 'SIGINT',
  })
}

/**
 * Starts a private Redis on a free port; without options it keeps nothing on disk and never evicts.
 *
 * @throws Error if the machine has no redis-server or it does not start within 20 s
 */
export function startRedis(options: RedisOptions = {}): Promise<TestServer> {
  const redis = requireBinary('redis-server')
  return startServer({
    name: 'Redis',
    command: (directory, port) => [
      redis,
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', ''],
      // Redis would hide its arguments behind a title, and the sweep knows an abandoned server by them.
      ...['--set-proc-title', 'no'],
      ...['--appendonly', options.appendonly === true ? 'yes' : 'no', '--appendfsync', 'everysec'],
      ...[
        '--maxmemory',
        options.maxmemory ?? '0',
        '--maxmemory-policy',
        options.maxmemoryPolicy ?? 'noeviction',
      ],
      ...(options.cluster === true ? clusterArguments(port) : []),
      ...(options.args ?? []),
    ],
    url: (port) => `redis://127.0.0.1:${String(port)}`,
    isReady: ping,
    stopSignal: 'SIGTERM',
  })
}

/** The port of a cluster node's bus is by default 10,000 above its own, which may be beyond the last port. */
export function busPortOf(port: number): number {
  return port > 50_000 ? port - 10_000 : port + 10_000
}

function clusterArguments(port: number): string[] {
  return [
    ...['--cluster-enabled', 'yes', '--cluster-port', String(busPortOf(port))],
    ...['--cluster-announce-ip', '127.0.0.1', '--cluster-node-timeout', '1000'],
    ...['--repl-diskless-sync-delay', '0'],
  ]
}

/**
 * Creates an empty database so that a test file can have one for itself.
 *
 * @param adminUrl connection string of a role that may create databases
 * @param name name of the new database; a random one unless told
 * @returns the connection string of the new database
 */
export async function createDatabase(
  adminUrl: string,
  name = `test_${randomBytes(6).toString('hex')}`,
): Promise<string> {
  await query(adminUrl, `create database ${pg.escapeIdentifier(name)}`)
  return urlOfDatabase(adminUrl, name)
}

/** Drops a database made by {@link createDatabase}, closing whatever is still connected to it. */
export async function dropDatabase(databaseUrl: string): Promise<void> {
  const name = decodeURIComponent(new URL(databaseUrl).pathname.slice(1))
  await query(
    urlOfDatabase(databaseUrl, 'postgres'),
    `drop database if exists ${pg.escapeIdentifier(name)} with (force)`,
  )
}

/** A crash of the machine may cost a test run its data, which nobody needs. */
const FAST_POSTGRES: PostgresSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

async function initialise(initdb: string, directory: string, owner: Owner | undefined): Promise<void> {
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid)
  const args = [
    '-D',
    join(directory, 'data'),
    '-U',
    'postgres',
    '-A',
    'trust',
    '--locale=C',
    '-E',
    'UTF8',
    '--no-sync',
  ]
  await promisify(execFile)(initdb, args, { ...owner, cwd: directory })
}

/** Postgres refuses to run as root, so root hands it to the user that the package made for it. */
function unprivilegedOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const user of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout),
    )
    if (uid !== undefined && uid > 0 && gid !== undefined && gid > 0) return { uid, gid }
  }
  throw new Error(
    'Postgres refuses to run as root and neither "postgres" nor "nobody" is a user of this machine.',
  )
}

function requireBinary(name: string, beside: readonly string[] = []): string {
  const path = findBinary(name, beside)
  if (path === undefined) {
    throw new Error(
      `This machine has no ${[name, ...beside].join(' and ')}; run "node infra/prerequisites.ts" to install them.`,
    )
  }
  return path
}

function postgresUrl(port: number): string {
  return `postgres://postgres@127.0.0.1:${String(port)}/postgres`
}

function urlOfDatabase(url: string, name: string): string {
  const result = new URL(url)
  result.pathname = `/${encodeURIComponent(name)}`
  return result.href
}

async function query(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  // A server that goes away ends the query with an error; the event of the same name has nothing to add.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(text)
  } finally {
    await client.end()
  }
}

function ping(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.once('data', (reply) => {
      resolve(reply.toString().startsWith('+PONG'))
      socket.destroy()
    })
    socket.once('error', () => {
      resolve(false)
    })
  })
}

function succeeded(): boolean {
  return true
}

function failed(): boolean {
  return false
}

type Owner = { uid: number; gid: number }
type PostgresSettings = Readonly<Record<string, string | number>>

/** `settings` become `-c name=value` of the server. */
export type PostgresOptions = { settings?: PostgresSettings }

/** Redis configuration by the names of redis.conf; `args` are appended as they are. */
export type RedisOptions = {
  /** A node of a cluster that is yet to be joined; see redis-cluster.ts. */
  cluster?: boolean
  appendonly?: boolean
  maxmemory?: string
  maxmemoryPolicy?: string
  args?: readonly string[]
}
