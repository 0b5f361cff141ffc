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
import { vehicleProblems } from '../src/problems.ts'
import { startVehicle, type VehicleApp } from './support.ts'

/** What is promised per plan. */
const promised = {
  free: ['Free', 100, 3_000],
  pro: ['Pro', 1_000, 30_000],
  business: ['Business', 10_000, 300_000],
} as const

/** A request of each endpoint of this service that is answered with a success. */
const good = [
  '/v1/vehicles',
  '/v1/vehicles/aldera',
  '/v1/vehicles/aldera/corvane',
  '/v1/vehicles/aldera/corvane/2018',
  '/v1/statistics/compare?vehicles=aldera/corvane/2018,aldera/tessaro/2018',
  '/v1/statistics/aldera/corvane',
  '/v1/statistics/aldera/corvane/trends',
  '/v1/complaints/aldera/corvane/2018',
  '/v1/complaints/aldera/corvane/2018/categories',
  '/v1/complaints/cmp_90000001',
  '/v1/methodology',
  '/v1/datasets',
]

let usual: VehicleApp
let tight: VehicleApp
/** Its smallest plan has two requests a day. */
let small: VehicleApp
let operations: readonly MountedOperation[]
/** Keys of two accounts of `usual`, on plans Free and Pro. */
let free: string
let pro: string

beforeAll(async () => {
  let express: Express | undefined
  const settings = { signupsPerHour: 0 }
  usual = await startVehicle({ settings, inspect: (made) => (express = made) })
  tight = await startVehicle({ settings: { ...settings, burstPerSecond: 1, failedAuthPerMinute: 3 } })
  small = await startVehicle({
    settings,
    plans: { free: { name: 'Free', daily: 2, monthly: 3, features: [] } },
  })
  if (express === undefined) throw new Error('The app was not made.')
  operations = indexRoutes(express).operations
  free = (await usual.signUp()).key
  pro = (await usual.signUp('pro')).key
}, 60_000)
afterAll(async () => {
  for (const app of [usual, tight, small]) await app.close()
})

test('the plans are the promised ones', () => {
  const rows = Object.entries(plans).map(([id, { name, daily, monthly }]) => [id, [name, daily, monthly]])
  expect(Object.fromEntries(rows)).toEqual(promised)
})

test.each(Object.keys(promised))('plan %s is charged against its own limits', async (plan) => {
  const [, daily, monthly] = promised[plan as keyof typeof promised]
  const { key } = await usual.signUp(plan)

  const { headers } = await usual.call('get', '/v1/vehicles', { key })
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
  expect(body.data.apiKey).toMatch(/^vhr_live_/)
})

test('the list of good requests has every metered operation', () => {
  const metered = operations.filter(({ access = 'metered' }) => access === 'metered')
  expect(metered).toHaveLength(good.length)
})

describe.each(good)('GET %s', (path) => {
  const ask = (app: VehicleApp, request: TestRequest) => app.call('get', path, request)

  test('answers every refusal with all headers and success false', async () => {
    const { key, email } = await usual.signUp()
    const answers = [
      await ask(usual, {}),
      await ask(usual, { headers: { 'X-API-Key': key } }),
      await ask(usual, { key: `${key.slice(0, -1)}_` }),
      await usual.call('patch', path, { key }),
      await ask(usual, { key, headers: { 'X-API-Key': pro } }),
    ]
    await usual.operate('put', `/operator/accounts/${email}/suspended`, { suspended: true })
    answers.push(await ask(usual, { key }))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 405, 400, 403])
    expect(answers.map(({ body }) => body.success)).toEqual(answers.map(() => false))
    expect(answers[1]?.body.detail).toBe(
      'The key came in X-API-Key; this deployment takes it in the header `Authorization: Bearer KEY`.',
    )
    expect(answers[0]?.headers['www-authenticate']).toBe('Bearer realm="vehicle"')
    expect(answers[2]?.headers['www-authenticate']).toBe('Bearer realm="vehicle", error="invalid_token"')
  })

  test('costs a unit, is confirmed for nothing, and is refused when the quota is used up', async () => {
    const { key } = await small.signUp()
    const first = await ask(small, { key })
    const same = { key, headers: { 'If-None-Match': first.headers['etag'] ?? '' } }
    const answers = [first, await ask(small, same), await ask(small, { key })]
    answers.push(await ask(small, { key }), await ask(small, same))
    const remaining = answers.map(({ status, headers }) => [status, headers['x-ratelimit-remaining']])
    expect(remaining).toEqual([
      [200, '1'],
      [304, '1'],
      [200, '0'],
      [429, '0'],
      [304, '0'],
    ])
    expect(answers[3]?.body).toMatchObject({ code: 'quota_exceeded', success: false })
  })

  test('is private, and its ETag is of the address and the plan', async () => {
    const key = free
    const { headers } = await ask(usual, { key })
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'Accept, Authorization',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
    expect((await ask(usual, { key })).headers['etag']).toBe(headers['etag'])
    expect((await ask(usual, { key: pro })).headers['etag']).not.toBe(headers['etag'])
    const weak = { key, headers: { 'If-None-Match': `"other", W/${headers['etag']}` } }
    expect((await ask(usual, weak)).status).toBe(304)
    expect((await ask(usual, { key, headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
    expect((await ask(usual, { key, headers: { 'If-None-Match': '*' } })).status).toBe(304)
  })

  test('is refused by the burst limit', async () => {
    const { key } = await tight.signUp('pro')
    const statuses = new Set<number>()
    for (let at = 0; at < 6; at++) statuses.add((await ask(tight, { key })).status)
    expect([...statuses]).toEqual([200, 429])
  })

  test('says nothing of a fault inside', async () => {
    await sql`alter table account rename to account_away`.execute(usual.database.db)
    try {
      expect(await ask(usual, { key: pro })).toMatchObject({
        status: 500,
        body: { code: 'internal_error', success: false },
      })
    } finally {
      await sql`alter table account_away rename to account`.execute(usual.database.db)
    }
  })
})

test('what is unknown or malformed costs nothing', async () => {
  const { key } = await small.signUp()
  for (const path of ['/v1/vehicles/nonesuch', '/v1/complaints/abc', '/v1/complaints/cmp_1', '/v1/nothing'])
    expect([400, 404]).toContain((await small.call('get', path, { key })).status)
  expect((await small.call('get', '/v1/vehicles', { key })).headers['x-ratelimit-remaining']).toBe('1')
})

test('a key in the query string is refused, and told where it belongs', async () => {
  const { status, body } = await usual.call('get', `/v1/vehicles?api_key=${free}`)
  expect([status, body.code]).toEqual([401, 'missing_api_key'])
  expect(body.detail).toContain('Authorization: Bearer KEY')
  expect(JSON.stringify(body)).not.toContain(free)
})

test('a query parameter that is not known is refused by every endpoint, and named', async () => {
  for (const path of good) {
    const { status, body } = await usual.call('get', `${path}${path.includes('?') ? '&' : '?'}nonsense=1`, {
      key: free,
    })
    expect([path, status, body.code]).toEqual([path, 400, 'validation_failed'])
    expect(body.errors).toEqual([
      {
        parameter: 'nonsense',
        code: 'unknown_parameter',
        detail: expect.stringContaining('query parameter'),
      },
    ])
  }
  for (const path of ['/livez', '/readyz', '/openapi.json', '/docs', '/errors/quota_exceeded'])
    expect([path, (await supertest(usual.server).get(`${path}?nonsense=1`)).status]).toEqual([path, 200])
})

test('every example, sent as it is, is answered with its status', async () => {
  const answers: string[] = []
  const expected: string[] = []
  for (const { id, method, path, access = 'metered', examples = [] } of operations) {
    if (access !== 'metered') continue
    expect([id, examples.length]).not.toEqual([id, 0])
    for (const { name, status, params = {}, query = {} } of examples) {
      const target = path.replaceAll(/:(\w+)/g, (_, parameter: string) => params[parameter] ?? '')
      const search = new URLSearchParams(query).toString()
      const answer = await usual.call(method, `${target}${search && '?'}${search}`, { key: pro })
      answers.push(`${id}, ${name}: ${answer.status}`)
      expected.push(`${id}, ${name}: ${status}`)
    }
  }
  expect(answers).toEqual(expected)
})

test('the description has the closed list of problems, what any request can be answered with, and examples that fit', async () => {
  const { body: document } = await supertest(usual.server).get('/openapi.json')
  const problems = { ...httpProblems, ...accountProblems, ...operatorProblems, ...vehicleProblems }
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
  const complaints = paths['/v1/complaints/{make}/{model}/{year}']?.['get']
  expect(Object.keys(complaints?.responses['200']?.content ?? {})).toEqual(['application/json', 'text/csv'])
  expect(
    operations
      .map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'))
      .filter((path) => paths[path] === undefined),
  ).toEqual([])
  expect(document.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' })
})

test('every field of the vehicle answers is described', async () => {
  const { body: document } = await supertest(usual.server).get('/openapi.json')
  const paths = document.paths as Record<string, Record<string, DocumentedOperation>>
  const undescribed = operations
    .filter(({ access = 'metered' }) => access === 'metered')
    .flatMap(({ path }) => {
      const template = path.replaceAll(/:(\w+)/g, '{$1}')
      const schema = paths[template]?.['get']?.responses['200']?.content?.['application/json']?.schema
      return leavesWithoutDescription(schema, template)
    })
  expect(undescribed.filter((place) => !place.endsWith('.success'))).toEqual([])
})

test.each(['vehicle_not_found', 'complaint_not_found'])('/errors/%s explains the code', async (code) => {
  const { status, text } = await supertest(usual.server).get(`/errors/${code}`)
  expect([status, text]).toEqual([200, expect.stringContaining(code)])
})

/** Fields that hold a value and say nothing of it. */
function leavesWithoutDescription(schema: unknown, place: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties, items, anyOf } = schema as Record<string, object>
  const inner = [
    ...Object.entries(properties ?? {}).map(([name, value]) => [`${place}.${name}`, value] as const),
    ...(items === undefined ? [] : [[`${place}[]`, items] as const]),
    ...Object.values(anyOf ?? {}).map((value) => [place, value as object] as const),
  ]
  if (inner.length > 0 && !('description' in schema && anyOf !== undefined))
    return inner.flatMap(([at, value]) => leavesWithoutDescription(value, at))
  return 'description' in schema ? [] : [place]
}

type DocumentedOperation = {
  parameters: { schema: object; description?: string }[]
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}
