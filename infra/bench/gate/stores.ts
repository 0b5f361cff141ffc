import { startPostgres, startRedis } from '../../test-servers.ts'
import { Redis } from 'ioredis'
import { execFileSync, spawn } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { quotaScript, type Setting } from './subjects.ts'

/** Postgres and Redis of a run, both on the core of the load, and what every subject is told of them. */
export type Stores = {
  readonly setting: Setting
  readonly redis: Redis
  readonly redisPid: number
  readonly postgresPid: number
  readonly keyFile: string
  /** How often an account of ours has changed, as it does when it moves between Redis and Postgres. */
  readonly moved: () => Promise<number>
}

/** Length of a key. */
export const keyLength = 61

export async function openStores(core: string): Promise<Stores> {
  const [postgres, redis] = await Promise.all([
    startPostgres({ settings: { max_connections: 200, shared_buffers: '1GB', max_wal_size: '8GB' } }),
    startRedis({ args: ['--protected-mode', 'no'] }),
  ])
  for (const { pid } of [postgres, redis])
    execFileSync('taskset', ['-acp', core, String(pid)], { stdio: 'ignore' })
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const client = new Redis(redis.url)
  await client.script('LOAD', quotaScript.text)
  const database = new pg.Pool({ connectionString: postgres.url, max: 1 })
  const files = { SMALL_ANSWER: join(directory, 'small.json'), FULL_ANSWER: join(directory, 'full.json') }
  writeFileSync(files.SMALL_ANSWER, JSON.stringify(smallAnswer()))
  writeFileSync(files.FULL_ANSWER, '{}')
  return {
    setting: {
      ...{ NODE_ENV: 'production', MIGRATE_ON_START: 'true', BURST_PER_SECOND: '0', HOST: '127.0.0.1' },
      ...{ KEY_PEPPER: secret(), JWT_SECRET: secret(), OPERATOR_TOKEN: secret() },
      ...{ DATABASE_URL: postgres.url, REDIS_URL: redis.url, DIRECTORY: directory, ...files },
    },
    ...{ redis: client, redisPid: redis.pid, postgresPid: postgres.pid, keyFile: join(directory, 'keys') },
    async moved() {
      const { rows } = await database.query<{ last: string }>(
        'select coalesce(max(last_value), 0) as last from pg_sequences where schemaname = $1 and sequencename = $2',
        ['solar', 'outbox_id_seq'],
      )
      return Number(rows[0]?.last)
    },
  }
}

/**
 * Makes the accounts of the service, and the same keys for the peers. Says how many bytes Redis took per account, when
 * there are enough of them to tell.
 */
export async function seed(
  stores: Stores,
  accountFolder: string,
  count: number,
): Promise<number | undefined> {
  const before = await usedMemory(stores.redis)
  const child = spawn(process.execPath, ['bench/seed-accounts.ts'], {
    env: { ...stores.setting, PATH: process.env['PATH'], KEY_FILE: stores.keyFile, COUNT: String(count) },
    cwd: accountFolder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.on('data', (line: Buffer) => progress(`accounts: ${line.toString().trim()} of ${count}`))
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`The accounts could not be made (exit code ${code}).`)
  const bytes = ((await usedMemory(stores.redis)) - before) / count
  await seedPeers(stores)
  return count < 1_000 ? undefined : bytes
}

/** Rewrites the last line of a terminal; elsewhere a line of its own. */
export function progress(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${text}` : `${text}\n`)
}

async function seedPeers({ setting, redis, keyFile }: Stores): Promise<void> {
  const { DATABASE_URL = '', KEY_PEPPER = '' } = setting
  const client = new pg.Client(DATABASE_URL)
  await client.connect()
  await client.query(
    'create table peer_key (digest text primary key, account text not null, revoked boolean not null default false)',
  )
  const keys = readFileSync(keyFile, 'latin1').trimEnd().split('\n')
  for (let from = 0; from < keys.length; from += 10_000) {
    const some = keys.slice(from, from + 10_000)
    const tags = some.map((key) => key.slice(9, 19))
    const digests = some.map((key) => createHmac('sha1', KEY_PEPPER).update(key).digest('base64'))
    await client.query('insert into peer_key select * from unnest($1::text[], $2::text[])', [digests, tags])
    const pipeline = redis.pipeline()
    for (const [index, tag] of tags.entries()) {
      for (const prefix of ['node-http:', 'nginx:'])
        pipeline.hset(prefix + tag, 'digest', digests[index] ?? '')
    }
    await pipeline.exec()
    progress(`keys of the peers: ${from + some.length} of ${keys.length}`)
  }
  await client.query('vacuum analyze')
  await client.end()
}

async function usedMemory(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
}

function secret(): string {
  return randomBytes(32).toString('base64')
}

/** About 600 bytes of the kind of JSON that APIs answer. */
function smallAnswer(): object {
  const entries = Array.from({ length: 12 }, (_, index) => [
    `measure${index}`,
    { value: index * 1.25, unit: 'kWh' },
  ])
  return { data: Object.fromEntries(entries) as object, meta: { timestamp: '2026-01-01T00:00:00.000Z' } }
}
