import { openDatabase, type Database } from '@hearth/chassis/database'
import { createLogger } from '@hearth/chassis/logger'
import {
  freePorts,
  newDirectory,
  newSecret,
  startProcess,
  untilStatus,
  type Environment,
  type ServiceProcess,
} from '@hearth/chassis/testing/service-process'
import { startFaultProxy, type FaultProxy } from '@hearth/infra/fault-proxy'
import { startRedisCluster, type TestCluster } from '@hearth/infra/redis-cluster'
import { seededRandom } from '@hearth/infra/seeded-random'
import { startPostgres, startRedis, type RedisOptions, type TestServer } from '@hearth/infra/test-servers'
import { randomInt } from 'node:crypto'
import type { AccountTables } from '../src/database.ts'
import type { Deployment } from '../src/index.ts'
import { digestKey, makeKey, randomBase62 } from '../src/keys.ts'
import { openLoadClient, type LoadClient, type LoadReply, type LoadRequest } from './http-load.ts'
import { followLog, parseRequest, type LoggedRequest, type Loss } from './service-log.ts'

/** What a rig is made of. */
export type ServiceRigOptions = {
  readonly deployment: Deployment
  /** Number of processes of the service; 3 unless told. */
  readonly instances?: number
  /** `cluster`: three nodes; `none`: quotas are counted in Postgres. A single Redis unless told. */
  readonly redis?: RedisOptions | 'cluster' | 'none'
  /** false: the processes reach their stores directly, and no link can be broken. */
  readonly links?: boolean
  /** Over the rig's own environment of the processes. */
  readonly environment?: Environment
  /** Repeats the random choices of an earlier run; random unless told. */
  readonly seed?: number
}

/** Processes of a service on a Postgres and a Redis of their own, each with a link to them that a test may break. */
export type ServiceRig = {
  /** Print it when a test fails. */
  readonly seed: number
  readonly random: () => number
  readonly postgres: TestServer
  /** The single Redis. @throws Error when there is none, or a cluster */
  readonly redis: () => TestServer
  /** The nodes of the Redis Cluster. @throws Error when there is none */
  readonly cluster: () => TestCluster
  /** Every Redis there is, beside all links. */
  readonly redisUrls: () => readonly string[]
  /** A connection to Postgres beside all links. */
  readonly database: Database<AccountTables>
  readonly instances: readonly RigInstance[]
  /** An instance by number, counted around; a random one when there is no number. */
  readonly instance: (number?: number) => RigInstance
  /** An account with one key, straight in the database. */
  readonly account: (plan?: string) => Promise<RigAccount>
  /** A request to an instance with the key of an account or any other. */
  readonly send: (path: string, request?: RigRequest) => Promise<LoadReply>
  readonly operate: (method: string, path: string, body?: object, instance?: number) => Promise<LoadReply>
  /** Resolves when all instances count there. */
  readonly serving: (store: 'redis' | 'postgres') => Promise<void>
  /** Ends every disturbance of every link. */
  readonly heal: () => void
  readonly close: () => Promise<void>
}

/** A request through the rig. */
export type RigRequest = LoadRequest & {
  /** Key to send in the header of the deployment. */
  readonly key?: string
  /** Number of the instance; a random one unless told. */
  readonly instance?: number
}

/** One process of the service. */
export type RigInstance = {
  readonly number: number
  /** The process that runs now. */
  readonly service: () => ServiceProcess
  /** @throws Error when the rig was made without */
  readonly redisLink: () => FaultProxy
  /** @throws Error when the rig was made without */
  readonly postgresLink: () => FaultProxy
  /** The gate that its log names last. */
  readonly serving: () => 'redis' | 'postgres'
  /** What its log says of its stores, for when a test fails. */
  readonly gateLog: () => string[]
  /** Each time that it has given Redis up. */
  readonly losses: () => readonly Loss[]
  /** How long its access log is; see logged. */
  readonly mark: () => number
  /** Requests of its access log since a mark. */
  readonly logged: (since?: number) => LoggedRequest[]
  /** Starts a new process, after the last one has ended. */
  readonly start: (environment?: Environment) => Promise<void>
  /** Ends every disturbance of its links. */
  readonly heal: () => void
  /** Kills the process and closes its links. */
  readonly close: () => Promise<void>
}

/** An account with the key that it starts with. */
export type RigAccount = {
  readonly tag: string
  readonly selector: string
  readonly key: string
  readonly email: string
}

/** Starts a rig of the service in whose folder the tests run. What had been started is ended when it fails. */
export async function openServiceRig(options: ServiceRigOptions): Promise<ServiceRig> {
  const seed = options.seed ?? randomInt(2 ** 31)
  const random = seededRandom(seed)
  const stores = await startStores(options)
  const secrets = { KEY_PEPPER: newSecret(), JWT_SECRET: newSecret(), OPERATOR_TOKEN: newSecret() }
  const log = createLogger({ level: 'silent', service: 'rig' })
  const { deployment } = options
  const database = await openDatabase<AccountTables>({
    ...{ url: stores.postgres.url, dataDir: '', schema: deployment.name, log, queryTimeoutMs: 10_000 },
  })
  const common = { ...secrets, ...noLimits, ...options.environment }
  const starting = Array.from({ length: options.instances ?? 3 }, async (_, number) =>
    startInstance(number, stores, options.links === false ? {} : await openLinks(stores, random), common),
  )
  const settled = await Promise.allSettled(starting)
  const instances = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const parts = { seed, random, stores, database, instances, client: openLoadClient(), secrets, deployment }
  const failure = settled.find(({ status }) => status === 'rejected')
  if (failure === undefined) return rigOf(parts)
  await closeRig(parts)
  throw new Error('An instance of the rig did not start.', {
    cause: (failure as PromiseRejectedResult).reason,
  })
}

/** Nothing but quotas limits the requests of a test. */
const noLimits = { BURST_PER_SECOND: '0', SIGNUPS_PER_HOUR: '0', FAILED_AUTH_PER_MINUTE: '0' }

type Stores = {
  readonly postgres: TestServer
  readonly redis: TestServer | undefined
  readonly cluster: TestCluster | undefined
}

type Parts = {
  readonly seed: number
  readonly random: () => number
  readonly stores: Stores
  readonly database: Database<AccountTables>
  readonly instances: readonly RigInstance[]
  readonly client: LoadClient
  readonly secrets: { readonly KEY_PEPPER: string; readonly OPERATOR_TOKEN: string }
  readonly deployment: Deployment
}

function rigOf(parts: Parts): ServiceRig {
  const { seed, random, stores, database, instances, client, secrets, deployment } = parts
  const instance = (number?: number): RigInstance => {
    const chosen = instances[(number ?? Math.floor(random() * instances.length)) % instances.length]
    if (chosen === undefined) throw new Error('The rig has no instance.')
    return chosen
  }
  return {
    ...{ seed, random, database, instances, instance, postgres: stores.postgres },
    redis: () => there(stores.redis, 'single Redis'),
    cluster: () => there(stores.cluster, 'Redis Cluster'),
    redisUrls: () => (stores.redis?.url ?? stores.cluster?.url ?? '').split(',').filter(Boolean),
    account: (plan = 'free') => insertAccount(parts, plan, secrets.KEY_PEPPER),
    send(path, { key, instance: number, headers, ...request } = {}) {
      const keyed = key === undefined ? {} : { [deployment.keyHeader]: key }
      return client.send(instance(number).service().baseUrl + path, {
        ...request,
        headers: { ...keyed, ...headers },
      })
    },
    operate: (method, path, body, number) =>
      client.send(instance(number).service().internalUrl + path, {
        ...{ method, body },
        headers: { Authorization: `Bearer ${secrets.OPERATOR_TOKEN}` },
      }),
    serving: (store) =>
      until(`all instances serve from ${store}`, () => instances.every((one) => one.serving() === store)),
    heal() {
      for (const one of instances) one.heal()
    },
    close: () => closeRig(parts),
  }
}

async function startStores({ redis = {} }: ServiceRigOptions): Promise<Stores> {
  const [postgres, single, cluster] = await Promise.all([
    // Three instances and the test itself; what was answered must survive a kill, so commits are not put off.
    startPostgres({ settings: { max_connections: 60, synchronous_commit: 'on' } }),
    typeof redis === 'string' ? undefined : startRedis(redis),
    redis === 'cluster' ? startRedisCluster() : undefined,
  ])
  return { postgres, redis: single, cluster }
}

type Links = { readonly redisLink?: FaultProxy | undefined; readonly postgresLink?: FaultProxy }

/** The nodes of a cluster name each other, so there is no link to them. */
async function openLinks({ postgres, redis }: Stores, random: () => number): Promise<Links> {
  return {
    redisLink: redis && (await startFaultProxy(redis.port, random)),
    postgresLink: await startFaultProxy(postgres.port, random),
  }
}

async function startInstance(
  number: number,
  { postgres, redis, cluster }: Stores,
  { redisLink, postgresLink }: Links,
  common: Environment,
): Promise<RigInstance> {
  const redisUrl = redis?.url ?? cluster?.url
  const environment = {
    ...{ ...common, DATA_DIR: newDirectory() },
    DATABASE_URL: postgresLink?.through(postgres.url) ?? postgres.url,
    ...(redisUrl !== undefined && { REDIS_URL: redisLink?.through(redisUrl) ?? redisUrl }),
  }
  const closeLinks = () => Promise.all([redisLink?.close(), postgresLink?.close()])
  let service = await startReady(environment).catch(async (error: unknown) => {
    await closeLinks()
    throw error
  })
  const log = followLog()
  return {
    ...{ number, service: () => service },
    redisLink: () => there(redisLink, 'link to Redis'),
    postgresLink: () => there(postgresLink, 'link to Postgres'),
    serving: () => log.read(service).serving,
    losses: () => log.read(service).losses,
    gateLog: () => log.read(service).gateLines,
    mark: () => log.read(service).requests.length,
    logged: (since = 0) => log.read(service).requests.slice(since).map(parseRequest),
    async start(changes = {}) {
      service = await startReady({ ...environment, ...changes })
    },
    async close() {
      await service.stop('SIGKILL')
      await closeLinks()
    },
    heal() {
      redisLink?.heal()
      postgresLink?.heal()
    },
  }
}

async function startReady(environment: Environment): Promise<ServiceProcess> {
  const service = await startProcess({ ...(await freePorts()), ...environment })
  await untilStatus(`${service.baseUrl}/readyz`, 200, 30_000)
  return service
}

async function insertAccount(
  { database, deployment }: Parts,
  plan: string,
  pepper: string,
): Promise<RigAccount> {
  const [tag, selector] = [randomBase62(10), randomBase62(4)]
  const key = makeKey({ service: deployment.code, tag, selector }, randomBase62(32))
  const email = `${tag}@example.com`
  const row = { tag, name: 'Test', email, email_normalised: email.toLowerCase(), password_hash: '-', plan }
  await database.db.insertInto('account').values(row).execute()
  await database.db
    .insertInto('api_key')
    .values({ tag, selector, digest: digestKey(key, pepper), name: 'default' })
    .execute()
  return { tag, selector, key, email }
}

/** A well-formed key that nobody has, of a deployment by its code. */
export function unknownKey(service: Deployment['code']): string {
  return makeKey({ service, tag: randomBase62(10), selector: randomBase62(4) }, randomBase62(32))
}

async function closeRig({ instances, client, database, stores }: Parts): Promise<void> {
  client.close()
  await Promise.all(instances.map((one) => one.close()))
  await database.close()
  await Promise.all([stores.postgres.stop(), stores.redis?.stop(), stores.cluster?.stop()])
}

/** Waits for something that must become true; fails after a minute, which even a busy machine does not need. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`It did not come true in time: ${what}`)
    await new Promise((resume) => setTimeout(resume, 10))
  }
}

function there<T>(part: T | undefined, name: string): T {
  if (part === undefined) throw new Error(`The rig has no ${name}.`)
  return part
}
