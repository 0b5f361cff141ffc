import { roomyPlans, startVehicle, type VehicleApp } from './support.ts'

let app: VehicleApp
let key: string

beforeAll(async () => {
  app = await startVehicle({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
  key = (await app.signUp()).key
  app.now = Date.parse('2019-06-01T00:00:00Z')
})
afterAll(() => app.close())

const ask = (path: string) => app.call('get', `/v1/statistics/${path}`, { key })
const corvanes = (from: number, to: number) =>
  app.complaints.filter(({ model, year }) => model === 'corvane' && year >= from && year <= to)

describe('GET /v1/statistics/{make}/{model}', () => {
  test.each([
    ['', 2014, 2019],
    ['?year_from=2016', 2016, 2019],
    ['?year_to=2016', 2014, 2016],
    ['?year_from=2016&year_to=2018', 2016, 2018],
    ['?year_from=2018&year_to=2018', 2018, 2018],
    ['?year_to=2030', 2014, 2030],
    ['?year_from=1990&year_to=1995', 1990, 1995],
    ['?year_to=2000', 2000, 2000],
    ['?year_from=2019', 2019, 2019],
    ['?year_from=2020&year_to=2020', 2020, 2020],
  ])('over %s is about %i to %i', async (search, from, to) => {
    const { body } = await ask(`aldera/corvane${search}`)
    expect(body.data).toMatchObject({
      vehicle: { make: 'Aldera', model: 'Corvane', make_slug: 'aldera', model_slug: 'corvane' },
      period: { from, to },
      total_complaints: corvanes(from, to).length,
    })
  })

  test('counts categories, mileages and costs of the period', async () => {
    const { body } = await ask('aldera/corvane?year_from=2015&year_to=2017')
    const own = corvanes(2015, 2017)
    const breakdown = body.data.category_breakdown as Record<string, { count: number; percentage: number }>
    for (const [name, { count, percentage }] of Object.entries(breakdown)) {
      const expected = own.filter(({ category }) => category === name).length
      expect([name, count, percentage]).toEqual([name, expected, Math.round((1000 * expected) / 210) / 10])
    }
    const miles = known(own.map(({ mileage }) => mileage))
    const costs = known(own.map(({ repair_cost }) => repair_cost))
    expect(body.data).toMatchObject({
      average_complaints_per_year: 70,
      mileage_analysis: {
        avg_failure_mileage: Math.round(miles.reduce((sum, one) => sum + one, 0) / miles.length),
        median_failure_mileage: Math.round(median(miles)),
        n: miles.length,
      },
      repair_cost_analysis: {
        median_repair_cost: median(costs),
        expensive_repairs_percentage:
          Math.round((1000 * costs.filter((cost) => cost >= 1000).length) / costs.length) / 10,
        estimated: false,
        n: costs.length,
      },
    })
  })

  test('over a period without model years says what is missing', async () => {
    const { body } = await ask('aldera/corvane?year_from=1990&year_to=1995')
    expect(body.data).toMatchObject({
      ...{ total_complaints: 0, average_complaints_per_year: 0, confidence: 'insufficient_data' },
      mileage_analysis: { avg_failure_mileage: null, most_problematic_range: null, n: 0 },
      ...{ reliability_trend: 'insufficient_data', trend_percentage: null },
    })
    expect(body.data.notes.length).toBeGreaterThan(0)
  })

  test.each([
    ['year_from=2018&year_to=2016', 'year_from', 'year_from 2018 is after year_to 2016'],
    ['year_from=2020', 'year_from', 'year_from 2020 is after 2019, the current year'],
    ['year_from=abc', 'year_from', 'number'],
    ['year_to=2018.5', 'year_to', 'integer'],
    ['year_to=10000', 'year_to', '2100'],
    ['from=2018', 'from', 'not a known query parameter'],
  ])('refuses %s', async (search, parameter, hint) => {
    const { status, body } = await ask(`aldera/corvane?${search}`)
    expect([status, body.errors[0].parameter]).toEqual([400, parameter])
    expect(body.detail).toContain(hint)
  })

  test('answers with another ETag in another year, because its period ends with the year', async () => {
    const etags = new Set<string | undefined>()
    for (const year of [2019, 2019, 2020]) {
      app.now = Date.parse(`${year}-06-01T00:00:00Z`)
      etags.add((await ask('aldera/corvane')).headers['etag'])
    }
    app.now = Date.parse('2019-06-01T00:00:00Z')
    expect(etags.size).toBe(2)
  })
})

describe('GET /v1/statistics/{make}/{model}/trends', () => {
  test('has an entry for each model year', async () => {
    const { body } = await ask('aldera/corvane/trends')
    const { yearly_trends: years, exposure_basis: basis } = body.data
    expect(basis).toBe('sales')
    expect((years as { year: number }[]).map(({ year }) => year)).toEqual([
      ...[2014, 2015, 2016, 2017, 2018, 2019, 2020],
    ])
    const { body: model } = await app.call('get', '/v1/vehicles/aldera/corvane', { key })
    expect((years as { score: number }[]).map(({ score }) => score)).toEqual(
      (model.data.year_breakdown as { score: number }[]).map(({ score }) => score),
    )
  })

  test('has the generations that are known, with all their model years', async () => {
    const { body } = await ask('ford/f-150/trends')
    expect(body.data.generation_analysis).toMatchObject([
      { generation: '13th (2015-2020)', first_year: 2015, last_year: 2020, total_complaints: 90 },
    ])
  })

  test('has no generation of a model that no list and no break in its rate tells of', async () => {
    const { body } = await ask('aldera/corvane/trends')
    expect(body.data.generation_analysis).toEqual([])
  })

  test('warns of a model year with an open do-not-drive recall', async () => {
    const { body } = await ask('aldera/corvane/trends')
    expect(body.data.recommendation.years_to_avoid).toContain(2018)
    expect(body.data.recommendation.best_years).not.toContain(2018)
  })
})

test('what the trend of a category is measured by is published in the methodology and the description', async () => {
  const { body: methodology } = await app.call('get', '/v1/methodology', { key })
  const { body: document } = await app.call('get', '/openapi.json', {})
  const answer = JSON.stringify(document.paths['/v1/statistics/{make}/{model}'].get.responses['200'])
  for (const text of [methodology.data.labels.category_trend as string, answer]) {
    expect(text).toMatch(/crash_background[^.]*share of|share of[^.]*crash_background/)
    expect(text).toContain('2.5 % of the')
  }
  expect(methodology.data.labels.trend).toMatch(/^Of scores/)
})

describe('GET /v1/statistics/compare', () => {
  const compare = (search: string) => ask(`compare?${search}`)

  test('ranks vehicles by score, in the order in which they were named', async () => {
    const { body } = await compare('vehicles=vw/golf/2017,aldera/corvane/2018,ford/F150/2017')
    const entries = body.data.comparison as {
      rank: number
      reliability_score: number
      exposure_basis: string
      vehicle: object
      category_scores: Record<string, number>
    }[]
    expect(entries.map(({ vehicle }) => vehicle)).toMatchObject([
      { make: 'Volkswagen', make_slug: 'volkswagen', model_slug: 'golf', year: 2017 },
      { make: 'Aldera', model_slug: 'corvane', year: 2018 },
      { make: 'Ford', model: 'F-150', model_slug: 'f-150', year: 2017 },
    ])
    const best = entries.toSorted((a, b) => b.reliability_score - a.reliability_score)
    expect(best.map(({ rank }) => rank)).toEqual([1, 2, 3])
    expect(new Set(entries.map(({ exposure_basis }) => exposure_basis))).toEqual(new Set(['sales']))
    for (const { category_scores: scores, reliability_score: score } of entries) {
      expect([Object.keys(scores).length, scores['overall']]).toEqual([11, score])
    }
    expect(body.data.recommendation.best_overall).toMatch(/^(volkswagen\/golf|aldera\/corvane|ford\/f-150)\//)
  })

  test('puts all vehicles on the basis that all of them have', async () => {
    const { body } = await compare('vehicles=aldera/corvane/2018,aldera/tessaro/2018')
    const entries = body.data.comparison as { exposure_basis: string; confidence: string }[]
    expect(entries.map((entry) => [entry.exposure_basis, entry.confidence])).toEqual([
      ['crash_background', 'low'],
      ['crash_background', 'low'],
    ])
  })

  test('shows only the categories asked for', async () => {
    const { body } = await compare('vehicles=vw/golf/2017,ford/f-150/2017&categories=brakes,%20engine,brakes')
    const entries = body.data.comparison as { category_scores: object }[]
    for (const { category_scores: scores } of entries)
      expect(Object.keys(scores).toSorted()).toEqual(['brakes', 'engine', 'overall'])
  })

  test('takes two to ten', async () => {
    const years = [2014, 2015, 2016, 2017, 2018, 2019, 2020].map((year) => `aldera/corvane/${year}`)
    const ten = [...years, ...[2016, 2017, 2018].map((year) => `aldera/tessaro/${year}`)]
    expect((await compare(`vehicles=${ten.join()}`)).body.data.comparison).toHaveLength(10)
    expect((await compare(`vehicles=${[...ten, 'vw/golf/2017'].join()}`)).status).toBe(400)
  })

  test.each([
    ['', 'vehicles', 'required', 'required'],
    ['vehicles=', 'vehicles', 'empty', 'empty'],
    ['vehicles=aldera/corvane/2018', 'vehicles', 'too_few', '2 to 10'],
    [`vehicles=${Array(200).fill('a/b/2000').join()}`, 'vehicles', 'too_many', '2 to 10'],
    [`vehicles=${Array(400).fill('a/b/2000').join()}`, 'vehicles', 'too_long', '2100'],
    ['vehicles=aldera/corvane/2018,aldera/corvane', 'vehicles', 'wrong_format', 'make/model/year'],
    ['vehicles=aldera/corvane/2018,', 'vehicles', 'wrong_format', 'make/model/year'],
    ['vehicles=aldera/corvane/2018,aldera/corvane/9999', 'vehicles', 'wrong_format', '1886 to 2100'],
    ['vehicles=aldera/corvane/2018,aldera/corvane/1885', 'vehicles', 'wrong_format', '1886 to 2100'],
    ['vehicles=vw/golf/2017,volkswagen/Golf/2017', 'vehicles', 'duplicate', 'volkswagen/golf/2017'],
    ['vehicles=a/b/2000,a/c/2000&categories=wheels', 'categories', 'not_allowed', 'engine, transmission'],
    ['vehicles=a/b/2000,a/c/2000&categories=', 'categories', 'empty', 'empty'],
  ])('refuses %s', async (search, parameter, code, hint) => {
    const { status, body } = await compare(search)
    expect([status, body.errors[0]]).toMatchObject([400, { parameter, code }])
    expect(body.detail).toContain(hint)
  })
})

test('a comparison that is refused names a vehicle that is served: the newest of the first listed model', async () => {
  const { body } = await ask('compare?vehicles=a,b')
  const path = /such as (\S+)\.$/.exec(body.detail as string)?.[1]
  expect(path).toBe('aldera/corvane/2020')
  expect((await app.call('get', `/v1/vehicles/${path}`, { key })).status).toBe(200)
})

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null).toSorted((a, b) => a - b)
}

function median(ascending: readonly number[]): number {
  const middle = (ascending.length - 1) / 2
  return ((ascending[Math.floor(middle)] ?? NaN) + (ascending[Math.ceil(middle)] ?? NaN)) / 2
}
