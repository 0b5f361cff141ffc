import { seededRandom } from '@hearth/infra/seeded-random'
import { generatedLines, readLine, salesCsv, wave } from './import-files.ts'
import { allComplaints, knownModels, openImporting, type Importing } from './importing.ts'

const lines = generatedLines(16_000)
const complaintsIn = (rows: readonly string[]): number => new Set(rows.map((row) => readLine(row).odi)).size

let importing: Importing
let other: Importing | undefined
let scores: Scores

beforeAll(async () => {
  importing = await withComplaints(lines)
  scores = await scoresOf(importing)
}, 120_000)
afterEach(async () => {
  await other?.close()
  other = undefined
})
afterAll(() => importing.close())

describe('of every vehicle', () => {
  test('the complaints of the file are counted once, by category, by model year and by model', async () => {
    const { get } = importing
    let counted = 0
    for (const { path, years } of await knownModels(importing)) {
      const { data } = await get(`/v1/vehicles/${path}`)
      const ofYears = data.year_breakdown as { year: number; complaints: number }[]
      expect(ofYears.map(({ year }) => year)).toEqual(years)
      expect(sumOf(ofYears.map(({ complaints }) => complaints))).toBe(data.total_complaints)
      for (const { year, complaints } of ofYears) {
        const { data: found } = await get(`/v1/complaints/${path}/${year}/categories`)
        expect(sumOf((found.categories as { count: number }[]).map(({ count }) => count))).toBe(complaints)
        expect(found.total_complaints).toBe(complaints)
      }
      counted += data.total_complaints as number
    }
    expect(counted).toBe(complaintsIn(lines))
  }, 60_000)

  test('a score has its basis, and one of many complaints and known sales a narrow interval', async () => {
    const vehicles = [...scores].filter(([, { complaints }]) => complaints >= 5)
    expect(vehicles.length).toBeGreaterThan(200)
    for (const [path, { score, basis }] of vehicles) {
      expect([path, basis]).toEqual([path, 'sales'])
      expect(score).toBeGreaterThanOrEqual(1)
      expect(score).toBeLessThanOrEqual(99)
    }
    const { data } = await importing.get(`/v1/vehicles/${wave.vehicle}`)
    expect(data.score_high - data.score_low).toBeLessThan(15)
  })
})

test.each(['date_desc', 'date_asc', 'mileage_desc', 'mileage_asc'])(
  'pages in the order %s have every complaint of a model year exactly once',
  async (sort) => {
    const { get } = importing
    const ofFile = lines.map(readLine).filter(({ make, model, year }) => {
      return make === 'ALDERA' && model.startsWith('CORVANE') && year === '2016'
    })
    const expected = [...new Set(ofFile.map(({ odi }) => `cmp_${odi}`))].toSorted()
    const byCursor = await allComplaints(get, wave.vehicle, `sort=${sort}&limit=37`)
    expect(byCursor.map(({ id }) => id).toSorted()).toEqual(expected)

    const byPage: string[] = []
    for (let page = 1, hasMore = true; hasMore; page++) {
      const { data, meta } = await get(`/v1/complaints/${wave.vehicle}?sort=${sort}&limit=41&page=${page}`)
      byPage.push(...(data.complaints as { id: string }[]).map(({ id }) => id))
      expect(meta.total).toBe(expected.length)
      hasMore = meta.hasMore as boolean
    }
    expect(byPage).toEqual(byCursor.map(({ id }) => id))
  },
  60_000,
)

describe('scores', () => {
  const better = 'skeolpha/oldu/2005'

  test('stay when twice as many of every vehicle were sold', async () => {
    await publishSales(() => 2)
    const now = await scoresOf(importing)
    expect([...now].map(([path, { score }]) => [path, score])).toEqual(
      [...scores].map(([path, { score }]) => [path, score]),
    )
  }, 60_000)

  test('rise for a vehicle when twice as many of it alone were sold', async () => {
    await publishSales((path) => (path === better ? 2 : 1))
    const now = await scoresOf(importing)
    const [before = NaN, after] = [scores, now].map((all) => all.get(better)?.score ?? NaN)
    expect(after).toBeGreaterThan(before + 5)
    expect(changed(now)).toEqual([better])
  }, 60_000)

  test('hardly change when a tenth of the complaints is missing', async () => {
    const random = seededRandom(3)
    const isKept = new Map(
      [...new Set(lines.map((line) => readLine(line).odi))].map((odi) => [odi, random() >= 0.1]),
    )
    const kept = lines.filter((line) => isKept.get(readLine(line).odi))
    expect(complaintsIn(kept) / complaintsIn(lines)).toBeLessThan(0.92)
    other = await withComplaints(kept)
    const now = await scoresOf(other)
    const many = [...scores].filter(([, { complaints }]) => complaints >= 100)
    const changes = many.map(([path, { score }]) => Math.abs((now.get(path)?.score ?? NaN) - score))
    expect(many.length).toBeGreaterThan(10)
    expect(Math.max(...changes)).toBeLessThanOrEqual(5)
    expect(Math.max(...changes)).toBeGreaterThan(0)
  }, 120_000)
})

test('the worst system of a vehicle shows before most complaints about it have come in', async () => {
  const ofVehicle = (rows: readonly string[]) =>
    rows
      .map(readLine)
      .filter(({ make, model, year }) => `${make}/${model}/${year}`.startsWith('ALDERA/CORVANE/2016'))
  const before = lines.filter((line) => Number(readLine(line).received.slice(0, 4)) < wave.year)
  const byYear = Object.entries(Object.groupBy(ofVehicle(lines), ({ received }) => received.slice(0, 4)))
  const [peak] = byYear.toSorted(([, a = []], [, b = []]) => b.length - a.length)
  expect(peak?.[0]).toBe(String(wave.year))
  expect(ofVehicle(before).length).toBeLessThan(ofVehicle(lines).length / 3)

  other = await withComplaints(before)
  const { data } = await other.get(`/v1/complaints/${wave.vehicle}/categories`)
  expect(data.categories[0].name).toBe(wave.category)
  const { data: found } = await other.get(`/v1/vehicles/${wave.vehicle}`)
  expect(found.common_issues[0].category).toBe(wave.category)
  const { data: compared } = await other.get(
    `/v1/statistics/compare?vehicles=${wave.vehicle},okumi/senka/2015`,
  )
  expect(compared.comparison[0].category_scores[wave.category]).toBeLessThan(20)
}, 120_000)

async function withComplaints(rows: readonly string[]): Promise<Importing> {
  const opened = await openImporting()
  const [complaints, sales] = [rows.join(''), salesCsv()].map((text, at) =>
    opened.workshop.file(`${at}.txt`, text),
  )
  await opened.publish('--complaints', complaints ?? '', '--sales', sales ?? '')
  return opened
}

type Scores = ReadonlyMap<
  string,
  { readonly score: number; readonly complaints: number; readonly basis: string }
>

/** Scores by model year. */
async function scoresOf(service: Importing): Promise<Scores> {
  const found = new Map<string, { score: number; complaints: number; basis: string }>()
  for (const { path } of await knownModels(service)) {
    const { data } = await service.get(`/v1/vehicles/${path}`)
    for (const { year, score, complaints, exposure_basis: basis } of data.year_breakdown) {
      found.set(`${path}/${year}`, { score, complaints, basis })
    }
  }
  return found
}

/** Model years whose score moved by more than its last digits: the middle of the market moves a little. */
function changed(now: Scores): string[] {
  return [...now]
    .filter(([path, { score }]) => Math.abs(score - (scores.get(path)?.score ?? NaN)) > 1)
    .map(([path]) => path)
}

async function publishSales(factorOf: Parameters<typeof salesCsv>[0]): Promise<void> {
  await importing.publish('--sales', importing.workshop.file('other-sales.csv', salesCsv(factorOf)))
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
