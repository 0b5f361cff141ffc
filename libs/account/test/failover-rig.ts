import { openDatabase, type Database } from '@hearth/chassis/database'
import { createLogger } from '@hearth/chassis/logger'
import { openRedis } from '@hearth/chassis/redis'
import { startFaultProxy, type FaultProxy } from '@hearth/infra/fault-proxy'
import { startRedisCluster } from '@hearth/infra/redis-cluster'
import { startRedis, type TestServer } from '@hearth/infra/test-servers'
import type { Cluster, Redis } from 'ioredis'
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { changeAccount } from '../src/context.ts'
import type { AccountDatabase, AccountTables } from '../src/database.ts'
import { burstOf, type Verdict } from '../src/gate.ts'
import type { Plans } from '../src/plans.ts'
import { openGate, type QuotaGate } from '../src/quota-gate.ts'
import { insertAccount, openTestDatabase, silent, testPlans } from './support.ts'

/** Noon of a day in the middle of a month: no test runs over midnight. */
export const noon = Date.UTC(2026, 10, 20, 12)

/** What the accounts of a rig may have. */
export const plans: Plans = {
  ...testPlans,
  single: { name: 'Single', daily: 1, monthly: 30, features: [] },
  big: { name: 'Big', daily: 100_000, monthly: null, features: [] },
}

/** An account as the tests of the gate have it. */
export type TestAccount = Awaited<ReturnType<typeof insertAccount>>

/** Instances of one deployment, each with connections of its own to a private Redis and to one database. */
export type Rig = {
  /** The Redis, or the first node of the cluster. */
  readonly server: TestServer
  /** All nodes of Redis. */
  readonly nodes: readonly TestServer[]
  readonly database: Database<AccountTables>
  readonly databaseUrl: string
  readonly gates: readonly QuotaGate[]
  readonly clients: readonly (Redis | Cluster)[]
  /** The network between each instance and its stores; none in a cluster, whose nodes name each other. */
  readonly links: readonly Links[]
  /** Lines of the logs of all instances. */
  readonly log: readonly Record<string, unknown>[]
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

/** What a rig is made of. */
export type RigOptions = {
  readonly instances?: number
  readonly appendonly?: boolean
  readonly redisUp?: boolean
  /** A real Redis Cluster of three nodes, with a replica each when told, in place of one Redis. */
  readonly cluster?: { readonly replicas?: boolean }
  readonly answerWithinMs?: number
}

type Links = { readonly redis: FaultProxy; readonly postgres: FaultProxy }

type Instance = {
  readonly gate: QuotaGate
  readonly client: Redis | Cluster
  readonly database: Database<AccountTables>
  readonly links: Links | undefined
}

export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const store = await startStore(options)
  if (options.redisUp === false) await store.nodes[0]?.kill()
  const database = await openTestDatabase('postgres')
  const time = { now: noon }
  const log: Record<string, unknown>[] = []
  const gates: QuotaGate[] = []
  const clients: (Redis | Cluster)[] = []
  const links: Links[] = []
  const instances: Instance[] = []

  async function open(): Promise<QuotaGate> {
    const one = await openInstance(options, store, database.url, () => time.now, recorder(log))
    instances.push(one)
    gates.push(one.gate)
    clients.push(one.client)
    if (one.links !== undefined) links.push(one.links)
    return one.gate
  }

  const [server] = store.nodes
  if (server === undefined) throw new Error('There is no node.')
  try {
    for (let i = 0; i < (options.instances ?? 1); i++) await open()
  } catch (error) {
    await closeRig(store, database, instances) // or its timers would keep the test run alive
    throw error
  }
  return Object.assign(time, {
    ...{ server, nodes: store.nodes, database, databaseUrl: database.url, gates, clients, links, log, open },
    ...callsOf(database.db, gates),
    forget: () => flushAll(store.nodes),
    connected: () => until(() => clients.every((client) => client.status === 'ready')),
    close: () => closeRig(store, database, instances),
  })
}

/** Calls to the gates and changes of their accounts. */
function callsOf(db: AccountDatabase, gates: readonly QuotaGate[]) {
  const gate = (instance: number): QuotaGate => {
    const chosen = gates[instance % gates.length]
    if (chosen === undefined) throw new Error('The rig has no instance.')
    return chosen
  }
  return {
    account: (plan = 'pro') => insertAccount(db, { plan }),
    call: (account: TestAccount, cost: 0 | 1 = 1, instance = 0) =>
      gate(instance).check(account.request(cost)),
    callAtOnce: (account: TestAccount, count: number) =>
      Promise.all(Array.from({ length: count }, (_, i) => gate(i).check(account.request(1)))),
    revoke: ({ tag, selector }: TestAccount, instance = 0) =>
      changeAccount({ db, outbox: gate(instance).outbox }, tag, (trx) =>
        trx
          .updateTable('api_key')
          .set({ revoked_at: new Date(noon) })
          .where('tag', '=', tag)
          .where('selector', '=', selector)
          .execute(),
      ),
    serving: (store: 'redis' | 'postgres') => until(() => gates.every((one) => one.serving() === store)),
  }
}

type Store = {
  readonly nodes: readonly TestServer[]
  readonly url: string
  readonly stop: () => Promise<void>
}

async function startStore({ cluster, appendonly = false }: RigOptions): Promise<Store> {
  if (cluster !== undefined) return startRedisCluster(cluster)
  const server = await startRedis({ appendonly })
  return { nodes: [server], url: server.url, stop: () => server.stop() }
}

async function openInstance(
  { cluster, answerWithinMs }: RigOptions,
  store: Store,
  databaseUrl: string,
  clock: () => number,
  log: Logger,
): Promise<Instance> {
  const links =
    cluster === undefined
      ? {
          redis: await startFaultProxy(store.nodes[0]?.port ?? 0),
          postgres: await startFaultProxy(Number(new URL(databaseUrl).port)),
        }
      : undefined
  const client = openRedis(links?.redis.through(store.url) ?? store.url, { log })
  const url = links?.postgres.through(databaseUrl) ?? databaseUrl
  const database = await openDatabase<AccountTables>({ url, dataDir: '', schema: 'test', log })
  const gate = await openGate({
    ...{ plans, database, redis: client, log, clock, answerWithinMs },
    ...{ instance: randomUUID(), burst: burstOf(0) },
    deployment: { name: 'test', code: 'slr', keyHeader: 'X-API-Key' },
  })
  return { gate, client, database, links }
}

async function flushAll(nodes: readonly TestServer[]): Promise<void> {
  for (const { url } of nodes) {
    const admin = openRedis(url, { log: silent })
    await until(() => admin.status === 'ready')
    await admin.call('FLUSHALL').catch(() => undefined) // a replica follows its master
    admin.disconnect()
  }
}

async function closeRig(
  store: Store,
  database: Database<AccountTables>,
  instances: readonly Instance[],
): Promise<void> {
  for (const { links } of instances) {
    links?.redis.heal()
    links?.postgres.heal()
  }
  for (const { gate, client, links, ...own } of instances) {
    // An instance may not know yet that Postgres is back.
    await until(() => gate.close().then(yes, no))
    client.disconnect()
    await own.database.close()
    await Promise.all([links?.redis.close(), links?.postgres.close()])
  }
  await database.close()
  await store.stop()
}

function recorder(lines: Record<string, unknown>[]): Logger {
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
  return createLogger({ level: 'info', service: 'test', destination: { write } })
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

/** How long it takes until something is done. */
export async function milliseconds(done: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await done
  return performance.now() - startedAt
}
