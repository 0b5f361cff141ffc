import type { Plans } from '@hearth/account'
import { newAddress, type TestApp, type TestRequest } from '@hearth/account/testing/test-app'
import { sql } from 'kysely'
import { plans } from '../src/plans.ts'
import { unknownId } from '../src/calculation-schema.ts'
import { goodRequest, type DocumentedOperation, type Owner } from './operations.ts'
import { threeNumbers } from './support.ts'

/** The kinds of answers that every operation is asked for. */
export const kinds = [
  ...['success', '400', '401', '403', '404', '405', '413', '415'],
  ...['429 burst', '429 quota', '429 address', '500', 'OPTIONS'],
] as const
export type Kind = (typeof kinds)[number]

/** On a plan that has all features, and whose quota 100 requests reach. */
export const plansOfCells: Plans = {
  ...plans,
  pro: { ...plans.free, name: 'Pro', features: plans['pro']?.features ?? [] },
}

/** The running services: one with the usual limits, one whose short-term limits are reached with a few requests. */
export type Apps = { readonly usual: TestApp; readonly tight: TestApp }

/** A request as it has to be sent to be answered with a kind of answer. */
export type Provocation = {
  readonly app: TestApp
  readonly method: string
  readonly path: string
  readonly request: TestRequest
  readonly status: number
  /** Code of the problem, when it is one. */
  readonly code?: string
  /** Puts right again what was broken. */
  readonly repair?: () => Promise<unknown>
}

/** Why an operation can never give a kind of answer; undefined when it can. */
export function impossible(
  kind: Kind,
  { access, hasBody, template, id }: DocumentedOperation,
): string | undefined {
  const isFree = access === 'open' || access === 'public'
  if (kind === '400' && isFree && !hasBody && !template.includes('{')) return 'takes no input'
  if (kind === '401' && isFree && id !== 'signIn') return 'needs no credentials'
  if (kind === '403' && isFree) return 'belongs to no account'
  if (kind === '429 burst' && isFree) return 'has no key whose requests could be counted'
  if (kind === '429 quota' && access !== 'metered') return 'costs no quota'
  if (kind === '429 address' && access === 'open') return 'is never limited: probes and readers of the docs'
  if (kind === '500' && access === 'open') return 'reads nothing but the program itself'
  return undefined
}

/** Prepares everything for a kind of answer that is possible. */
export async function provoke(kind: Kind, operation: DocumentedOperation, apps: Apps): Promise<Provocation> {
  const { method } = operation
  const app = kind === '429 burst' || kind === '429 address' ? apps.tight : apps.usual
  const owner = await (changing.has(kind) ? app.signUp('pro') : commonOwner(app, kind === '429 quota'))
  const { path, request } = await goodRequest(app, operation, owner)
  const change = await changes[kind]({ app, operation, path, request, owner })
  return { app, method, path, request, ...change }
}

/** The kinds of answers that leave an account behind that others cannot use. */
const changing: ReadonlySet<Kind> = new Set(['success', '403', '429 burst'])

/**
 * An account for all that changes nothing, and one for all that use up its quota: hashing a password for each would
 * take most of the time.
 */
function commonOwner(app: TestApp, usesUpQuota: boolean): Promise<Owner> {
  const owners = usesUpQuota ? exhaustedOwners : commonOwners
  const owner = owners.get(app) ?? app.signUp('pro')
  owners.set(app, owner)
  return owner
}

const commonOwners = new WeakMap<TestApp, Promise<Owner>>()
const exhaustedOwners = new WeakMap<TestApp, Promise<Owner>>()

type Start = {
  app: TestApp
  operation: DocumentedOperation
  path: string
  request: TestRequest
  owner: Owner
}
type Change = Partial<Pick<Provocation, 'method' | 'path' | 'request' | 'repair'>> & {
  status: number
  code?: string
}

const changes: Readonly<Record<Kind, (start: Start) => Promise<Change>>> = {
  success: async ({ operation }) => ({
    status: Number(Object.keys(operation.document.responses).find((status) => status.startsWith('2'))),
  }),
  '400': badRequest,
  '401': async ({ operation, request }) => {
    if (operation.id === 'signIn') {
      const body = { ...(request.body as object), password: 'not the password' }
      return { status: 401, code: 'invalid_credentials', request: { ...request, body } }
    }
    return { status: 401, code: 'missing_api_key', request: withBody(request) }
  },
  '403': async ({ app, owner }) => {
    await app.operate('put', `/operator/accounts/${owner.email}/suspended`, { suspended: true })
    return { status: 403, code: 'account_suspended' }
  },
  '404': async ({ operation, path, owner }) => {
    if (operation.id === 'deleteKey')
      return { status: 404, code: 'key_not_found', path: '/v1/account/keys/key_nothing' }
    if (operation.template.startsWith('/v1/calculations/{id}')) {
      return { status: 404, code: 'calculation_not_found', path: path.replace(/calc_\w+/, unknownId) }
    }
    if (operation.template.includes('{')) return { status: 404, code: 'not_found', path: `${path}-nothing` }
    return {
      status: 404,
      code: 'not_found',
      path: `${path.replace(/\/$/, '')}/no/thing`,
      request: { key: owner.key },
    }
  },
  '405': async ({ operation }) => {
    const method = operation.template === '/v1/calculations/{id}' ? 'put' : 'patch'
    return { status: 405, code: 'method_not_allowed', method }
  },
  '413': async ({ request }) => ({
    status: 413,
    code: 'body_too_large',
    request: { ...request, body: { padding: 'x'.repeat(65_536) } },
  }),
  '415': async ({ request }) => ({
    status: 415,
    code: 'unsupported_media_type',
    request: { ...request, body: 'plain text', headers: { 'Content-Type': 'text/plain' } },
  }),
  '429 burst': async ({ app, request }) => {
    await until429(() => app.call('get', '/v1/account', credentialsOf(request)))
    return { status: 429, code: 'rate_limited' }
  },
  '429 quota': async ({ app, owner: { key } }) => {
    await until429(() => app.call('post', '/v1/calculate', { key, body: threeNumbers }))
    return { status: 429, code: 'quota_exceeded' }
  },
  '429 address': async ({ app, request }) => {
    const address = newAddress()
    await until429(() => app.call('get', '/v1/account', { address }))
    return { status: 429, code: 'rate_limited', request: { ...withBody(request), address } }
  },
  '500': async ({ app }) => {
    const { db } = app.database
    await sql`alter table account rename to account_away`.execute(db)
    const repair = () => sql`alter table account_away rename to account`.execute(db)
    return { status: 500, code: 'internal_error', repair }
  },
  OPTIONS: async () => ({ status: 204, method: 'options', request: {} }),
}

async function badRequest({ operation, path, request, app }: Start): Promise<Change> {
  if (operation.hasBody) {
    const headers = { ...request.headers, 'Content-Type': 'application/json' }
    return { status: 400, code: 'malformed_json', request: { ...request, headers, body: '{"open":' } }
  }
  if (operation.access === 'open') {
    return { status: 400, code: 'validation_failed', path: path.replace(/[^/]+$/, '%E0%A4%A') }
  }
  const { key } = await app.signUp()
  const other = await app.signUp()
  const headers = { 'X-API-Key': key, Authorization: `Bearer ${other.key}` }
  return { status: 400, code: 'ambiguous_credentials', request: { headers } }
}

/** Sends a request until it is refused for being one too many. */
async function until429(send: () => Promise<{ status: number }>): Promise<void> {
  for (let sent = 0; sent < 100; sent++) {
    const { status } = await send()
    if (status === 429) return
  }
  throw new Error('100 requests reached no limit.')
}

function credentialsOf({ key, session }: TestRequest): TestRequest {
  return { ...(key !== undefined && { key }), ...(session !== undefined && { session }) }
}

function withBody({ body }: TestRequest): TestRequest {
  return body === undefined ? {} : { body }
}
