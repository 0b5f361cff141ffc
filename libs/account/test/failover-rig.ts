import { openDatabase, type Database } from '@hearth/chassis/database'
import { openRedis } from '@hearth/chassis/redis'
import { startFaultProxy, type FaultProxy } from '@hearth/infra/fault-proxy'
import { startRedis, type TestServer } from '@hearth/infra/test-servers'
import type { Cluster, Redis } from 'ioredis'
import { randomUUID } from 'node:crypto'
import { changeAccount } from '../src/context.ts'
import type { AccountTables } from '../src/database.ts'
import { burstOf, type Verdict } from '../src/gate.ts'
import type { Plans } from '../src/plans.ts'
import { openGate, type QuotaGate } from '../src/quota-gate.ts'
import { insertAccount, openTestDatabase, silent, testPlans } from './support.ts'

/** Noon of a day in the middle of a month: no test runs over midnight. */
export const noon = Date.UTC(2026, 10, 20, 12)

const plans: Plans = { ...testPlans, single: { name: 'Single', daily: 1, monthly: 30, features: [] } }

/** An account as the tests of the gate have it. */
export type TestAccount = Awaited<ReturnType<typeof insertAccount>>

/** Instances of one deployment, each with a connection of its own to a private Redis, on one database. */
export type Rig = {
  readonly server: TestServer
  readonly database: Database<AccountTables>
  readonly gates: readonly QuotaGate[]
  readonly clients: readonly (Redis | Cluster)[]
  /** The network between each instance and its stores. */
  readonly links: readonly { readonly redis: FaultProxy; readonly postgres: FaultProxy }[]
  /** Unix milliseconds that the gates take for now. */
  now: number
  /** One more instance. */
  open(): Promise<QuotaGate>
  /** Makes Redis forget everything. */
  forget(): Promise<void>
  account(plan?: string): Promise<TestAccount>
  /** A call to one of the instances. */
  call(account: TestAccount, cost?: 0 | 1, instance?: number): Promise<Verdict>
  /** Calls to all instances in turn, all at once. */
  callAtOnce(account: TestAccount, count: number): Promise<Verdict[]>
  /** Revokes the key of an account as the endpoints do. */
  revoke(account: TestAccount, instance?: number): Promise<unknown>
  /** Resolves when all instances serve from there. */
  serving(store: 'redis' | 'postgres'): Promise<void>
  /** Resolves when all clients are connected to Redis again. */
  connected(): Promise<void>
  close(): Promise<void>
}

export async function openRig(
  options: { instances?: number; appendonly?: boolean; redisUp?: boolean; answerWithinMs?: number } = {},
): Promise<Rig> {
  const server = await startRedis({ appendonly: options.appendonly ?? false })
  if (options.redisUp === false) await server.kill()
  const database = await openTestDatabase('postgres')
  const { db } = database
  const time = { now: noon }
  const gates: QuotaGate[] = []
  const clients: (Redis | Cluster)[] = []
  const links: { redis: FaultProxy; postgres: FaultProxy }[] = []
  const databases: Database<AccountTables>[] = []

  async function open(): Promise<QuotaGate> {
    const url = new URL(database.url)
    const link = {
      redis: await startFaultProxy(server.port),
      postgres: await startFaultProxy(Number(url.port)),
    }
    links.push(link)
    const redis = openRedis(link.redis.through(server.url), { log: silent })
    const own = await openDatabase<AccountTables>({
      ...{ url: link.postgres.through(database.url), dataDir: '', schema: 'test', log: silent },
    })
    databases.push(own)
    const gate = await openGate({
      ...{
        plans,
        db: own.db,
        redis,
        log: silent,
        instance: randomUUID(),
        burst: burstOf(0),
        clock: () => time.now,
        answerWithinMs: options.answerWithinMs,
      },
      deployment: { name: 'test', code: 'slr', keyHeader: 'X-API-Key' },
    })
    clients.push(redis)
    gates.push(gate)
    return gate
  }

  function gate(instance: number): QuotaGate {
    const chosen = gates[instance % gates.length]
    if (chosen === undefined) throw new Error('The rig has no instance.')
    return chosen
  }

  for (let i = 0; i < (options.instances ?? 1); i++) await open()
  const rig = {
    ...{ server, database, gates, clients, links, open },
    async forget() {
      const admin = openRedis(server.url, { log: silent })
      await until(() => admin.status === 'ready')
      await admin.call('FLUSHALL')
      admin.disconnect()
    },
    account: (plan = 'pro') => insertAccount(db, { plan }),
    call: (account, cost = 1, instance = 0) => gate(instance).check(account.request(cost)),
    callAtOnce: (account, count) =>
      Promise.all(Array.from({ length: count }, (_, i) => gate(i).check(account.request(1)))),
    revoke: ({ tag, selector }, instance = 0) =>
      changeAccount({ db, outbox: gate(instance).outbox }, tag, (trx) =>
        trx
          .updateTable('api_key')
          .set({ revoked_at: new Date(noon) })
          .where('tag', '=', tag)
          .where('selector', '=', selector)
          .execute(),
      ),
    serving: (store) => until(() => gates.every((one) => one.serving() === store)),
    connected: () => until(() => clients.every((client) => client.status === 'ready')),
    async close() {
      for (const link of links) for (const one of [link.redis, link.postgres]) one.heal()
      for (const { ledger } of gates) await until(() => ledger.flush().then(yes, no))
      await Promise.all(gates.map((one) => one.close()))
      for (const client of clients) client.disconnect()
      for (const own of databases) await own.close()
      for (const link of links) await Promise.all([link.redis.close(), link.postgres.close()])
      await database.close()
      await server.stop()
    },
  } satisfies Omit<Rig, 'now'>
  return Object.assign(time, rig)
}

const yes = () => true
const no = () => false

/** Waits for something that must become true; fails after ten seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`It did not become true in time: ${String(condition)}`)
    await new Promise((resume) => setTimeout(resume, 5))
  }
}
