import type { MountedOperation } from '@hearth/chassis/routes'
import type { Metrics } from '@hearth/chassis/metrics'
import { httpProblems, type ProblemKind } from '@hearth/chassis/errors'
import type { Express } from 'express'
import type { Cluster, Redis } from 'ioredis'
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { changePassword, deleteAccount, getAccount } from './account.ts'
import type { Hasher } from './argon2-hasher.ts'
import { createAddressLimits, noLimit } from './address-limits.ts'
import { forgetAttempts } from './attempts.ts'
import { createKey, deleteKey, listKeys } from './api-keys.ts'
import { burstLimiter } from './burst-limiter.ts'
import type { AccountContext, Envelope } from './context.ts'
import type { Deployment } from './credentials.ts'
import type { AccountConnections } from './database.ts'
import { openGate, type QuotaGate } from './quota-gate.ts'
import { burstOf } from './gate.ts'
import { forgetAnswers } from './idempotency.ts'
import { knownKeys } from './known-keys.ts'
import { createMeter, type Meter } from './meter.ts'
import { mountOperator } from './operator.ts'
import { createPasswords } from './passwords.ts'
import { checkPlans, type Plans } from './plans.ts'
import { accountProblems } from './problems.ts'
import { rotateKey } from './rotate-key.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { signIn } from './sign-in.ts'
import { signup } from './signup.ts'
import { getUsage } from './usage.ts'

/** What a deployment brings along. */
export type AccountsOptions = {
  readonly deployment: Deployment
  readonly plans: Plans
  readonly envelope: Envelope
  readonly database: AccountConnections
  /** Without it, quotas are counted in Postgres alone. */
  readonly redis?: Redis | Cluster | undefined
  readonly log: Logger
  readonly settings: AccountSettings
  /** Where gauges of the quota gate are added. */
  readonly metrics?: Pick<Metrics, 'gauge'> | undefined
  /** Unix milliseconds for everything that is counted or expires, for tests; the clocks of the stores when absent. */
  readonly clock?: (() => number) | undefined
  /** How long Redis is waited for, in milliseconds; 75 unless told, and longer where a busy machine is no outage. */
  readonly answerWithinMs?: number | undefined
  /** Hashes passwords; a process of its own unless told. */
  readonly hasher?: Hasher | undefined
}

/** The settings that come from the environment; see accountVariables. */
export type AccountSettings = {
  /** Newest first; see digestKey. */
  readonly peppers: readonly string[]
  /** Newest first; see createSessions. */
  readonly sessionSecrets: readonly string[]
  /** Any of them opens the operator API. */
  readonly operatorTokens: readonly string[]
  readonly burstPerSecond: number
  readonly signupsPerHour: number
  readonly failedAuthPerMinute: number
}

/** The account library as a service uses it. */
export type Accounts = Meter & {
  /** Mounts signup, sign-in and /v1/account. */
  readonly mount: (app: Express) => void
  /** Mounts the operator API; for the app of the internal port. */
  readonly mountOperator: (app: Express) => void
  /** Which gate serves now. */
  readonly serving: () => 'redis' | 'postgres'
  /** Writes what is still to be written and stops the background work. */
  readonly close: () => Promise<void>
}

/** Opens the accounts of a deployment on its migrated database. */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const { settings, deployment, clock = Date.now } = options
  const plans = checkPlans(options.plans)
  const burst = burstOf(settings.burstPerSecond)
  const gate = await openGate({ ...options, plans, burst, instance: randomUUID() })
  const sessions = createSessions(deployment.name, settings.sessionSecrets, clock)
  const context = contextOf(options, plans, gate, sessions)
  const meter = createMeter({
    ...context,
    ...{ burst, gate, peppers: settings.peppers },
    addresses: createAddressLimits(settings.failedAuthPerMinute, clock),
    known: knownKeys(),
    strangers: burstLimiter({ perSecond: 10, size: 20 }),
  })
  if (options.metrics !== undefined && options.redis !== undefined) addGauges(options.metrics, gate)
  const housekeeping = startHousekeeping(context)
  return {
    ...meter,
    mount: (app) => {
      mountAccount(app, context)
    },
    mountOperator: (app) => {
      mountOperator(app, context, settings.operatorTokens)
    },
    serving: gate.serving,
    close: () => {
      clearInterval(housekeeping)
      context.passwords.close()
      return gate.close()
    },
  }
}

/** What an operator is to be woken for; see infra/prometheus. */
function addGauges({ gauge }: Pick<Metrics, 'gauge'>, { serving, mayForget }: QuotaGate): void {
  gauge(
    'quota_gate_on_postgres',
    '1 while quotas are counted in Postgres because Redis cannot be used, else 0.',
    () => Number(serving() === 'postgres'),
  )
  gauge('quota_store_unsafe', '1 when Redis is set up so that it may evict counters, else 0.', () =>
    Number(mayForget()),
  )
}

/** What the endpoints share. @throws RangeError when there is no pepper */
function contextOf(
  { deployment, envelope, database: { db }, log, settings, clock, hasher }: AccountsOptions,
  plans: Plans,
  { ledger, outbox }: QuotaGate,
  sessions: Sessions,
): AccountContext {
  const [pepper] = settings.peppers
  if (pepper === undefined) throw new RangeError('At least one pepper is needed.')
  return {
    ...{ deployment, envelope, plans, db, ledger, outbox, sessions, pepper, log },
    clock: clock ?? Date.now,
    at: () => (clock === undefined ? undefined : new Date(clock())),
    passwords: createPasswords(hasher),
    signupLimit: { name: 'signup', limit: settings.signupsPerHour || noLimit, seconds: 3600 },
    signInLimit: { name: 'sign-in', limit: wrongPasswordsPerQuarterHour, seconds: 900 },
  }
}

/** The problems that an operation can have through the meter, for the API description. */
export function meterProblems({ access = 'metered', path, body, requires }: MountedOperation): ProblemKind[] {
  const { internal_error, temporarily_unavailable, malformed_json, body_too_large, unsupported_media_type } =
    httpProblems
  const input =
    body === undefined
      ? []
      : [httpProblems.validation_failed, malformed_json, body_too_large, unsupported_media_type]
  const { missing_api_key, malformed_api_key, invalid_api_key, revoked_api_key, expired_api_key } =
    accountProblems
  const { invalid_credentials, ambiguous_credentials, account_suspended, rate_limited, quota_exceeded } =
    accountProblems
  const always = [internal_error, temporarily_unavailable, ...input]
  if (access === 'public') return path.startsWith('/v1/') ? [...always, rate_limited] : always
  const keyed = [
    ambiguous_credentials,
    missing_api_key,
    malformed_api_key,
    invalid_api_key,
    revoked_api_key,
    expired_api_key,
  ]
  const session = access === 'account' || access === 'session' ? [invalid_credentials] : []
  const quota = access === 'metered' ? [quota_exceeded] : []
  const plan = requires.length > 0 ? [accountProblems.plan_upgrade_required] : []
  return [...always, ...keyed, ...session, account_suspended, rate_limited, ...quota, ...plan]
}

const wrongPasswordsPerQuarterHour = 10

function mountAccount(app: Express, context: AccountContext): void {
  app.post('/v1/signup', signup(context))
  app.post('/v1/account/sessions', signIn(context))
  app.get('/v1/account', getAccount(context))
  app.delete('/v1/account', deleteAccount(context))
  app.put('/v1/account/password', changePassword(context))
  app.get('/v1/account/usage', getUsage(context))
  app.get('/v1/account/keys', listKeys(context))
  app.post('/v1/account/keys', createKey(context))
  app.post('/v1/account/keys/rotate', rotateKey(context))
  app.delete('/v1/account/keys/:id', deleteKey(context))
}

/** Forgets attempts and answers whose time is over. */
function startHousekeeping({ db, log }: AccountContext): NodeJS.Timeout {
  const timer = setInterval(() => {
    Promise.all([forgetAttempts(db), forgetAnswers(db)]).catch((error: unknown) => {
      log.warn({ err: error }, 'housekeeping is put off')
    })
  }, 60_000)
  return timer.unref()
}
