import { accountProblems, operatorProblems } from '@hearth/account'
import type { TestRequest } from '@hearth/account/testing/test-app'
import { httpProblems } from '@hearth/chassis/errors'
import { indexRoutes, type MountedOperation } from '@hearth/chassis/routes'
import { faultsOfDescription } from '@hearth/chassis/testing/description'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Express } from 'express'
import { sql } from 'kysely'
import supertest from 'supertest'
import { plans } from '../src/plans.ts'
import { wildfireProblems } from '../src/problems.ts'
import { startWildfire, type WildfireApp } from './support.ts'

/** What the reference promises per plan; null: unlimited. */
const promised = {
  free: ['Free', 1, 30],
  single_report: ['Single Report', 5, 150],
  buyer_pack: ['Buyer Pack', 10, 300],
  pro: ['Pro', 100, 3_000],
  lifetime: ['Lifetime', 100, null],
} as const

/** A request of each endpoint of this service that is answered with a success. */
const good: readonly (readonly [method: string, path: string, request: TestRequest])[] = [
  ['get', '/v1/risk/county/06061', {}],
  ['get', '/v1/risk/counties', {}],
  ['get', '/v1/risk/compare?codes=06061,41029', {}],
  ['get', '/v1/hardening/measures', {}],
  ['post', '/v1/hardening/roi', { body: { countyCode: '06061', replacementCost: 600_000, sqft: 2000 } }],
]

let usual: WildfireApp
let tight: WildfireApp
let operations: readonly MountedOperation[]

beforeAll(async () => {
  let express: Express | undefined
  usual = await startWildfire({ settings: { signupsPerHour: 0 }, inspect: (made) => (express = made) })
  tight = await startWildfire({ settings: { signupsPerHour: 0, burstPerSecond: 1, failedAuthPerMinute: 3 } })
  if (express === undefined) throw new Error('The app was not made.')
  operations = indexRoutes(express).operations
})
afterAll(async () => {
  await usual.close()
  await tight.close()
})

test('the plans are those of the reference, and every paid one has all features', () => {
  const rows = Object.entries(plans).map(([id, { name, daily, monthly }]) => [id, [name, daily, monthly]])
  expect(Object.fromEntries(rows)).toEqual(promised)
  for (const [id, { features }] of Object.entries(plans)) {
    expect([id, features]).toEqual([id, id === 'free' ? [] : ['hardeningRoi', 'measureBreakdown']])
  }
})

test.each(Object.keys(promised))('plan %s is charged against its own limits', async (plan) => {
  const [, daily, monthly] = promised[plan as keyof typeof promised]
  const { key } = await usual.signUp(plan)

  const { headers } = await usual.call('get', '/v1/risk/county/06061', { key })
  const { body } = await usual.call('get', '/v1/account/usage', { key })

  expect([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([
    `${daily}`,
    `${daily - 1}`,
  ])
  expect(body).toMatchObject({
    success: true,
    data: { plan, windows: { daily: { limit: daily, used: 1 }, monthly: { limit: monthly, used: 1 } } },
  })
})

test('signup answers with success, data, and no meta', async () => {
  const { status, body } = await usual.call('post', '/v1/signup', {
    body: { name: 'Ann', email: 'contract@example.com', password: 'a long password of mine' },
  })
  expect([status, Object.keys(body), Object.keys(body.data)]).toEqual([
    201,
    ['success', 'data'],
    ['message', 'apiKeyPrefix', 'apiKey'],
  ])
  expect(body.data.apiKey).toMatch(/^wfr_live_/)
})

test('free accounts are told which plans have the hardening analysis, and are not charged', async () => {
  const { key } = await usual.signUp()
  for (const [method, path, request] of good.filter(([, at]) => at.includes('hardening'))) {
    const { status, body } = await usual.call(method, path, { ...request, key })
    expect({ status, body }).toMatchObject({
      status: 403,
      body: {
        success: false,
        code: 'plan_upgrade_required',
        requiredPlans: ['single_report', 'buyer_pack', 'pro', 'lifetime'],
      },
    })
  }
  const { headers } = await usual.call('get', '/v1/risk/county/06061', { key })
  expect(headers['x-ratelimit-remaining']).toBe('0')
})

describe.each(good)('%s %s', (method, path, request) => {
  const ask = (app: WildfireApp, change: TestRequest) => app.call(method, path, { ...request, ...change })

  test('answers every refusal with all headers and success false', async () => {
    const { key, email } = await usual.signUp('single_report')
    const answers = [
      await ask(usual, {}),
      await ask(usual, { headers: { Authorization: `Bearer ${key}` } }),
      await ask(usual, { key: `${key.slice(0, -1)}_` }),
      await usual.call('patch', path, { key }),
      await ask(usual, { key, headers: { Authorization: `Bearer ${(await usual.signUp()).key}` } }),
    ]
    await usual.operate('put', `/operator/accounts/${email}/suspended`, { suspended: true })
    answers.push(await ask(usual, { key }))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 405, 400, 403])
    expect(answers.map(({ body }) => body.success)).toEqual(answers.map(() => false))
  })

  test('costs a unit, and is refused when the quota is used up', async () => {
    const { key } = await usual.signUp('single_report')
    const remaining: unknown[] = []
    for (let at = 0; at < 5; at++)
      remaining.push((await ask(usual, { key })).headers['x-ratelimit-remaining'])
    expect(remaining).toEqual(['4', '3', '2', '1', '0'])
    expect(await ask(usual, { key })).toMatchObject({
      status: 429,
      body: { code: 'quota_exceeded', success: false },
    })
  })

  test('is refused by the burst limit', async () => {
    const { key } = await tight.signUp('pro')
    const statuses = new Set<number>()
    for (let at = 0; at < 6; at++) statuses.add((await ask(tight, { key })).status)
    expect([...statuses]).toEqual([200, 429])
  })

  test('says nothing of a fault inside', async () => {
    const { key } = await usual.signUp('pro')
    await sql`alter function pass_gate rename to pass_away`.execute(usual.database.db)
    try {
      expect(await ask(usual, { key })).toMatchObject({
        status: 500,
        body: { code: 'internal_error', success: false },
      })
    } finally {
      await sql`alter function pass_away rename to pass_gate`.execute(usual.database.db)
    }
  })
})

test('a query parameter that is not known is refused by every endpoint, and named', async () => {
  for (const [method, path, request] of good) {
    const { key } = await usual.signUp('pro')
    const target = `${path}${path.includes('?') ? '&' : '?'}nonsense=1`
    const { status, body } = await usual.call(method, target, { key, ...request })
    expect([path, status, body.errors]).toMatchObject([
      ...[path, 400, [{ parameter: 'nonsense', code: 'unknown_parameter' }]],
    ])
  }
})

test('every example, sent as it is, is answered with its status', async () => {
  const answers: string[] = []
  const expected: string[] = []
  for (const { id, method, path, access = 'metered', examples = [] } of operations) {
    if (access !== 'metered') continue
    for (const { name, status, body, params = {}, query = {} } of examples) {
      const { key } = await usual.signUp('pro')
      const target = path.replaceAll(/:(\w+)/g, (_, parameter: string) => params[parameter] ?? '')
      const search = new URLSearchParams(query).toString()
      const answer = await usual.call(method, `${target}${search && '?'}${search}`, {
        key,
        ...(body !== undefined && { body }),
      })
      answers.push(`${id}, ${name}: ${answer.status}`)
      expected.push(`${id}, ${name}: ${status}`)
    }
  }
  expect(expected.length).toBeGreaterThanOrEqual(8)
  expect(answers).toEqual(expected)
})

test('the description has the closed list of problems, what any request can be answered with, and examples that fit', async () => {
  const { body: document } = await supertest(usual.server).get('/openapi.json')
  const problems = { ...httpProblems, ...accountProblems, ...operatorProblems, ...wildfireProblems }
  expect(faultsOfDescription(document, Object.values(problems))).toEqual([])
})

test('the description compiles, names every route, and describes all that is sent', async () => {
  const { body: document } = await supertest(usual.server).get('/openapi.json')
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const paths = document.paths as Record<string, Record<string, DocumentedOperation>>
  for (const methods of Object.values(paths)) {
    for (const { parameters, responses } of Object.values(methods)) {
      for (const { schema, description } of parameters) {
        ajv.compile(schema)
        expect(description).toEqual(expect.any(String))
      }
      for (const { content = {} } of Object.values(responses)) {
        for (const { schema } of Object.values(content))
          if (!JSON.stringify(schema).includes('$ref')) ajv.compile(schema)
      }
    }
  }
  expect(
    Object.keys(paths['/v1/risk/county/{county_code}']?.['get']?.responses['200']?.content ?? {}),
  ).toEqual(['application/json', 'text/csv', 'application/geo+json'])
  expect(
    operations
      .map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'))
      .filter((path) => paths[path] === undefined),
  ).toEqual([])
})

test.each(['county_not_found', 'plan_upgrade_required'])('/errors/%s explains the code', async (code) => {
  const { status, text } = await supertest(usual.server).get(`/errors/${code}`)
  expect([status, text]).toEqual([200, expect.stringContaining(code)])
})

type DocumentedOperation = {
  parameters: { schema: object; description?: string }[]
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}
