import { keptOfPlan } from '../src/calculation-limits.ts'
import { plans } from '../src/plans.ts'
import { fill, requestsFor, save, saveRequest, textOf } from './saved.ts'
import { databaseOf, startSolar, type SolarApp } from './support.ts'

let app: SolarApp
let key: string
let other: string

beforeAll(async () => {
  app = await startSolar({ settings: { burstPerSecond: 0, signupsPerHour: 0 } })
  key = (await app.signUp('api_business')).key
  other = (await app.signUp('pro')).key
})
afterAll(() => app.close())

const ask = (method: string, path: string, body?: object) =>
  app.call(method, path, { key, ...(body !== undefined && { body }) })

describe('calculations of others', () => {
  test('are answered as those that do not exist, byte for byte', async () => {
    const { id } = await save(app, key)
    const unknown = `calc_${'0'.repeat(26)}`
    for (const [method, path, body] of requestsFor(id)) {
      const request = { method: method.toUpperCase(), ...(body && { body: JSON.stringify(body) }) }
      const foreign = await textOf(app, path, other, request)
      const none = await textOf(app, path.replace(id, unknown), other, request)
      expect(foreign.status).toBe(404)
      expect(withoutIds(foreign, id)).toEqual(withoutIds(none, unknown))
    }
    expect((await ask('get', `/v1/calculations/${id}`)).status).toBe(200)
  })

  test.each(['x', 'calc_', `calc_${'0'.repeat(25)}I`, '%00', `calc_${'0'.repeat(25)}'`, '..%2F..'])(
    'the id %j is none',
    async (id) => {
      for (const [method, path, body] of requestsFor(id)) {
        expect((await ask(method, path, body)).status).toBe(404)
      }
    },
  )
})

describe('an answer that the client has', () => {
  test('is not sent again, costs nothing, and is sent when it has changed', async () => {
    const { id } = await save(app, other)
    for (const path of [
      `/v1/calculations/${id}`,
      `/v1/calculations/${id}/cash-flow.csv`,
      '/v1/calculations',
    ]) {
      const first = await app.call('get', path, { key: other })
      const headers = { 'If-None-Match': first.headers['etag'] ?? '' }
      const again = await app.call('get', path, { key: other, headers })
      expect([again.status, again.headers['x-ratelimit-remaining']]).toEqual([
        304,
        first.headers['x-ratelimit-remaining'],
      ])
      expect(first.headers['cache-control']).toBe('private, no-cache')
      if (path.endsWith('csv')) continue
      await app.call('patch', `/v1/calculations/${id}`, { key: other, body: { name: path } })
      expect((await app.call('get', path, { key: other, headers })).status).toBe(200)
    }
  })
})

test('without a unit left nothing is saved, changed, run or deleted, whatever the client says it has', async () => {
  const small = await startSolar({
    plans: {
      ...plans,
      pro: { ...plans.free, name: 'Pro', daily: 2, features: plans['pro']?.features ?? [] },
    },
  })
  try {
    const { key: own, tag } = await small.signUp('pro')
    const { id } = await save(small, own)
    const { headers } = await small.call('get', `/v1/calculations/${id}`, { key: own })
    const known = { 'If-None-Match': headers['etag'] ?? '' }
    const changes = [
      ...requestsFor(id).filter(([method]) => method !== 'get'),
      ['post', '/v1/calculations', saveRequest] as const,
      ['post', '/v1/calculate/monte-carlo', saveRequest.input] as const,
    ]
    for (const [method, path, body] of changes) {
      const { status } = await small.call(method, path, { key: own, headers: known, ...(body && { body }) })
      expect([method, path, status]).toEqual([method, path, 429])
    }
    const rows = await databaseOf(small)
      .selectFrom('calculation')
      .selectAll()
      .where('tag', '=', tag)
      .execute()
    expect(rows).toMatchObject([{ id, name: 'South roof', revision: 1 }])
    const { status } = await small.call('get', `/v1/calculations/${id}`, { key: own, headers: known })
    expect(status).toBe(304)
  } finally {
    await small.close()
  }
})

describe('plans', () => {
  test('every paid plan keeps some, and the larger plans more', () => {
    const paid = Object.keys(plans).filter((plan) => plans[plan]?.features.includes('savedCalculations'))
    expect(Object.keys(keptOfPlan)).toEqual(paid)
    expect(Object.values(keptOfPlan)).toEqual([50, 500, 500, 5000])
  })

  test('free accounts are told which plans save calculations, whatever they ask', async () => {
    const { key: free } = await app.signUp()
    const all = [
      ...requestsFor(`calc_${'0'.repeat(26)}`),
      ['get', '/v1/calculations'],
      ['post', '/v1/calculations', saveRequest],
    ] as const
    for (const [method, path, body] of all) {
      const {
        status,
        headers,
        body: answer,
      } = await app.call(method, path, { key: free, ...(body && { body }) })
      expect({ method, path, status, answer }).toMatchObject({
        status: 403,
        answer: { code: 'plan_upgrade_required', requiredPlans: Object.keys(keptOfPlan) },
      })
      expect(headers['x-ratelimit-remaining']).toBe('50')
    }
  })

  test('whoever leaves a paid plan can still read, export and delete, but not add or change', async () => {
    const owner = await app.signUp('pro')
    const { id } = await save(app, owner.key)
    await app.operate('put', `/operator/accounts/${owner.email}/plan`, { plan: 'free' })

    const statuses: Record<string, number> = {}
    for (const [method, path, body] of [
      ...requestsFor(id),
      ['get', '/v1/calculations', undefined] as const,
    ]) {
      if (method === 'delete') continue
      const answer = await app.call(method, path, { key: owner.key, ...(body && { body }) })
      statuses[`${method} ${path.replace(id, '')}`] = answer.status
    }
    expect(statuses).toEqual({
      'get /v1/calculations/': 200,
      'get /v1/calculations//cash-flow.csv': 200,
      'patch /v1/calculations/': 403,
      'post /v1/calculations//rerun': 403,
      'get /v1/calculations': 200,
    })
    expect((await app.call('post', '/v1/calculations', { key: owner.key, body: saveRequest })).status).toBe(
      403,
    )
    expect((await app.call('delete', `/v1/calculations/${id}`, { key: owner.key })).status).toBe(200)
    expect((await app.call('get', '/v1/calculations', { key: owner.key })).status).toBe(403)
  })

  test('a full plan names the plans that keep more; the largest one asks to delete', async () => {
    for (const [plan, status, code, requiredPlans] of [
      ['pro', 403, 'plan_upgrade_required', ['developer', 'api_starter', 'api_business']],
      ['api_starter', 403, 'plan_upgrade_required', ['api_business']],
      ['api_business', 400, 'validation_failed', undefined],
    ] as const) {
      const owner = await app.signUp(plan)
      await fill(app, owner.tag, keptOfPlan[plan] ?? 0)
      const { key: full } = owner
      const answer = await app.call('post', '/v1/calculations', { key: full, body: saveRequest })
      expect(answer).toMatchObject({ status, body: { code } })
      expect(answer.body.requiredPlans).toEqual(requiredPlans)
      expect(answer.body.detail).toMatch(/Delete one that is no longer needed/)
      const { body } = await app.call('get', '/v1/calculations?limit=1', { key: full })
      expect(body.data).toMatchObject({ total: keptOfPlan[plan], capacity: keptOfPlan[plan] })

      const [{ id }] = body.data.calculations
      await app.call('delete', `/v1/calculations/${id}`, { key: full })
      expect((await app.call('post', '/v1/calculations', { key: full, body: saveRequest })).status).toBe(201)
    }
  })
})

/** An answer without what differs between any two answers. */
function withoutIds({ status, headers, text }: Awaited<ReturnType<typeof textOf>>, id: string) {
  const names = [...headers.keys()].filter((name) => !/date|ratelimit|request-id/.test(name))
  return {
    status,
    headers: Object.fromEntries(names.map((name) => [name, headers.get(name)])),
    names: [...headers.keys()],
    text: text.replaceAll(id, 'ID').replace(/req_\w+/, 'REQUEST'),
  }
}
