import type { LoadReply } from '@hearth/account/testing/http-load'
import {
  unknownKey,
  type RigAccount,
  type RigRequest,
  type ServiceRig,
} from '@hearth/account/testing/service-rig'
import { newAddress } from '@hearth/account/testing/test-app'
import { newSecret } from '@hearth/chassis/testing/service-process'
import { sql } from 'kysely'
import { connect } from 'node:net'
import { threeNumbers } from '../support.ts'
import { setUsedToday } from './solar-rig.ts'

/** A kind of answer: how to get it, and what it must say and cost. */
export type ResponseKind = {
  readonly what: string
  readonly status: number
  /** Code of the problem, when it is one. */
  readonly code?: string
  /** Units that one such answer costs; 0 unless told. */
  readonly cost?: 1
  readonly plan?: string
  /** Makes the answer come, before it is asked for. */
  readonly begin?: (rig: ServiceRig, account: RigAccount) => Promise<unknown>
  /** Puts right again what was broken. */
  readonly end?: (rig: ServiceRig) => Promise<unknown>
  readonly ask: (rig: ServiceRig, account: RigAccount) => Promise<LoadReply>
}

/** The instance with the usual limits, and the one whose short-term limits are reached with a few requests. */
export const [usual, tight] = [0, 1]

const json = { 'Content-Type': 'application/json' }
const send = (rig: ServiceRig, path: string, request: RigRequest = {}) =>
  rig.send(path, {
    ...{ instance: usual, ...request },
    headers: { 'X-Forwarded-For': newAddress(), ...request.headers },
  })
const calculate = (rig: ServiceRig, key: string | undefined, request: RigRequest = {}) =>
  send(rig, '/v1/calculate', { body: threeNumbers, ...(key !== undefined && { key }), ...request })
const signup = (email = `${newSecret()}@example.com`) => ({ name: 'Ann', email, password: newSecret() })
const keyIdOf = ({ tag, selector }: RigAccount) => `key_${tag}${selector}`
/** Text that is no JSON, sent as JSON. */
const plain = (rig: ServiceRig, key: string, headers: Record<string, string>, text: string) =>
  send(rig, '/v1/calculate', { key, headers, text })

const successes: readonly ResponseKind[] = [
  {
    ...{ what: '200', status: 200, cost: 1, plan: 'api_business' },
    ask: (rig, { key }) => calculate(rig, key),
  },
  {
    ...{ what: '201', status: 201, cost: 1, plan: 'api_business' },
    ask: (rig, { key }) =>
      send(rig, '/v1/calculations', {
        ...{ key, body: { name: 'a', kind: 'calculate', input: threeNumbers } },
      }),
  },
  {
    ...{ what: 'HEAD', status: 200, cost: 1, plan: 'api_business' },
    ask: (rig, { key }) => send(rig, '/v1/calculations', { key, method: 'HEAD' }),
  },
  {
    ...{ what: '304', status: 304, plan: 'api_business' },
    ask: async (rig, { key }) => send(rig, '/v1/calculations', { key, headers: { 'If-None-Match': '*' } }),
  },
  {
    ...{ what: 'OPTIONS', status: 204 },
    ask: (rig, { key }) => send(rig, '/v1/calculate', { key, method: 'OPTIONS' }),
  },
  { what: 'an account', status: 200, ask: (rig, { key }) => send(rig, '/v1/account', { key }) },
  { what: 'signup', status: 201, ask: (rig) => send(rig, '/v1/signup', { body: signup() }) },
  ...['/livez', '/readyz', '/openapi.json', '/docs', '/errors/not_found'].map((path) => ({
    ...{ what: path, status: 200, ask: (rig: ServiceRig) => send(rig, path) },
  })),
]

const badRequests: readonly ResponseKind[] = [
  {
    ...{ what: '400 syntax', status: 400, code: 'malformed_json' },
    ask: (rig, { key }) => plain(rig, key, json, '{"open":'),
  },
  {
    ...{ what: '400 schema', status: 400, code: 'validation_failed' },
    ask: (rig, { key }) => calculate(rig, key, { body: { ...threeNumbers, utilityRate: 'dear' } }),
  },
  {
    ...{ what: '400 unknown field', status: 400, code: 'validation_failed' },
    ask: (rig, { key }) => calculate(rig, key, { body: { ...threeNumbers, plan: 'pro' } }),
  },
  {
    ...{ what: '400 two keys', status: 400, code: 'ambiguous_credentials' },
    ask: (rig, { key }) => calculate(rig, `${key},${key.slice(0, -1)}x`),
  },
  {
    ...{ what: '404 route', status: 404, code: 'not_found' },
    ask: (rig, { key }) => send(rig, '/v1/nothing', { key }),
  },
  {
    ...{ what: '404 object', status: 404, code: 'calculation_not_found', plan: 'api_business' },
    ask: (rig, { key }) => send(rig, `/v1/calculations/calc_${'0'.repeat(26)}`, { key }),
  },
  {
    ...{ what: '404 foreign key', status: 404, code: 'key_not_found' },
    ask: (rig, { key }) => send(rig, `/v1/account/keys/key_${'0'.repeat(14)}`, { key, method: 'DELETE' }),
  },
  {
    ...{ what: '404 page', status: 404, code: 'not_found' },
    ask: (rig) => send(rig, '/errors/nothing'),
  },
  {
    ...{ what: '405', status: 405, code: 'method_not_allowed' },
    ask: (rig, { key }) => send(rig, '/v1/calculate', { key, method: 'PUT', body: {} }),
  },
  {
    ...{ what: '409 e-mail', status: 409, code: 'email_taken' },
    ask: (rig, { email }) => send(rig, '/v1/signup', { body: signup(email) }),
  },
  {
    ...{ what: '409 last key', status: 409, code: 'last_active_key' },
    ask: (rig, account) =>
      send(rig, `/v1/account/keys/${keyIdOf(account)}`, { key: account.key, method: 'DELETE' }),
  },
  {
    ...{ what: '413', status: 413, code: 'body_too_large' },
    ask: (rig, { key }) => calculate(rig, key, { body: { padding: 'x'.repeat(65_536) } }),
  },
  {
    ...{ what: '415', status: 415, code: 'unsupported_media_type' },
    ask: (rig, { key }) => plain(rig, key, { 'Content-Type': 'text/plain' }, 'a=b'),
  },
  {
    ...{ what: '431', status: 431, code: 'headers_too_large' },
    ask: (rig) => send(rig, '/livez', { headers: { 'X-Filler': 'x'.repeat(9 * 1024) } }),
  },
  {
    ...{ what: '431, a key of 10 KB', status: 431, code: 'headers_too_large' },
    ask: (rig) => calculate(rig, 'k'.repeat(10_000)),
  },
  {
    ...{ what: '431, a token of 1 MB', status: 431, code: 'headers_too_large' },
    ask: (rig) =>
      rawRequest(rig, `GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'a'.repeat(2 ** 20)}`),
  },
  {
    ...{ what: 'no HTTP', status: 400, code: 'malformed_request' },
    ask: (rig) => rawRequest(rig, 'this is not HTTP'),
  },
]

const refusals: readonly ResponseKind[] = [
  { what: '401 no key', status: 401, code: 'missing_api_key', ask: (rig) => calculate(rig, undefined) },
  {
    ...{ what: '401 malformed', status: 401, code: 'malformed_api_key' },
    ask: (rig, { key }) => calculate(rig, `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`),
  },
  {
    ...{ what: '401 another deployment', status: 401, code: 'invalid_api_key' },
    ask: (rig) => calculate(rig, unknownKey('wfr')),
  },
  {
    ...{ what: '401 unknown', status: 401, code: 'invalid_api_key' },
    ask: (rig) => calculate(rig, unknownKey('slr')),
  },
  {
    ...{ what: '401 revoked', status: 401, code: 'revoked_api_key' },
    begin: (rig, account) =>
      send(rig, `/v1/account/keys/${keyIdOf(account)}?force=true`, { key: account.key, method: 'DELETE' }),
    ask: (rig, { key }) => calculate(rig, key),
  },
  {
    ...{ what: '401 expired', status: 401, code: 'expired_api_key' },
    begin: (rig, { tag }) =>
      sql`update api_key set expires_at = now() - interval '1 day' where tag = ${tag}`.execute(
        rig.database.db,
      ),
    ask: (rig, { key }) => calculate(rig, key),
  },
  {
    ...{ what: '401 password', status: 401, code: 'invalid_credentials' },
    ask: (rig) =>
      send(rig, '/v1/account/sessions', { body: { email: 'no@example.com', password: newSecret() } }),
  },
  {
    ...{ what: '403 plan', status: 403, code: 'plan_upgrade_required' },
    ask: (rig, { key }) =>
      send(rig, '/v1/calculate/monte-carlo', { key, body: { ...threeNumbers, simulation: { trials: 100 } } }),
  },
  {
    ...{ what: '403 suspended', status: 403, code: 'account_suspended' },
    begin: (rig, { email }) =>
      rig.operate('PUT', `/operator/accounts/${email}/suspended`, { suspended: true }, usual),
    ask: (rig, { key }) => calculate(rig, key),
  },
]

const limits: readonly ResponseKind[] = [
  {
    ...{ what: '429 day', status: 429, code: 'quota_exceeded' },
    begin: (rig, { tag }) => setUsedToday(rig, tag, 50),
    ask: (rig, { key }) => calculate(rig, key),
  },
  {
    ...{ what: '429 month', status: 429, code: 'quota_exceeded' },
    begin: (rig, { tag }) => setUsedToday(rig, tag, 1_500),
    ask: (rig, { key }) => calculate(rig, key),
  },
  {
    ...{ what: '429 burst', status: 429, code: 'rate_limited' },
    ask: (rig, { key }) => until429(() => calculate(rig, key, { instance: tight, body: {} })),
  },
  {
    ...{ what: '429 address', status: 429, code: 'rate_limited' },
    ask: (rig) => until429(() => from(rig, '192.0.2.1', '/v1/account')),
  },
  {
    ...{ what: '429 signup', status: 429, code: 'rate_limited' },
    ask: (rig) => until429(() => from(rig, '192.0.2.2', '/v1/signup', signup())),
  },
]

const failures: readonly ResponseKind[] = [
  {
    ...{ what: '500 account', status: 500, code: 'internal_error' },
    begin: (rig) => sql`alter table api_key rename to away`.execute(rig.database.db),
    end: (rig) => sql`alter table away rename to api_key`.execute(rig.database.db),
    ask: (rig, { key }) => send(rig, '/v1/account/keys', { key }),
  },
  {
    ...{ what: '500 after the charge', status: 500, code: 'internal_error', plan: 'api_business' },
    begin: (rig) => sql`alter table calculation rename to away`.execute(rig.database.db),
    end: (rig) => sql`alter table away rename to calculation`.execute(rig.database.db),
    ask: (rig, { key }) => send(rig, '/v1/calculations', { key }),
  },
  {
    ...{ what: '503 after the charge', status: 503, code: 'temporarily_unavailable', plan: 'api_business' },
    begin: async (rig, { key }) => {
      await send(rig, '/v1/nothing', { key })
      rig.postgres.pause()
    },
    end: async (rig) => {
      rig.postgres.resume()
    },
    ask: (rig, { key }) => send(rig, '/v1/calculations', { key }),
  },
]

/** Every kind of answer that there is. The failures come last, each with what it breaks. */
export const responseKinds = [...successes, ...badRequests, ...refusals, ...limits, ...failures]

function from(rig: ServiceRig, address: string, path: string, body?: object): Promise<LoadReply> {
  return send(rig, path, { instance: tight, body, headers: { 'X-Forwarded-For': address } })
}

/** Asks until a limit is reached: the first requests, and one now and then, are within it. */
async function until429(ask: () => Promise<LoadReply>): Promise<LoadReply> {
  for (let asked = 0; asked < 20; asked++) {
    const reply = await ask()
    if (reply.status === 429) return reply
  }
  throw new Error('20 requests reached no limit.')
}

/** What no HTTP client sends. */
async function rawRequest(rig: ServiceRig, head: string): Promise<LoadReply> {
  const startedAt = performance.now()
  const { port } = new URL(rig.instance(usual).service().baseUrl)
  const answer = await new Promise<string>((resolve) => {
    let received = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${head}\r\n\r\n`))
    socket.on('data', (part) => (received += part.toString()))
    // The rest of what is too long cannot be written any more.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })
  const [top = '', text = ''] = answer.split('\r\n\r\n')
  const [statusLine = '', ...lines] = top.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  const body: unknown = JSON.parse(text || '{}')
  const status = Number(statusLine.split(' ')[1])
  return { status, headers, text, body, startedAt, endedAt: performance.now() }
}
