import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from './system-error.ts'
import {
  DependsOnProblem,
  directory,
  flag,
  integer,
  oneOf,
  Problem,
  publicUrl,
  quote,
  text,
  url,
  type Earlier,
  type Variable,
} from './variables.ts'

/** Environment as the process got it: `process.env`, or a literal in a test. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Type of the configuration that {@link readConfig} returns for a record of variables. */
export type ConfigOf<V extends Record<string, Variable<unknown>>> = {
  readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : never
}

/** The environment does not describe a process that can run. The message has one line per problem. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * Reads all variables, in the order of the record, into one frozen object.
 * Every `NAME` may be given as `NAME_FILE`, the path of a file that holds the value; the empty string is unset.
 * @throws {ConfigError} which names every problem at once; values of secrets and URLs never appear in it
 */
export function readConfig<V extends Record<string, Variable<unknown>>>(
  environment: Environment,
  variables: V,
): ConfigOf<V> {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [key, variable] of Object.entries(variables)) {
    try {
      values[key] = variable.parse(readText(environment, variable.name), earlierThan(values))
    } catch (error) {
      if (error instanceof Problem) problems.push(`${error.variable ?? variable.name} ${error.message}`)
      else if (!(error instanceof DependsOnProblem)) throw error
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  // Each key of V was assigned the value its own Variable parsed.
  return Object.freeze(values) as ConfigOf<V>
}

/**
 * The variables every service has, whatever it computes; spread them at the start of the service's own record.
 * Account settings and secrets are not among them.
 */
export function serviceVariables(options: {
  /** Names the default data directory: `.data/<service>`. */
  service: string
  port: number
  internalPort: number
  /** Where relative paths start; by default {@link projectRoot} of the working directory. */
  base?: string
}) {
  const base = options.base ?? projectRoot(process.cwd())
  return {
    nodeEnv: oneOf('NODE_ENV', ['development', 'test', 'production'], 'development'),
    host: text('HOST', { default: '127.0.0.1' }),
    port: integer('PORT', { min: 0, max: 65_535, default: options.port }),
    internalPort: integer('INTERNAL_PORT', {
      min: 0,
      max: 65_535,
      default: options.internalPort,
      refuse: sameAsPort,
    }),
    publicUrl: publicUrl('PUBLIC_URL', { default: addressOf }),
    databaseUrl: url('DATABASE_URL', {
      protocols: ['postgres', 'postgresql'],
      required: (earlier) => inProduction(earlier, 'the embedded database is for development'),
    }),
    redisUrl: url('REDIS_URL', {
      protocols: ['redis', 'rediss'],
      list: true,
      required: (earlier) => inProduction(earlier, 'several instances share their counters in Redis'),
    }),
    dataDir: directory('DATA_DIR', { base, default: join('.data', options.service) }),
    trustProxy: integer('TRUST_PROXY', { min: 0, max: 10, default: 0 }),
    logLevel: oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    shutdownDelayMs: integer('SHUTDOWN_DELAY_MS', {
      min: 0,
      max: 300_000,
      default: (earlier) => (isProduction(earlier) ? 5_000 : 0),
    }),
    shutdownDeadlineMs: integer('SHUTDOWN_DEADLINE_MS', { min: 0, max: 300_000, default: 20_000 }),
    migrateOnStart: flag('MIGRATE_ON_START', { default: (earlier) => !isProduction(earlier) }),
  } as const
}

/**
 * The directory that relative paths start at: the closest one at or above `start` whose package.json has workspaces,
 * else `start`. npm runs a workspace's script inside the workspace; the data must be the same as from the root.
 */
export function projectRoot(start: string): string {
  for (let directory = resolve(start); ; directory = dirname(directory)) {
    if (hasWorkspaces(join(directory, 'package.json'))) return directory
    if (directory === dirname(directory)) return resolve(start)
  }
}

function readText(environment: Environment, name: string): string | undefined {
  const direct = environment[name] || undefined
  const path = environment[`${name}_FILE`] || undefined
  if (path === undefined) return direct
  if (direct !== undefined) throw new Problem(`and ${name}_FILE are both set; expected one of the two.`)
  const content = readFileOrThrow(path, `${name}_FILE`).replace(/\r?\n$/, '')
  if (content === '') throw new Problem('names an empty file; expected the value in it.', `${name}_FILE`)
  return content
}

function readFileOrThrow(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Problem(`names ${quote(path)}, which cannot be read (${codeOf(error)}).`, variable)
  }
}

function earlierThan(values: Readonly<Record<string, unknown>>): Earlier {
  return {
    text(key) {
      const value = values[key]
      if (typeof value !== 'string') throw new DependsOnProblem(key)
      return value
    },
    number(key) {
      const value = values[key]
      if (typeof value !== 'number') throw new DependsOnProblem(key)
      return value
    },
  }
}

function sameAsPort(value: number, earlier: Earlier): string | undefined {
  if (value === 0 || value !== earlier.number('port')) return undefined
  return `is ${value}, the same as PORT; expected another port, or 0 for any free one.`
}

function isProduction(earlier: Earlier): boolean {
  return earlier.text('nodeEnv') === 'production'
}

function inProduction(earlier: Earlier, why: string): string | undefined {
  return isProduction(earlier) ? `when NODE_ENV is production (${why})` : undefined
}

function addressOf(earlier: Earlier): string {
  const host = earlier.text('host')
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const name = isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${earlier.number('port')}`
}

function hasWorkspaces(path: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof manifest === 'object' && manifest !== null && 'workspaces' in manifest
  } catch {
    // Not there, or not ours to complain about: npm has read it before us.
    return false
  }
}
