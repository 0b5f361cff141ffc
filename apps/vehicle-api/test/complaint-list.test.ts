import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { sorts, writeCursor, type ListName, type Sort } from '../src/complaint-cursor.ts'
import { categories, type Category } from '../src/model/category.ts'
import type { FixtureComplaint } from './fixture-data.ts'
import { roomyPlans, startVehicle, type VehicleApp } from './support.ts'

let app: VehicleApp
let key: string

beforeAll(async () => {
  app = await startVehicle({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
  key = (await app.signUp()).key
})
afterAll(() => app.close())

const path = '/v1/complaints/aldera/corvane/2018'
const ask = (search: string, headers: Readonly<Record<string, string>> = {}) =>
  app.call('get', `${path}?${search}`, { key, headers })

type Filter = { readonly category?: Category; readonly min_mileage?: number; readonly max_mileage?: number }

describe('pages', () => {
  const filters = fc
    .record(
      {
        category: fc.constantFrom(...categories),
        min_mileage: fc.integer({ min: 0, max: 60 }).map((thousands) => thousands * 1_000),
        max_mileage: fc.integer({ min: 0, max: 61 }).map((thousands) => thousands * 1_000 + 1),
      },
      { requiredKeys: [] },
    )
    .filter(({ min_mileage = 0, max_mileage = Infinity }) => min_mileage <= max_mileage)

  test.each(sorts)(
    'sorted by %s hold every complaint that matches once, in order, by page and by cursor',
    async (sort) => {
      await fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 4, max: 100 }), async (filter, limit) => {
          const expected = select(filter, sort).map(({ id }) => id)
          expect(await walk(filter, sort, limit, byPage)).toEqual({ ids: expected, total: expected.length })
          expect(await walk(filter, sort, limit, byCursor)).toEqual({ ids: expected, total: expected.length })
        }),
        {
          numRuns: 60,
          examples: [
            [{}, 4],
            [{}, 35],
            [{ category: 'engine' }, 4],
            [{ min_mileage: 1_000 }, 7],
          ],
        },
      )
    },
    60_000,
  )

  test('can be gone on from by cursor whichever way the first was reached', async () => {
    const { body } = await ask('sort=mileage_desc&limit=20&page=2')
    const { body: next } = await ask(`sort=mileage_desc&limit=20&cursor=${body.meta.nextCursor}`)
    const { body: third } = await ask('sort=mileage_desc&limit=20&page=3')
    expect(next.data).toEqual(third.data)
    expect(next.meta).toMatchObject({ page: 3, limit: 20, total: 70, hasMore: true })
  })

  test('are 20 long and the newest first unless told', async () => {
    const { body } = await ask('')
    const { body: told } = await ask('sort=date_desc&page=1&limit=20')
    expect(body.meta).toEqual({
      ...{ page: 1, limit: 20, total: 70, hasMore: true, nextCursor: expect.any(String) },
      ...{ data_version: 1, data_vintage: '2024-12-31', sample: false },
    })
    expect(body).toEqual(told)
    expect(body.data.complaints).toHaveLength(20)
  })

  test('after the last one are empty', async () => {
    const { status, body } = await ask('page=5')
    expect([status, body.data.complaints]).toEqual([200, []])
    expect(body.meta).toMatchObject({ page: 5, total: 70, hasMore: false, nextCursor: null })
  })

  test('name the next one in Link', async () => {
    const { headers } = await ask('category=engine&page=1&limit=5')
    const next = /^<(.+)>; rel="next"$/.exec(headers['link'] ?? '')?.[1] ?? ''
    const { body } = await app.call('get', next, { key })
    const expected = select({ category: 'engine' }, 'date_desc').slice(5, 10)
    expect((body.data.complaints as FixtureComplaint[]).map(({ id }) => id)).toEqual(
      expected.map(({ id }) => id),
    )
    expect((await ask('page=4')).headers['link']).toBeUndefined()
  })

  test('are bounded: beyond 10,000 complaints only a cursor leads', async () => {
    expect((await ask('page=100&limit=100')).status).toBe(200)
    expect((await ask('page=500')).status).toBe(200)
    for (const search of ['page=101&limit=100', 'page=501', 'page=1000000000']) {
      const { status, body } = await ask(search)
      expect([status, body.errors[0]]).toMatchObject([400, { parameter: 'page', code: 'too_large' }])
      expect(body.detail).toContain('nextCursor')
    }
  })
})

describe('filters', () => {
  test('by mileage leave out complaints without one, also when they allow everything', async () => {
    const known = complaints().filter(({ mileage }) => mileage !== null)
    expect((await ask('min_mileage=0')).body.meta.total).toBe(known.length)
    expect((await ask('max_mileage=10000000')).body.meta.total).toBe(known.length)
    expect(known.length).toBeLessThan(complaints().length)
  })

  test.each(categories)('by category %s are accepted', async (category) => {
    const { body } = await ask(`category=${category}&limit=100`)
    const listed = body.data.complaints as FixtureComplaint[]
    expect(listed.every((one) => one.category === category)).toBe(true)
    expect(body.meta.total).toBe(select({ category }, 'date_desc').length)
  })

  test('that nothing matches are answered with an empty list', async () => {
    const { status, body } = await app.call('get', '/v1/complaints/aldera/minnow/2017?category=brakes', {
      key,
    })
    expect([status, body.data.complaints, body.meta.total]).toEqual([200, [], 0])
  })
})

test.each([
  ['category=wheels', 'category', 'not_allowed', 'engine, transmission'],
  ['sort=price', 'sort', 'not_allowed', 'mileage_asc'],
  ['min_mileage=5000&max_mileage=4999', 'min_mileage', 'too_large', 'max_mileage 4999'],
  ['min_mileage=-1', 'min_mileage', 'too_small', '0'],
  ['max_mileage=1.5', 'max_mileage', 'not_an_integer', 'integer'],
  ['page=0', 'page', 'too_small', '1'],
  ['page=1.5', 'page', 'not_an_integer', 'integer'],
  ['limit=0', 'limit', 'too_small', '1'],
  ['limit=101', 'limit', 'too_large', '100'],
  ['limit=1e309', 'limit', 'too_large', 'limit'],
  ['limit=', 'limit', 'not_a_number', 'number'],
  ['page=2&cursor=abc', 'page', 'not_allowed', 'cursor'],
  ['cursor=abc', 'cursor', 'wrong_format', 'nextCursor'],
  [`cursor=${cursorOf(['date_asc', 1, '2020-01-01', 'cmp_1'])}`, 'cursor', 'wrong_format', 'date_asc'],
  [`cursor=${cursorOf(['date_desc', 1, '2020-01-01', 'cmp_1'])}`, 'cursor', 'wrong_format', 'nextCursor'],
  ['catgory=engine', 'catgory', 'unknown_parameter', 'category'],
])('%s is refused with a sentence that helps', async (search, parameter, code, hint) => {
  const { status, body } = await ask(search)
  expect([status, body.code, body.success]).toEqual([400, 'validation_failed', false])
  expect(body.errors).toMatchObject([{ parameter, code }])
  expect(body.detail).toContain(hint)
})

describe('cursors', () => {
  const nextOf = async (search: string) => (await ask(search)).body.meta.nextCursor as string

  test.each([
    ['another vehicle', '/v1/complaints/aldera/minnow/2017?limit=1', 'limit=5'],
    ['another year', '/v1/complaints/aldera/corvane/2017?limit=1', 'limit=5'],
    ['another category', `${path}?limit=1&category=engine`, 'category=brakes'],
    ['all categories', `${path}?limit=1`, 'category=engine'],
    ['another filter by mileage', `${path}?limit=1&min_mileage=10`, 'min_mileage=11'],
  ])('of a list of %s are refused', async (_, other, search) => {
    const { body } = await app.call('get', other, { key })
    const { status, body: refused } = await ask(`${search}&cursor=${body.meta.nextCursor}`)
    expect([status, refused.errors]).toMatchObject([
      400,
      [{ parameter: 'cursor', code: 'wrong_format', detail: expect.stringContaining('same vehicle and') }],
    ])
  })

  test('are of a list whatever its spelling, its page length and the order of its parameters', async () => {
    const cursor = await nextOf('limit=1&category=engine&min_mileage=0')
    const { status } = await app.call(
      'get',
      `/v1/complaints/ALDERA/Corvane/2018?cursor=${cursor}&min_mileage=0&limit=7&category=engine`,
      { key },
    )
    expect(status).toBe(200)
  })

  test('that were altered are answered with a page or refused, and never trouble the database', async () => {
    const values = fc.oneof(
      fc.constantFrom('0000-01-01', '9999-12-31', '0001-01-01', '5.5', 'NaN', 'a\0', '\ud800', 2 ** 31, -0),
      fc.integer({ min: -10, max: 11_000_000 }),
      fc.double(),
      fc.string({ unit: 'binary' }),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
    )
    const altered = fc.record({
      sort: fc.constantFrom(...sorts),
      minMileage: fc.option(fc.constantFrom(0, 5_000), { nil: undefined }),
      page: fc.oneof(fc.constant(1), fc.maxSafeInteger(), fc.double()),
      value: values,
      id: fc.oneof(fc.constantFrom('cmp_1', 'cmp_9999999999-9999', 'cmp_1\0'), fc.string()),
    })
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(altered, async ({ sort, minMileage, page, value, id }) => {
        const model = { key: 'corvane', make: { key: 'aldera' } }
        const list: ListName = {
          model,
          year: 2018,
          sort,
          ...(minMileage === undefined ? {} : { minMileage }),
        }
        const search = new URLSearchParams({ sort, cursor: writeCursor(list, { page, value, id }) })
        if (minMileage !== undefined) search.set('min_mileage', String(minMileage))
        const { status } = await ask(search.toString())
        statuses.add(status)
        expect([200, 400]).toContain(status)
      }),
      { numRuns: 400 },
    )
    expect([...statuses].toSorted()).toEqual([200, 400])
  })
})

test('CSV has a line per complaint, and no text in it is a formula', async () => {
  const { port } = app.server.address() as { port: number }
  const response = await fetch(`http://127.0.0.1:${port}${path}?limit=100`, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
  })
  const rows = parse<Record<string, string>>(await response.text(), { columns: true })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
  expect(rows).toHaveLength(70)
  expect(rows[0]).toMatchObject({ make: 'Aldera', model: 'Corvane', year: '2018', crash: expect.any(String) })
  const texts = new Set(rows.map(({ description }) => description))
  expect(texts.size).toBe(3)
  expect([...texts].filter((text) => text?.startsWith('='))).toEqual([])
  expect(rows.filter(({ mileage }) => mileage === '')).toHaveLength(
    complaints().filter(({ mileage }) => mileage === null).length,
  )
})

function complaints(): FixtureComplaint[] {
  return app.complaints.filter(({ model, year }) => model === 'corvane' && year === 2018)
}

/** What should be answered, the plain way. */
function select({ category, min_mileage: min, max_mileage: max }: Filter, sort: Sort): FixtureComplaint[] {
  const isWithin = (mileage: number | null) =>
    (min === undefined && max === undefined) ||
    (mileage !== null && mileage >= (min ?? 0) && mileage <= (max ?? Infinity))
  return complaints()
    .filter((one) => (category === undefined || one.category === category) && isWithin(one.mileage))
    .toSorted(orders[sort])
}

type Order = (a: FixtureComplaint, b: FixtureComplaint) => number
const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
const byDate: Order = (a, b) => compare(a.date_reported, b.date_reported) || compare(a.id, b.id)
const byMileage =
  (direction: 1 | -1): Order =>
  (a, b) => {
    if (a.mileage === null || b.mileage === null)
      return Number(a.mileage === null) - Number(b.mileage === null) || byDate(b, a)
    return direction * (compare(a.mileage, b.mileage) || compare(a.id, b.id))
  }
const orders: Readonly<Record<Sort, Order>> = {
  date_asc: byDate,
  date_desc: (a, b) => byDate(b, a),
  mileage_asc: byMileage(1),
  mileage_desc: byMileage(-1),
}

type Meta = { readonly page: number; readonly total: number; readonly nextCursor: string }
const byPage = ({ page }: Meta) => `&page=${page + 1}`
const byCursor = ({ nextCursor }: Meta) => `&cursor=${nextCursor}`

/** Reads page after page until there are no more. */
async function walk(filter: Filter, sort: Sort, limit: number, next: (meta: Meta) => string) {
  const search = new URLSearchParams({ sort, limit: String(limit) })
  for (const [name, value] of Object.entries(filter)) search.set(name, String(value))
  const ids: string[] = []
  const totals = new Set<number>()
  let place = ''
  for (let page = 1; ; page++) {
    const { body } = await ask(`${search.toString()}${place}`)
    expect(body.meta).toMatchObject({ page, limit })
    ids.push(...(body.data.complaints as FixtureComplaint[]).map(({ id }) => id))
    totals.add(body.meta.total)
    expect(body.meta.nextCursor === null).toBe(!body.meta.hasMore)
    if (!body.meta.hasMore) break
    place = next(body.meta)
  }
  expect(totals.size).toBe(1)
  return { ids, total: [...totals][0] }
}

function cursorOf(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}
