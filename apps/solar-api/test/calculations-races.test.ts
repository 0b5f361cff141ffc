import fc from 'fast-check'
import { keptOfPlan } from '../src/calculation-limits.ts'
import { fill, save, saveRequest } from './saved.ts'
import { databaseOf, startSolar, type SolarApp } from './support.ts'

// Many requests at once, on cores that may be busy.
import.meta.jest.setTimeout(60_000)

describe.each([{ redis: false }, { redis: true }])('at once, with Redis: $redis', ({ redis }) => {
  let app: SolarApp
  beforeAll(async () => {
    app = await startSolar({ redis, settings: { burstPerSecond: 0, signupsPerHour: 0 } })
  })
  afterAll(() => app.close())

  test('as many are saved as there is room for, and only these cost a unit', async () => {
    const { key, tag } = await app.signUp('pro')
    const most = keptOfPlan['pro'] ?? 0
    await fill(app, tag, most - 7)

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        app.call('post', '/v1/calculations', { key, body: { ...saveRequest, name: `No. ${at}` } }),
      ),
    )

    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array<number>(7).fill(201), ...Array<number>(13).fill(403)])
    const { headers, body } = await app.call('get', '/v1/calculations?limit=100', { key })
    expect([body.data.total, body.data.calculations.length]).toEqual([most, most])
    expect(headers['x-ratelimit-remaining']).toBe(String(500 - 7 - 1))
  })

  test('of several new names one holds, and everybody reads the same', async () => {
    const { key } = await app.signUp('pro')
    const { id } = await save(app, key)
    const names = Array.from({ length: 10 }, (_, at) => `Name ${at}`)

    const answers = await Promise.all(
      names.map((name) => app.call('patch', `/v1/calculations/${id}`, { key, body: { name } })),
    )

    // Each is told the name that it gave.
    expect(answers.map(({ status, body }) => [status, body.data.name])).toEqual(
      names.map((name) => [200, name]),
    )
    const { body } = await app.call('get', `/v1/calculations/${id}`, { key })
    expect(names).toContain(body.data.name)
    const { body: list } = await app.call('get', '/v1/calculations', { key })
    expect(list.data.calculations).toMatchObject([{ id, name: body.data.name }])
  })

  test('of several deletions one finds it', async () => {
    const { key } = await app.signUp('pro')
    const { id } = await save(app, key)
    const path = `/v1/calculations/${id}`
    const requests = [...Array<string>(5).fill('delete'), ...Array<string>(5).fill('patch')].map((method) =>
      app.call(method, path, { key, ...(method === 'patch' && { body: { name: 'late' } }) }),
    )
    const answers = await Promise.all(requests)

    const deletions = answers.slice(0, 5).map(({ status }) => status)
    expect(deletions.toSorted()).toEqual([200, 404, 404, 404, 404])
    for (const { status } of answers.slice(5)) expect([200, 404]).toContain(status)
    expect((await app.call('get', path, { key })).status).toBe(404)
  })

  test('a save whose account is deleted meanwhile leaves nothing behind', async () => {
    const owner = await app.signUp('pro')
    const { body } = await app.call('post', '/v1/account/sessions', {
      body: { email: owner.email, password: owner.password },
    })
    const [deleted, ...saved] = await Promise.all([
      app.call('delete', '/v1/account', { session: body.data.token }),
      ...Array.from({ length: 8 }, () =>
        app.call('post', '/v1/calculations', { key: owner.key, body: saveRequest }),
      ),
    ])

    expect(deleted.status).toBe(200)
    for (const { status } of saved) expect([201, 401]).toContain(status)
    const rows = await databaseOf(app)
      .selectFrom('calculation')
      .select('id')
      .where('tag', '=', owner.tag)
      .execute()
    expect(rows).toEqual([])
  })
})

describe('GET /v1/calculations', () => {
  let app: SolarApp
  let key: string
  beforeAll(async () => {
    app = await startSolar({ settings: { burstPerSecond: 0, signupsPerHour: 0 } })
    key = (await app.signUp('api_business')).key
  })
  afterAll(() => app.close())

  test('shows the newest first', async () => {
    const ids: string[] = []
    for (let at = 0; at < 4; at++) {
      ids.unshift((await save(app, key, { name: `No. ${at}` })).id)
      // Ids are in order to the millisecond.
      await new Promise((done) => setTimeout(done, 3))
    }
    const { body } = await app.call('get', '/v1/calculations?limit=4', { key })
    expect(idsOf(body)).toEqual(ids)
    expect(body.data.calculations[0]).toEqual({
      ...{ id: ids[0], name: 'No. 3', kind: 'calculate', model: 'solar-v1', revision: 1 },
      ...{ createdAt: expect.any(String), calculatedAt: expect.any(String) },
    })
  })

  test('names the next page in Link, and there is none after the last', async () => {
    const { headers, body } = await app.call('get', '/v1/calculations?limit=3', { key })
    const link = `/v1/calculations?limit=3&cursor=${body.data.nextCursor}`
    expect(headers['link']).toBe(`<${link}>; rel="next"`)
    const next = await app.call('get', link, { key })
    expect([next.body.data.nextCursor, next.headers['link'], idsOf(next.body).length]).toEqual([
      null,
      undefined,
      1,
    ])
    const { body: exact } = await app.call('get', '/v1/calculations?limit=4', { key })
    expect(exact.data.nextCursor).toBeNull()
  })

  test.each([
    ['limit=0', 'limit', 'too_small'],
    ['limit=101', 'limit', 'too_large'],
    ['limit=x', 'limit', 'not_a_number'],
    ['cursor=x', 'cursor', 'wrong_format'],
    ['cursor=', 'cursor', 'empty'],
    ['page=2', 'page', 'unknown_parameter'],
  ])('%s is refused', async (search, parameter, code) => {
    const { status, body } = await app.call('get', `/v1/calculations?${search}`, { key })
    expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ parameter, code }] })
  })

  test('shows each calculation once, whatever is saved and deleted between the pages', async () => {
    const action = fc.constantFrom(
      'save' as const,
      'deleteLast' as const,
      'deleteFirst' as const,
      'deleteNext' as const,
    )
    const scenario = fc.record({
      count: fc.integer({ min: 1, max: 12 }),
      limit: fc.integer({ min: 1, max: 5 }),
      between: fc.array(fc.array(action, { maxLength: 2 }), { maxLength: 12 }),
    })
    await fc.assert(
      fc.asyncProperty(scenario, async ({ count, limit, between }) => {
        await clear()
        const all: string[] = []
        for (let at = 0; at < count; at++) all.push((await save(app, key)).id)
        const inOrder = all.toSorted().toReversed()
        const deleted = new Set<string>()
        const seen: string[] = []
        let path: string | undefined = `/v1/calculations?limit=${limit}`
        for (let page = 0; path !== undefined; page++) {
          const { headers, body }: Awaited<ReturnType<SolarApp['call']>> = await app.call('get', path, {
            key,
          })
          seen.push(...idsOf(body))
          path = /^<(.+)>; rel="next"$/.exec(headers['link'] ?? '')?.[1]
          for (const what of between[page] ?? []) await disturb(what, inOrder, seen, deleted)
        }
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen).toEqual(seen.toSorted().toReversed())
        // Whatever was there all the time was shown.
        const constant = inOrder.filter((id) => !deleted.has(id))
        expect(seen.filter((id) => constant.includes(id))).toEqual(constant)
      }),
      { numRuns: 15 },
    )
  })

  async function disturb(
    what: 'save' | 'deleteLast' | 'deleteFirst' | 'deleteNext',
    inOrder: readonly string[],
    seen: readonly string[],
    deleted: Set<string>,
  ): Promise<void> {
    if (what === 'save') {
      await save(app, key)
      return
    }
    const last = seen.at(-1) ?? ''
    const target = { deleteLast: last, deleteFirst: seen[0], deleteNext: inOrder.find((id) => id < last) }[
      what
    ]
    if (target === undefined || deleted.has(target)) return
    deleted.add(target)
    await app.call('delete', `/v1/calculations/${target}`, { key })
  }

  async function clear(): Promise<void> {
    await databaseOf(app).deleteFrom('calculation').execute()
  }
})

function idsOf(body: {
  readonly data: { readonly calculations: readonly { readonly id: string }[] }
}): string[] {
  return body.data.calculations.map(({ id }) => id)
}
