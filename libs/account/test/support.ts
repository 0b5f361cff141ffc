import { startRedisCluster } from '@hearth/infra/redis-cluster'
import { createDatabase } from '@hearth/infra/test-servers'
import { createLogger } from '@hearth/chassis/logger'
import { openDatabase, type Database } from '@hearth/chassis/database'
import { migrate } from '@hearth/chassis/migrate'
import { openRedis } from '@hearth/chassis/redis'
import type { Cluster, Redis } from 'ioredis'
import { sql } from 'kysely'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountMigrations } from '../migrations/index.ts'
import type { AccountDatabase, AccountTables } from '../src/database.ts'
import { burstOf, type GateRequest } from '../src/gate.ts'
import { digestKey, makeKey, randomBase62 } from '../src/keys.ts'
import type { Plans } from '../src/plans.ts'
import { openGate, type QuotaGate } from '../src/quota-gate.ts'

export const silent = createLogger({ level: 'silent', service: 'test' })
export const pepper = randomBytes(32).toString('base64')

/** Plans small enough to be used up in a test. */
export const testPlans: Plans = {
  free: { name: 'Free', daily: 5, monthly: 12, features: [] },
  pro: { name: 'Pro', daily: 50, monthly: 1500, features: ['extra'] },
  lifetime: { name: 'Lifetime', daily: 10, monthly: null, features: ['extra'] },
}

/** Where a gate under test counts, and on which database. */
export const gateKinds = ['postgres', 'pglite', 'redis', 'cluster'] as const
export type GateKind = (typeof gateKinds)[number]

/** A fresh, migrated database of its own, and its URL when it is on a server. */
export async function openTestDatabase(
  engine: 'postgres' | 'pglite',
): Promise<Database<AccountTables> & { readonly url: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hearth-test-'))
  const url = engine === 'pglite' ? undefined : await createDatabase(environment('TEST_DATABASE_URL'))
  const database = await openDatabase<AccountTables>({
    ...{ url, dataDir, schema: 'test', log: silent },
    // A busy machine may be late without Postgres being away.
    ...(engine === 'postgres' && { connectTimeoutMs: 10_000, queryTimeoutMs: 10_000 }),
  })
  await migrate(database, [accountMigrations], silent)
  return {
    ...{ ...database, url: url ?? '' },
    close: async () => {
      await database.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Does work while the Postgres server takes no writes to a database: as when its disk is full, or a standby answers. */
export async function withoutWrites(url: string, work: () => Promise<void>): Promise<void> {
  const name = sql.raw(`"${new URL(url).pathname.slice(1)}"`)
  const admin = await openDatabase<AccountTables>({ ...{ url, dataDir: '', schema: 'test', log: silent } })
  const denying = admin.db.connection().execute(async (one) => {
    const reconnectAll = async () => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(one)
      await sleep(500) // everybody has noticed
    }
    await sql`set default_transaction_read_only = off`.execute(one) // on this connection, to end it
    await sql`alter database ${name} set default_transaction_read_only = on`.execute(one)
    await reconnectAll()
    try {
      await work()
    } finally {
      await sql`alter database ${name} reset default_transaction_read_only`.execute(one)
      await reconnectAll()
    }
  })
  await denying.finally(admin.close)
}

export function openTestRedis(url = environment('TEST_REDIS_URL')): Redis | Cluster {
  return openRedis(url, { log: silent, commandTimeoutMs: 1000 })
}

/** An opened gate on real stores, with the clock in the hands of the test. */
export type TestGate = {
  readonly gate: QuotaGate
  readonly db: AccountDatabase
  /** Unix milliseconds that the gate takes for now; undefined lets the stores' clocks run. */
  now: number | undefined
  readonly close: () => Promise<void>
}

export async function openTestGate(
  kind: GateKind,
  options: { burstPerSecond?: number; now?: number; code?: 'slr' | 'wfr' } = {},
): Promise<TestGate> {
  const database = await openTestDatabase(kind === 'pglite' ? 'pglite' : 'postgres')
  const cluster = kind === 'cluster' ? await startRedisCluster() : undefined
  const redis = kind === 'redis' || cluster !== undefined ? openTestRedis(cluster?.url) : undefined
  const test: Pick<TestGate, 'now'> = { now: options.now }
  const gate = await openGate({
    deployment: { name: 'test', code: options.code ?? 'slr', keyHeader: 'X-API-Key' },
    plans: testPlans,
    burst: burstOf(options.burstPerSecond ?? 0),
    database,
    redis,
    log: silent,
    instance: randomUUID(),
    answerWithinMs: 1000,
    clock: () => test.now ?? Date.now(),
  })
  return Object.assign(test, {
    gate,
    db: database.db,
    close: async () => {
      await gate.close()
      redis?.disconnect()
      await database.close()
      await cluster?.stop()
    },
  })
}

/** A new account with one key, straight in the database. */
export async function insertAccount(
  db: AccountDatabase,
  { plan = 'free', expiresAt = null }: { plan?: string; expiresAt?: Date | null } = {},
): Promise<{ tag: string; selector: string; key: string; request: (cost: 0 | 1) => GateRequest }> {
  const tag = randomBase62(10)
  await db
    .insertInto('account')
    .values({
      tag,
      name: 'Test',
      email: `${tag}@example.com`,
      email_normalised: `${tag}@example.com`.toLowerCase(),
      password_hash: '-',
      plan,
    })
    .execute()
  return { tag, ...(await insertKey(db, tag, expiresAt)) }
}

export async function insertKey(
  db: AccountDatabase,
  tag: string,
  expiresAt: Date | null = null,
  selector = randomBase62(4),
) {
  const key = makeKey({ service: 'slr', tag, selector }, randomBase62(32))
  const digest = digestKey(key, pepper)
  await db
    .insertInto('api_key')
    .values({ tag, selector, digest, name: 'test', expires_at: expiresAt })
    .execute()
  return {
    selector,
    key,
    request: (cost: 0 | 1): GateRequest => ({ tag, selector, digests: digest, cost }),
  }
}

function environment(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set; run the tests with npm test.`)
  return value
}
