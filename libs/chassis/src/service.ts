import type { Express } from 'express'
import Joi from 'joi'
import type { Cluster, Redis } from 'ioredis'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ConfigError, readConfig, serviceVariables, type ConfigOf, type Environment } from './config.ts'
import { isUnavailable, openDatabase, type Database } from './database.ts'
import { endpoint } from './endpoint.ts'
import { httpProblems, type ProblemKind } from './errors.ts'
import { closeHttpApp, createHttpApp, newRequestId, securityHeaders, send, type HttpOptions } from './http.ts'
import type { ParserErrorResponse } from './http-server.ts'
import { problemBody } from './problems.ts'
import { createLifecycle, readiness, type Lifecycle, type Readiness } from './lifecycle.ts'
import { createLogger, maskCredentials } from './logger.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { migrate, pendingMigrations, type MigrationList } from './migrate.ts'
import { openRedis } from './redis.ts'
import { serve } from './serve.ts'
import type { Variable } from './variables.ts'

/** What a service is, besides being one of our HTTP services. */
export type ServiceDefinition<Tables, Own extends Record<string, Variable<unknown>>> = {
  /** Lower-case name: schema, default data directory, name in the log. */
  readonly name: string
  /** Default ports. */
  readonly port: number
  readonly internalPort: number
  /** Its own variables. */
  readonly variables: Own
  readonly migrations: readonly MigrationList[]
  /** Builds what answers requests. It must not need the database to be there. */
  readonly open: (parts: ServiceParts<Tables, Own>) => Promise<OpenService>
  /** Further commands of the process, by name; each resolves to an exit code. */
  readonly commands?: Readonly<
    Record<string, (config: ServiceConfig<Own>, args: readonly string[]) => Promise<number>>
  >
}

/** The configuration of a service: the common variables and its own. */
export type ServiceConfig<Own extends Record<string, Variable<unknown>>> = ConfigOf<
  ReturnType<typeof serviceVariables>
> &
  ConfigOf<Own>

/** What `open` gets. */
export type ServiceParts<Tables, Own extends Record<string, Variable<unknown>>> = {
  readonly config: ServiceConfig<Own>
  readonly database: Database<Tables>
  readonly redis: Redis | Cluster | undefined
  readonly log: Logger
  readonly metrics: Metrics
  readonly ready: () => Promise<Readiness>
  /** Whether migrations are there; see HttpOptions. */
  readonly isStarted: () => boolean
}

/** What `open` returns. */
export type OpenService = {
  readonly app: Express
  /** Rate-limit headers for a caller who never got as far as a request; see HttpServerOptions. */
  readonly limitHeadersFor: (address: string) => readonly string[]
  readonly problemMembers?: Readonly<Record<string, unknown>>
  /** Whether the service uses its Redis now: one that is full answers a ping too. Readiness asks; yes unless told. */
  readonly usesRedis?: () => boolean
  /** Mounts operators' routes on the app of the internal port. */
  readonly mountInternal: (app: Express) => void
  readonly close: () => Promise<void>
}

/**
 * Runs a command of a service: `serve` (the default), `migrate`, or one of its own.
 *
 * @returns the exit code
 * @throws ConfigError when the environment does not describe a process that can run
 */
export async function runService<Tables, Own extends Record<string, Variable<unknown>>>(
  definition: ServiceDefinition<Tables, Own>,
  environment: Environment,
  args: readonly string[],
): Promise<number> {
  const { name, port, internalPort, variables, commands = {} } = definition
  const [command = 'serve', ...rest] = args
  const all = { ...serviceVariables({ service: name, port, internalPort }), ...variables }
  const config = readConfig(environment, all) as ServiceConfig<Own> // a spread of generics loses its keys
  if (command === 'serve') return serveService(definition, config)
  if (command === 'migrate') return migrateService(definition, config)
  const own = Object.hasOwn(commands, command) ? commands[command] : undefined
  if (own !== undefined) return own(config, rest)
  const known = ['serve', 'migrate', ...Object.keys(commands)].join(', ')
  throw new ConfigError([`There is no command ${JSON.stringify(command)}; expected one of: ${known}.`])
}

async function serveService<Tables, Own extends Record<string, Variable<unknown>>>(
  definition: ServiceDefinition<Tables, Own>,
  config: ServiceConfig<Own>,
): Promise<number> {
  const log = createLogger({ level: config.logLevel, service: definition.name })
  const database = await openServiceDatabase<Tables>(definition, config, log)
  const redis = config.redisUrl === undefined ? undefined : openRedis(config.redisUrl, { log })
  const lifecycle = createLifecycle()
  const metrics = createMetrics()
  const known: Pick<OpenService, 'usesRedis'> = {} // more when the service is open
  const usesRedis = () => known.usesRedis?.() !== false
  const ready = readiness({ lifecycle, checks: checksOf(database, redis, usesRedis) })
  const preparing = prepare(definition, config, database, lifecycle, log)
  await Promise.race([preparing, sleep(patienceMs)])
  const { isStarted } = lifecycle
  const opened = await definition.open({ config, database, redis, log, metrics, ready, isStarted })
  Object.assign(known, opened)
  const serving = await serve({
    app: opened.app,
    internal: {
      app: internalApp(opened, metrics, log, config),
      host: config.host,
      port: config.internalPort,
    },
    ...config,
    lifecycle,
    log,
    parserErrorResponse: parserErrors(opened, config.publicUrl),
    beforeExit: [opened.close, async () => redis?.disconnect(), database.close],
    onListening: (addresses) => {
      log.info({ ...addresses, url: config.publicUrl }, 'listening')
    },
  })
  const failed = preparing.then(() => new Promise<never>(() => undefined))
  return Promise.race([serving.finished, failed])
}

/** How long a start waits for the database before it listens without it. */
const patienceMs = 5_000
const retryEveryMs = 1_000

/** Migrates, or waits until somebody has; a database that is away is tried again until it is there. */
async function prepare<Tables>(
  { migrations }: Pick<ServiceDefinition<Tables, Record<string, Variable<unknown>>>, 'migrations'>,
  { migrateOnStart }: { readonly migrateOnStart: boolean },
  database: Database<Tables>,
  lifecycle: Lifecycle,
  log: Logger,
): Promise<void> {
  for (let attempt = 0; !lifecycle.isDraining(); attempt++) {
    const reason = await tryOnce()
    if (reason === undefined) {
      lifecycle.start()
      return
    }
    if (attempt === 0) log.warn({ reason }, 'not ready yet; trying again each second')
    await sleep(retryEveryMs)
  }

  async function tryOnce(): Promise<string | undefined> {
    try {
      if (migrateOnStart) await migrate(database, migrations, log)
      const pending = await pendingMigrations(database, migrations)
      return pending.length === 0
        ? undefined
        : `migrations are pending (run the migrate command): ${pending.join(', ')}`
    } catch (error) {
      if (isUnavailable(error)) return 'the database does not answer'
      throw databaseProblem(error)
    }
  }
}

/** What trying again does not cure is a matter of configuration. */
function databaseProblem(error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error)
  return new ConfigError([`DATABASE_URL names a database that cannot be used: ${reason}`])
}

async function migrateService<Tables, Own extends Record<string, Variable<unknown>>>(
  definition: ServiceDefinition<Tables, Own>,
  config: ServiceConfig<Own>,
): Promise<number> {
  const log = createLogger({ level: config.logLevel, service: definition.name })
  const database = await openServiceDatabase<Tables>(definition, config, log)
  try {
    const applied = await migrate(database, definition.migrations, log)
    log.info({ applied: applied.length }, 'migrations are up to date')
    return 0
  } finally {
    await database.close()
  }
}

function openServiceDatabase<Tables>(
  { name }: { readonly name: string },
  { databaseUrl, dataDir }: { readonly databaseUrl: string | undefined; readonly dataDir: string },
  log: Logger,
): Promise<Database<Tables>> {
  return openDatabase<Tables>({ url: databaseUrl, dataDir, schema: name, log })
}

function checksOf(
  database: Pick<Database<unknown>, 'ping'>,
  redis: Redis | Cluster | undefined,
  usesRedis: () => boolean,
) {
  return {
    postgres: (deadlineMs: number) => database.ping(deadlineMs),
    ...(redis && {
      async redis() {
        await redis.ping()
        if (!usesRedis()) throw new Error('Redis answers, and the service cannot use it.')
      },
    }),
  }
}

/** /metrics and the operators' routes. */
function internalApp(
  service: OpenService,
  metrics: Metrics,
  log: Logger,
  config: { readonly publicUrl: string },
): Express {
  const options: HttpOptions = {
    ...{ log, publicUrl: config.publicUrl, trustProxy: 0 },
    limitHeaders: () => [],
    settle: () => undefined,
  }
  const app = createHttpApp(options)
  app.get('/metrics', metricsEndpoint(metrics))
  service.mountInternal(app)
  return closeHttpApp(app)
}

function metricsEndpoint(metrics: Metrics) {
  return endpoint(
    {
      id: 'getMetrics',
      summary: 'Metrics in the text format of Prometheus',
      tag: 'Operator',
      access: 'public',
      responses: { 200: { description: 'Metrics.', schema: Joi.string(), mediaType: 'text/plain' } },
    },
    async (_input, _req, res) => {
      await send(res, 200, await metrics.metricsText(), ['Content-Type', metrics.contentType])
    },
  )
}

/** Answers what Node's HTTP server refuses in the same form as everything else. */
function parserErrors(service: OpenService, publicUrl: string): ParserErrorResponse {
  return (status, address, path) => {
    const requestId = newRequestId()
    const kind = refusals[status]
    const { problemMembers } = service
    const options = problemMembers === undefined ? { publicUrl } : { publicUrl, problemMembers }
    const instance = path === undefined ? {} : { instance: path.slice(0, 200) }
    const detail = status === 405 ? noTunnel : kind.meaning
    const body = problemBody(options, kind, detail, { requestId, ...instance })
    return {
      headers: [
        ...securityHeaders,
        ...['X-Request-Id', requestId, 'Cache-Control', 'no-store'],
        ...['Content-Type', 'application/problem+json; charset=utf-8'],
        ...(status === 405 ? ['Allow', ''] : []),
        ...service.limitHeadersFor(address),
      ],
      body: maskCredentials(JSON.stringify(body)),
    }
  }
}

const refusals: Readonly<Record<400 | 405 | 408 | 431, ProblemKind>> = {
  400: httpProblems.malformed_request,
  405: httpProblems.method_not_allowed,
  408: httpProblems.request_timeout,
  431: httpProblems.headers_too_large,
}

/** A tunnel has no methods, which is what the empty Allow says. */
const noTunnel =
  'CONNECT asks for a tunnel through a proxy, and this is none. Send requests for paths of the service; if a client sent this by itself, it is configured to use the service as its proxy.'
