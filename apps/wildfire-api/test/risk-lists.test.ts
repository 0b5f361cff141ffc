import { parse } from 'csv-parse/sync'
import { roomyPlans, startWildfire, type WildfireApp } from './support.ts'

let app: WildfireApp
let key: string

beforeAll(async () => {
  app = await startWildfire({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
  key = (await app.signUp('pro')).key
})
afterAll(() => app.close())

/** Codes of counties in the order of an answer. */
const codesOf = (list: readonly { code: string }[]) => list.map(({ code }) => code)

const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.call('get', path, { key, headers })

describe('GET /v1/risk/counties', () => {
  test('lists the highest scores first', async () => {
    const { status, body } = await ask('/v1/risk/counties?state=CA&limit=3')

    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      total: 58,
      dataVintage: { wrc: '2026-04-15' },
      nextCursor: expect.any(String),
    })
    expect(body.data.counties).toMatchObject([
      { code: '06073', name: 'San Diego County', score: 100, rating: 'very_high', nriScore: null },
      { code: '06091', score: 99.8 },
      { code: '06033' },
    ])
  })

  test.each([
    '-score',
    'score',
    'name',
    '-name',
    'code',
    '-code',
    'expectedAnnualLoss',
    '-expectedAnnualLoss',
  ])(
    'sorted by %s, the pages hold every county of the country once',
    async (sort) => {
      const codes: string[] = []
      let cursor: string | null = ''
      for (let pages = 0; cursor !== null && pages < 40; pages++) {
        const { body } = await ask(
          `/v1/risk/counties?sort=${sort}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
        codes.push(...codesOf(body.data.counties))
        cursor = body.data.nextCursor
      }
      expect([codes.length, new Set(codes).size]).toEqual([3233, 3233])
    },
    60_000,
  )

  test('puts counties without a score last in both directions', async () => {
    for (const sort of ['score', '-score']) {
      const { body } = await ask(`/v1/risk/counties?state=DC&sort=${sort}`)
      expect(body.data.counties).toMatchObject([{ code: '11001', score: null, rating: null }])
    }
    const { body } = await ask('/v1/risk/counties?sort=score&limit=1')
    expect(body.data.counties[0].score).toBe(0)
  })

  test('leaves out what is below minScore', async () => {
    const { body } = await ask('/v1/risk/counties?minScore=99.9&limit=100')
    expect((body.data.counties as { score: number }[]).every(({ score }) => score >= 99.9)).toBe(true)
    expect(body.data.total).toBe(body.data.counties.length)
    expect((await ask('/v1/risk/counties?minScore=0&state=PR')).body.data).toMatchObject({
      total: 0,
      counties: [],
      nextCursor: null,
    })
  })

  test('names the next page in Link, also for CSV', async () => {
    const { headers } = await ask('/v1/risk/counties?state=ca&limit=50', { Accept: 'text/csv' })
    const next = /^<(.+)>; rel="next"$/.exec(headers['link'] ?? '')?.[1] ?? ''

    const { body, headers: last } = await ask(next)
    expect([body.data.counties.length, body.data.nextCursor, last['link']]).toEqual([8, null, undefined])
  })

  test('says of each page why values on it are null', async () => {
    const { body } = await ask('/v1/risk/counties?state=PR&limit=2')
    expect(body.data.coverage.notes).toEqual([
      'All counties of this page: No release of the FEMA National Risk Index is loaded. Therefore null: expectedAnnualLossUsd, nriScore, nriRating.',
      'All counties of this page: Neither source scores wildfire in the territories. Therefore null: score, rating, basis, statePercentile.',
      'All counties of this page: USDA Wildfire Risk to Communities covers the 50 states, not the territories. Therefore null: totalBuildings.',
    ])
    const { body: last } = await ask('/v1/risk/counties?sort=-score&limit=1&minScore=100')
    expect(last.data.coverage.notes).toEqual([expect.stringMatching(/^All .* nriScore, nriRating\.$/)])
  })

  test('is CSV whose lines say themselves what they were made from and what they lack', async () => {
    const { text } = await asText('/v1/risk/counties?state=PR&limit=1', 'text/csv')
    const [line] = parse<Record<string, string>>(text, { columns: true })
    expect(line).toMatchObject({
      ...{ score: '', coverageReason: 'Neither source scores wildfire in the territories.' },
      coverageNotes: expect.stringMatching(/No release of the FEMA .* areaSqMi, population, .*nriScore/),
      ...{ wrcRelease: '2026-04-15', nriRelease: '', dataVersion: '1' },
      disclaimer: expect.stringContaining('no insurance quote'),
    })
  })

  test('has the same columns for each county as its own answer', async () => {
    const [own, listed] = await Promise.all(
      ['/v1/risk/county/06073', '/v1/risk/counties?state=CA&limit=1'].map((path) => asText(path, 'text/csv')),
    )
    expect(listed).toEqual(own)
  })

  test('is CSV with a header even when no county matches', async () => {
    const { text } = await asText('/v1/risk/counties?state=PR&minScore=1', 'text/csv')
    expect(parse(text)).toEqual([expect.arrayContaining(['code', 'name', 'score'])])
  })

  test('is GeoJSON whose features are the counties of the page', async () => {
    const { body } = await ask('/v1/risk/counties?state=CA&limit=2', { Accept: 'application/geo+json' })
    expect((body.features as { id: string }[]).map(({ id }) => id)).toEqual(['06073', '06091'])
    expect(body).toMatchObject({
      dataVintage: { wrc: '2026-04-15', nri: null, dataVersion: 1 },
      disclaimer: expect.stringContaining('no insurance quote'),
    })
    expect(body.features[0].properties).toMatchObject({
      coverageReason: null,
      coverageNotes: expect.stringContaining('nriScore'),
    })
    expect(body.features[0].geometry.coordinates).toEqual([expect.any(Number), expect.any(Number)])
  })

  test.each([
    ['state=XX', 'state', 'not_allowed'],
    ['state=California', 'state', 'wrong_format'],
    ['minScore=101', 'minScore', 'too_large'],
    ['sort=risk', 'sort', 'not_allowed'],
    ['limit=0', 'limit', 'too_small'],
    ['limit=101', 'limit', 'too_large'],
    ['cursor=nonsense', 'cursor', 'wrong_format'],
    ['cursor=WyJuYW1lIiwiQSIsIjA2MDYxIl0', 'cursor', 'wrong_format'],
    [`cursor=${cursorOf(['-score', '97.7', '06061'])}`, 'cursor', 'wrong_format'],
    [`cursor=${cursorOf(['-score', true, '06061'])}`, 'cursor', 'wrong_format'],
    [`cursor=${cursorOf(['-score', 97.7, '6061'])}`, 'cursor', 'wrong_format'],
    [`cursor=${cursorOf(['-score', 97.7, '06061', 1])}`, 'cursor', 'wrong_format'],
    [`sort=name&cursor=${cursorOf(['name', 5, '06061'])}`, 'cursor', 'wrong_format'],
    [`sort=-code&cursor=${cursorOf(['-code', null, '06061'])}`, 'cursor', 'wrong_format'],
    ['page=2', 'page', 'unknown_parameter'],
  ])('refuses %s', async (search, parameter, code) => {
    expect(await ask(`/v1/risk/counties?${search}`)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [{ parameter, code }] },
    })
  })
})

test.each([
  [`cursor=${cursorOf(['toString', 1, 'x'])}`, /^cursor is not one of this list/],
  [`cursor=${cursorOf(['name', 'A', '06061'])}`, /^cursor belongs to a list sorted by name/],
  ['state=California', /^state must be the two letters of a postal abbreviation, such as CA\.$/],
])('%s is refused with a sentence that helps', async (search, sentence) => {
  const { status, body } = await ask(`/v1/risk/counties?${search}`)
  expect([status, body.errors]).toEqual([
    400,
    [expect.objectContaining({ detail: expect.stringMatching(sentence) })],
  ])
})

describe('GET /v1/risk/compare', () => {
  test('shows counties in the order in which they are named, and ranks them', async () => {
    const { status, body } = await ask('/v1/risk/compare?codes=41029,6061,11001')

    expect(status).toBe(200)
    expect((body.data.counties as { county: { code: string } }[]).map(({ county }) => county.code)).toEqual([
      '41029',
      '06061',
      '11001',
    ])
    expect(body.data.ranking).toHaveLength(2)
    const [first, second] = body.data.ranking
    expect([first.rank, second.rank, first.score >= second.score]).toEqual([1, 2, true])
    expect(body.data.scoreSpread).toBeCloseTo(first.score - second.score, 9)
  })

  test('gives equal scores one rank', async () => {
    const { body } = await ask('/v1/risk/counties?sort=score&limit=2')
    const codes = codesOf(body.data.counties)
    const { body: compared } = await ask(`/v1/risk/compare?codes=${codes.join(',')}`)
    expect((compared.data.ranking as { rank: number }[]).map(({ rank }) => rank)).toEqual([1, 1])
  })

  test('is CSV with a line per county', async () => {
    const { text } = await asText('/v1/risk/compare?codes=06061,41029', 'text/csv')
    expect(parse(text, { columns: true })).toMatchObject([
      { code: '06061' },
      { code: '41029', stateName: 'Oregon' },
    ])
  })

  test.each([
    ['codes=06061', 400, 'wrong_format'],
    ['', 400, 'required'],
    ['codes=06061,6061', 400, 'duplicate'],
    ['codes=06061,abc', 400, 'wrong_format'],
    [`codes=${Array.from({ length: 11 }, (_, at) => `060${at + 10}`).join(',')}`, 400, 'wrong_format'],
  ])('refuses %s', async (search, status, code) => {
    expect(await ask(`/v1/risk/compare?${search}`)).toMatchObject({
      status,
      body: { errors: [{ parameter: 'codes', code }] },
    })
  })

  test('names what superseded a retired code', async () => {
    expect(await ask('/v1/risk/compare?codes=06061,46113')).toMatchObject({
      status: 404,
      body: { supersededBy: ['46102'] },
    })
  })
})

test('lists and comparisons get 304 without cost', async () => {
  for (const path of ['/v1/risk/counties?state=CA', '/v1/risk/compare?codes=06061,41029']) {
    const { headers } = await ask(path)
    const again = await ask(path, { 'If-None-Match': headers['etag'] ?? '' })
    expect([again.status, again.headers['x-ratelimit-remaining']]).toEqual([
      304,
      headers['x-ratelimit-remaining'],
    ])
  }
})

function cursorOf(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

async function asText(path: string, accept: string) {
  const { port } = app.server.address() as { port: number }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { 'X-API-Key': key, Accept: accept },
  })
  return { text: await response.text() }
}
