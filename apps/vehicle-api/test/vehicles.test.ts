import { categories } from '../src/model/category.ts'
import type { FixtureComplaint } from './fixture-data.ts'
import { roomyPlans, startVehicle, type VehicleApp } from './support.ts'

let app: VehicleApp
let key: string

beforeAll(async () => {
  app = await startVehicle({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
  key = (await app.signUp()).key
})
afterAll(() => app.close())

const ask = (path: string) => app.call('get', path, { key })
const slugsOf = (list: readonly { slug: string }[]) => list.map(({ slug }) => slug)
const of = (model: string, year?: number) =>
  app.complaints.filter((one) => one.model === model && (year === undefined || one.year === year))

describe('GET /v1/vehicles', () => {
  test('lists the makes by name with their models', async () => {
    const { body } = await ask('/v1/vehicles')
    expect(slugsOf(body.data.makes)).toEqual(['aldera', 'chevrolet', 'ford', 'mercedes-benz', 'volkswagen'])
    expect(body.data.makes[0]).toEqual({ name: 'Aldera', slug: 'aldera', model_count: 4 })
    expect(body.meta.total).toBe(5)
  })
})

describe('GET /v1/vehicles/{make}', () => {
  test('lists the models by name; one with few complaints and no recall is left out', async () => {
    const { body } = await ask('/v1/vehicles/aldera')
    expect(body.data).toEqual({
      make: 'Aldera',
      slug: 'aldera',
      models: [
        { name: 'Corvane', slug: 'corvane', years: [2014, 2020], complaint_count: 490 },
        { name: 'Quillon', slug: 'quillon', years: [2020, 2020], complaint_count: 0 },
        { name: 'Rarissimo-200', slug: 'rarissimo-200', years: [2015, 2016], complaint_count: 12 },
        { name: 'Tessaro', slug: 'tessaro', years: [2016, 2019], complaint_count: 100 },
      ],
    })
    expect(body.meta.total).toBe(4)
    const { body: minnow } = await ask('/v1/vehicles/aldera/minnow')
    expect(minnow.data).toMatchObject({ total_complaints: 3, confidence: 'insufficient_data' })
  })
})

describe('GET /v1/vehicles/{make}/{model}', () => {
  test('adds up: years to the total, and percentages to what the complaints are about', async () => {
    const { body } = await ask('/v1/vehicles/aldera/corvane')
    const { year_breakdown: years, most_common_issues: issues, total_complaints: total } = body.data
    expect(total).toBe(490)
    expect(sum((years as { complaints: number }[]).map(({ complaints }) => complaints))).toBe(490)
    expect((years as { year: number }[]).map(({ year }) => year)).toEqual(body.data.years_available)
    const counts = categories.map(
      (category) => of('corvane').filter((one) => one.category === category).length,
    )
    const expected = counts.toSorted((a, b) => b - a).slice(0, 5)
    expect((issues as { count: number }[]).map(({ count }) => count)).toEqual(expected)
    expect((issues as { percentage: number }[]).map(({ percentage }) => percentage)).toEqual(
      expected.map((count) => Math.round((1000 * count) / 490) / 10),
    )
  })

  test.each([
    ['vw/golf', 'volkswagen', 'golf'],
    ['VW/Golf', 'volkswagen', 'golf'],
    ['chevy/silverado-1500', 'chevrolet', 'silverado-1500'],
    ['ford/f150', 'ford', 'f-150'],
    ['ford/F%20150', 'ford', 'f-150'],
    ['mercedes/c-class', 'mercedes-benz', 'c-class'],
    ['mercedes/c300', 'mercedes-benz', 'c-class'],
    ['aldera/corvane-hybrid', 'aldera', 'corvane'],
  ])('%s is %s/%s', async (path, make_slug, model_slug) => {
    const { status, body } = await ask(`/v1/vehicles/${path}`)
    expect([status, body.data]).toMatchObject([200, { make_slug, model_slug, slug: model_slug }])
  })
})

describe('GET /v1/vehicles/{make}/{model}/{year}', () => {
  test('counts what the complaints say', async () => {
    const { body } = await ask('/v1/vehicles/aldera/corvane/2018')
    const own = of('corvane', 2018)
    const miles = own.flatMap(({ mileage }) => mileage ?? [])
    expect(body.data).toMatchObject({
      ...{ make: 'Aldera', model: 'Corvane', year: 2018, exposure_basis: 'sales' },
      complaint_summary: {
        total: 70,
        categories: Object.fromEntries(
          categories.map((name) => [name, own.filter(({ category }) => category === name).length]),
        ),
      },
      average_mileage_at_failure: Math.round(sum(miles) / miles.length),
      complaints_with_mileage: miles.length,
      crashes: own.filter(({ crash }) => crash).length,
      fires: own.filter(({ fire }) => fire).length,
      injuries: sum(own.map(({ injuries }) => injuries)),
      deaths: sum(own.map(({ deaths }) => deaths)),
      recall_count: 2,
    })
    const { reliability_score: score, score_low: low, score_high: high } = body.data
    expect([low <= score, score <= high]).toEqual([true, true])
    expect(body.data.common_issues).toEqual([
      {
        ...{ id: 'iss_1', category: 'engine', description: 'oil leak (20 reports)' },
        ...{ frequency: 'very_common', avg_repair_cost: 812.5, repair_cost_estimated: false },
        report_count: 20,
      },
      expect.objectContaining({ id: 'iss_2', frequency: 'occasional', avg_repair_cost: null }),
    ])
  })

  test('includes only what is asked for', async () => {
    const added = ['complaints', 'recalls', 'ratings']
    const fieldsWith = async (search: string) => {
      const { body } = await ask(`/v1/vehicles/aldera/corvane/2018${search}`)
      return added.filter((name) => name in body.data)
    }
    expect(await fieldsWith('')).toEqual([])
    for (const name of added) expect(await fieldsWith(`?include=${name}`)).toEqual([name])
    expect(await fieldsWith('?include=ratings,%20complaints,ratings')).toEqual(['complaints', 'ratings'])
  })

  test('includes the 10 latest complaints, the recalls and the ratings', async () => {
    const { body } = await ask('/v1/vehicles/aldera/corvane/2018?include=complaints,recalls,ratings')
    const { body: list } = await ask('/v1/complaints/aldera/corvane/2018?limit=10')
    expect(body.data.complaints).toEqual(list.data.complaints)
    expect(body.data.recalls).toMatchObject([
      { campaign_number: '19V001000', date_received: '2019-01-10', units_affected: null },
      {
        ...{ campaign_number: '18V123000', units_affected: 12_000, do_not_drive: true },
        components: ['ENGINE', 'FUEL SYSTEM, GASOLINE'],
      },
    ])
    expect(body.data.ratings).toMatchObject([
      { variant: 'Corvane AWD', overall_stars: 5, rollover_stars: null, curb_weight_lb: 3_300 },
      { variant: 'Corvane FWD', overall_stars: 4, static_stability_factor: 1.4 },
    ])
  })

  test.each(['include=parts', 'include=complaints,', 'include=recalls;ratings', 'include=Recalls'])(
    'refuses %s and names what can be included',
    async (search) => {
      const { status, body } = await ask(`/v1/vehicles/aldera/corvane/2018?${search}`)
      expect([status, body.errors[0]]).toMatchObject([400, { parameter: 'include', code: 'not_allowed' }])
      expect(body.detail).toContain('complaints, recalls, ratings')
    },
  )
})

describe('a vehicle that is known and has no complaints', () => {
  test.each([
    ['/v1/vehicles/aldera/quillon', { total_complaints: 0, most_common_issues: [], years_available: [2020] }],
    [
      '/v1/vehicles/aldera/quillon/2020?include=complaints,recalls,ratings',
      {
        ...{ complaint_summary: { total: 0 }, average_mileage_at_failure: null, common_issues: [] },
        ...{ complaints: [], recalls: [{ campaign_number: '20V777000', date_received: null }], ratings: [] },
        ...{ confidence: 'insufficient_data', recall_count: 1 },
      },
    ],
    ['/v1/complaints/aldera/quillon/2020', { complaints: [] }],
    ['/v1/complaints/aldera/quillon/2020/categories', { total_complaints: 0 }],
    ['/v1/statistics/aldera/quillon', { total_complaints: 0, confidence: 'insufficient_data' }],
    ['/v1/statistics/aldera/quillon/trends', { yearly_trends: [{ year: 2020, trend: 'insufficient_data' }] }],
    [
      '/v1/statistics/compare?vehicles=aldera/quillon/2020,aldera/corvane/2018',
      { comparison: [{ rank: 2, total_complaints: 0 }, { rank: 1 }] },
    ],
  ])('is answered with zeros: %s', async (path, data) => {
    const { status, body } = await ask(path)
    expect([status, body.data]).toMatchObject([200, data])
  })

  test('has all ten categories, each with a zero', async () => {
    const { body } = await ask('/v1/complaints/aldera/quillon/2020/categories')
    expect(body.data.categories).toEqual(
      categories.map((name) => ({
        ...{ name, count: 0, percentage: 0, avg_mileage: null, avg_repair_cost: null },
        ...{ repair_cost_estimated: false, top_components: [] },
      })),
    )
  })
})

describe('unknown names', () => {
  test.each([
    ['/v1/vehicles/aldeera', ['aldera']],
    ['/v1/vehicles/volkswagn/golf', ['volkswagen']],
    ['/v1/vehicles/aldera/corvan', ['aldera/corvane']],
    ['/v1/vehicles/aldera/korvane/2018', ['aldera/corvane']],
    ['/v1/vehicles/ford/corvane', ['aldera/corvane']],
    ['/v1/vehicles/volkswagen/gulf', ['volkswagen/golf']],
    [
      '/v1/vehicles/aldera/corvane/2031',
      ['aldera/corvane/2020', 'aldera/corvane/2019', 'aldera/corvane/2018'],
    ],
    [
      '/v1/complaints/aldera/tessaro/2015',
      ['aldera/tessaro/2016', 'aldera/tessaro/2017', 'aldera/tessaro/2018'],
    ],
    ['/v1/complaints/aldera/tesaro/2018/categories', ['aldera/tessaro']],
    ['/v1/statistics/aldera/tesaro', ['aldera/tessaro']],
    ['/v1/statistics/alderra/tessaro/trends', ['aldera']],
    ['/v1/statistics/compare?vehicles=aldera/corvane/2018,aldera/tesaro/2018', ['aldera/tessaro']],
    ['/v1/vehicles/qqqqqqqq', undefined],
  ])('%s is answered with what is near', async (path, suggestions) => {
    const { status, body } = await ask(path)
    expect([status, body.code, body.success]).toEqual([404, 'vehicle_not_found', false])
    expect(body.suggestions).toEqual(suggestions)
    for (const suggestion of suggestions ?? []) expect(body.detail).toContain(suggestion)
  })

  test('that are near nothing are told where to look', async () => {
    expect((await ask('/v1/vehicles/qqqqqqqq')).body.detail).toContain('GET /v1/vehicles ')
    expect((await ask('/v1/vehicles/ford/qqqqqqqq')).body.detail).toContain('GET /v1/vehicles/ford ')
  })

  test.each([
    ...['..%2f..%2fetc', '%00', "x'%20or%201=1", '%F0%9F%9A%97', 'a'.repeat(101), 'b'.repeat(4_000)],
    ...['---', '%25', 'constructor', '__proto__'],
  ])('that are hostile do no harm: %s', async (name) => {
    for (const path of [`/v1/vehicles/${name}`, `/v1/vehicles/aldera/${name}`, `/v1/statistics/${name}/x`]) {
      const { status } = await ask(path)
      expect([400, 404]).toContain(status)
    }
  })

  test.each(['next', '2018.5', '-2018', '10000000000', '1885', '2101', '1e400'])(
    'year %s is refused',
    async (year) => {
      for (const path of ['vehicles/aldera/corvane', 'complaints/aldera/corvane']) {
        const { status, body } = await ask(`/v1/${path}/${year}`)
        expect([status, body.errors[0].parameter]).toEqual([400, 'year'])
      }
    },
  )
})

test('without recalls and ratings their fields are null, and the answer says why', async () => {
  const bare = await startVehicle({
    plans: roomyPlans,
    fixture: { without: ['recalls', 'ratings', 'sales'] },
  })
  try {
    const { key: own } = await bare.signUp()
    const { body } = await bare.call(
      'get',
      '/v1/vehicles/aldera/corvane/2018?include=complaints,recalls,ratings',
      { key: own },
    )
    expect(body.data).toMatchObject({ recalls: null, ratings: null, recall_count: null, confidence: 'low' })
    expect(body.data.exposure_basis).toBe('crash_background')
    expect(body.data.notes).toEqual([
      expect.stringContaining('No recall data'),
      expect.stringContaining('No crash-test data'),
    ])
    const compare = '/v1/statistics/compare?vehicles=aldera/corvane/2018,aldera/tessaro/2018'
    expect((await bare.call('get', compare, { key: own })).status).toBe(200)
  } finally {
    await bare.close()
  }
})

test('model years of other vehicles are not mixed in', async () => {
  const { body } = await ask('/v1/complaints/volkswagen/golf/2017?limit=100')
  expect((body.data.complaints as FixtureComplaint[]).map(({ id }) => id).toSorted()).toEqual(
    of('golf', 2017)
      .map(({ id }) => id)
      .toSorted(),
  )
})

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
