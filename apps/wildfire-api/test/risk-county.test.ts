import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'
import { shippedFile } from '../src/shipped-data.ts'
import { roomyPlans, startWildfire, type WildfireApp } from './support.ts'

let app: WildfireApp
let key: string

beforeAll(async () => {
  app = await startWildfire({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
  key = (await app.signUp('pro')).key
})
afterAll(() => app.close())

const ask = (code: string, headers: Readonly<Record<string, string>> = {}) =>
  app.call('get', `/v1/risk/county/${code}`, { key, headers })

test('Placer County is answered with the published ranks and what follows from them', async () => {
  const { status, headers, body } = await ask('06061')

  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'cache-control': expect.stringMatching(/^private\b/),
    etag: expect.stringMatching(/^".+"$/),
  })
  expect(body).toMatchObject({
    success: true,
    data: {
      county: { code: '06061', name: 'Placer County', state: 'CA', stateName: 'California', type: 'County' },
      hazard: {
        score: 97.7,
        rating: 'very_high',
        basis: 'wrc.risk_to_homes',
        percentile: { national: 97.7, state: 64.9 },
        likelihood: { nationalPercentile: 96.1, source: 'estimated' },
      },
      exposure: { totalBuildings: 176004, buildingValueExposedUsd: null },
      nri: { score: null, rating: null, version: null },
      dataVintage: { wrc: '2026-04-15', nri: null, dataVersion: 1 },
      coverage: { complete: false, reason: null },
    },
  })
  const { county, comparison } = body.data
  expect(county.centroid[0]).toBeCloseTo(-120.72, 1)
  expect((comparison.neighbors as { code: string }[]).map(({ code }) => code)).toEqual([
    '06017',
    '06057',
    '06067',
    '06101',
    '06115',
    '32005',
    '32031',
    '32510',
  ])
  expect(comparison.neighbors[1]).toEqual({ code: '06057', name: 'Nevada County', state: 'CA', score: 99.5 })
})

test("its peers are the counties just above and below in the state's order", async () => {
  const peersOf = async (code: string) => (await ask(code)).body.data.comparison.statePeers as object[]

  expect(await peersOf('06061')).toMatchObject([
    { code: '06063', score: 97.9 },
    { code: '06011', score: 97.7 },
    { code: '06093', score: 97.6 },
    { code: '06079', score: 97.5 },
  ])
  expect(await peersOf('06073')).toMatchObject([{ code: '06091' }, { code: '06033' }])
  expect(await peersOf('11001')).toEqual([])
})

test('every county is answered with a finite score, or with the reason why there is none', async () => {
  const codes = parse<{ code: string }>(readFileSync(shippedFile('counties.csv')), { columns: true }).map(
    ({ code }) => code,
  )
  const withoutScore: string[] = []
  for (const code of codes) {
    const { status, body } = await ask(code)
    expect([code, status, body.data.county.code]).toEqual([code, 200, code])
    const { hazard, coverage } = body.data
    if (hazard.score === null) {
      expect([code, coverage.reason]).toEqual([code, expect.stringMatching(/\.$/)])
      withoutScore.push(code)
    } else {
      expect([code, hazard.score >= 0 && hazard.score <= 100, coverage.reason]).toEqual([code, true, null])
    }
  }
  expect(codes).toHaveLength(3233)
  expect(withoutScore.filter((code) => code < '60')).toEqual(['11001'])
}, 120_000)

describe('codes', () => {
  test('of 4 digits get the zero that a spreadsheet has lost', async () => {
    expect((await ask('6061')).body.data.county.code).toBe('06061')
  })

  test.each(['606', '060611', '06O61', '6 061', '-6061', '06061.0', '%D9%A0%D9%A6%D9%A0%D9%A6%D9%A1'])(
    '%s is refused as malformed',
    async (code) => {
      expect(await ask(code)).toMatchObject({
        status: 400,
        body: { success: false, code: 'validation_failed', errors: [{ parameter: 'county_code' }] },
      })
    },
  )

  test.each([
    ['02261', ['02063', '02066']],
    ['2270', ['02158']],
    ['46113', ['46102']],
    ['51515', ['51019']],
    ['09001', ['09120', '09140', '09190']],
    ['12025', ['12086']],
  ])('%s was retired, and the answer names what took its place', async (code, supersededBy) => {
    expect(await ask(code)).toMatchObject({
      status: 404,
      body: { code: 'county_not_found', success: false, supersededBy },
    })
  })

  test.each([
    ['99999', undefined],
    ['06000', ['06001', '06003', '06005']],
    ['06062', ['06059', '06061', '06063']],
  ])('%s is unknown, and codes near it are named', async (code, suggestions) => {
    const { status, body } = await ask(code)
    expect([status, body.code, body.suggestions]).toEqual([404, 'county_not_found', suggestions])
  })

  test('that are unknown or malformed cost nothing', async () => {
    const { key: free } = await app.signUp()
    for (const code of ['99999', '02261', '606'])
      await app.call('get', `/v1/risk/county/${code}`, { key: free })

    const { status, headers } = await app.call('get', '/v1/risk/county/06061', { key: free })

    expect([status, headers['x-ratelimit-remaining']]).toEqual([200, '0'])
    expect(await app.call('get', '/v1/risk/county/06061', { key: free })).toMatchObject({
      status: 429,
      body: { code: 'quota_exceeded', success: false },
    })
  })

  test.each([
    ['35013', 'Doña Ana County'],
    ['15005', 'Kalawao County'],
    ['24510', 'Baltimore city'],
    ['09110', 'Capitol Planning Region'],
    ['02063', 'Chugach Census Area'],
  ])('%s is %s', async (code, name) => {
    expect((await ask(code)).body.data.county.name).toBe(name)
  })

  test('of the District of Columbia and of territories are answered with nulls and a reason', async () => {
    expect((await ask('11001')).body.data).toMatchObject({
      hazard: { score: null, rating: null, basis: null, percentile: { national: null, state: null } },
      coverage: { complete: false, reason: 'No loaded source scores wildfire in this county.' },
    })
    expect((await ask('72001')).body.data).toMatchObject({
      county: { name: 'Adjuntas Municipio', state: 'PR' },
      coverage: { reason: 'Neither source scores wildfire in the territories.' },
    })
  })
})

describe('conditional requests', () => {
  test('get 304 without cost while the data are the same', async () => {
    const { key: pro } = await app.signUp('pro')
    const send = (headers = {}) => app.call('get', '/v1/risk/county/06061', { key: pro, headers })
    const first = await send()
    const etag = first.headers['etag'] ?? ''

    const again = await send({ 'If-None-Match': etag })
    expect([again.status, again.headers['etag'], again.headers['content-length']]).toEqual([
      304,
      etag,
      undefined,
    ])
    expect(again.headers['x-ratelimit-remaining']).toBe(first.headers['x-ratelimit-remaining'])
    expect((await send({ 'If-None-Match': `"other", W/${etag}` })).status).toBe(304)
    expect((await send({ 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('are told apart by address, form and plan', async () => {
    const { key: free } = await app.signUp()
    const tags = [
      await ask('06061'),
      await ask('6061'),
      await ask('06061', { Accept: 'text/csv' }),
      await app.call('get', '/v1/risk/county/06061', { key: free }),
    ].map(({ headers }) => headers['etag'])
    expect(new Set(tags).size).toBe(4)
  })
})

describe('other forms', () => {
  test('CSV has a header and a line', async () => {
    const { headers, text } = await raw('text/csv')
    const [row, ...rest] = parse<Record<string, string>>(text, { columns: true })

    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    expect(rest).toEqual([])
    expect(row).toMatchObject({ code: '06061', name: 'Placer County', score: '97.7', nriScore: '' })
  })

  test('GeoJSON is a point at the centre', async () => {
    const { headers, body } = await ask('06061', { Accept: 'application/geo+json' })

    expect(headers['content-type']).toBe('application/geo+json')
    expect(body).toMatchObject({
      type: 'FeatureCollection',
      features: [{ type: 'Feature', id: '06061', geometry: { type: 'Point' }, properties: { score: 97.7 } }],
    })
    expect((await ask('09110', { Accept: 'application/geo+json' })).body.features[0].geometry).toBeNull()
  })

  test.each(['*/*', 'application/json', 'image/png', 'text/csv;q=0.1, application/json'])(
    'Accept: %s is answered with JSON',
    async (accept) => {
      const { status, headers } = await ask('06061', { Accept: accept })
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    },
  )

  async function raw(accept: string) {
    const { address, port } = app.server.address() as { address: string; port: number }
    const response = await fetch(`http://${address}:${port}/v1/risk/county/06061`, {
      headers: { 'X-API-Key': key, Accept: accept },
    })
    return { headers: Object.fromEntries(response.headers), text: await response.text() }
  }
})
