import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { allComplaints, knownModels, openImporting, type Complaint, type Importing } from './importing.ts'
import { describeShared, sharedFile } from './shared-data.ts'

const corpus = 'complaints/combined_reencoded_49col.txt.gz'

describeShared(corpus, (path) => {
  let importing: Importing
  let report: string[][]
  const complaints = new Map<string, Complaint[]>()

  beforeAll(async () => {
    importing = await openImporting()
    await importing.publish('--complaints', path, '--max-empty', '100')
    report = reportOf(importing)
    for (const model of await knownModels(importing)) {
      for (const year of model.years) {
        const vehicle = `${model.path}/${year}`
        complaints.set(vehicle, await allComplaints(importing.get, vehicle))
      }
    }
  }, 300_000)
  afterAll(() => importing.close())

  test('every complaint of the file is served once, or named in the report with the reason', () => {
    const rows = rowsOf(path)
    const servedOnce = [...complaints.values()].flat().map(({ id }) => id.replace(/^cmp_/, ''))
    expect(servedOnce.length).toBe(new Set(servedOnce).size)

    expect(report.map(([table, , , kind]) => [table, kind])).toEqual(
      report.map(() => ['complaints', 'left out']),
    )
    expect(report.every(([, , vehicle, , reason = '']) => vehicle !== '' && reason.length > 20)).toBe(true)
    const named = report.map(([, line]) => rows[Number(line) - 1]?.[1] ?? '')
    expect([...servedOnce, ...named].toSorted()).toEqual(
      odiNumbers(rows)
        .map(([, odi]) => odi)
        .toSorted(),
    )
    expect(servedOnce.length + named.length).toBe(24_622)
  })

  test('the report names the lines that are about no model year and no vehicle', () => {
    expect(report).toEqual([
      [
        'complaints',
        '113',
        'FORD ENGINE & ENGINE COOLING 9999',
        'left out',
        expect.stringMatching(/equipment/),
      ],
      ['complaints', '26608', 'FORD FORD 9999', 'left out', expect.stringMatching(/9999.*cannot be/)],
    ])
  })

  test('the catalogue counts the same complaints, make by make', async () => {
    const ofFile = countBy(odiNumbers(rowsOf(path)), ([, , , make = '']) => make)
    for (const [, line] of report) {
      const make = rowsOf(path)[Number(line) - 1]?.[3] ?? ''
      ofFile[make] = (ofFile[make] ?? 0) - 1
    }
    const counted: Record<string, number> = {}
    for (const { path: model } of await knownModels(importing)) {
      const { data } = await importing.get(`/v1/vehicles/${model}`)
      const make = String(data.make).toUpperCase()
      counted[make] = (counted[make] ?? 0) + (data.total_complaints as number)
    }
    expect(counted).toEqual(ofFile)
  }, 60_000)

  test('the list of a make has what its models say', async () => {
    const models = await knownModels(importing)
    const { data } = await importing.get('/v1/vehicles')
    for (const { slug, model_count: count } of data.makes as { slug: string; model_count: number }[]) {
      const list = await importing.get(`/v1/vehicles/${slug}`)
      const listed = list.data.models as { slug: string; complaint_count: number }[]
      const own = models.filter(({ path: model, isListed }) => isListed && model.startsWith(`${slug}/`))
      expect([count, listed.map((model) => `${slug}/${model.slug}`).toSorted()]).toEqual([
        own.length,
        own.map((model) => model.path).toSorted(),
      ])
      for (const model of listed)
        expect(model.complaint_count).toBe(totalOf(complaints, `${slug}/${model.slug}`))
    }
  }, 60_000)

  test('categories add up for every model year, in the summary and in the list', async () => {
    for (const [vehicle, list] of complaints) {
      const { data } = await importing.get(`/v1/complaints/${vehicle}/categories`)
      const counts = Object.fromEntries(
        (data.categories as { name: string; count: number }[])
          .filter(({ count }) => count > 0)
          .map(({ name, count }) => [name, count]),
      )
      expect([vehicle, data.total_complaints, counts]).toEqual([
        vehicle,
        list.length,
        countBy(list, ({ category }) => category),
      ])
    }
  }, 120_000)

  test('narratives and mileages come back', () => {
    const rows = rowsOf(path)
    const withText = odiNumbers(rows.filter((row) => row[19]?.trim() !== '')).map(([, odi]) => odi)
    const all = [...complaints.values()].flat()
    const told = all.filter(({ description }) => description !== '').map(({ id }) => id.replace(/^cmp_/, ''))
    expect(withText.length).toBe(6288)
    // Two of them are those of the report.
    const left = new Set(report.map(([, line]) => rows[Number(line) - 1]?.[1]))
    expect(told.toSorted()).toEqual(withText.filter((odi) => !left.has(odi)).toSorted())

    const mileageOf = new Map(all.map(({ id, mileage }) => [id.replace(/^cmp_/, ''), mileage]))
    const reported = rows.filter((row) => Number(row[17]) >= 1 && Number(row[17]) <= 400_000)
    expect(odiNumbers(rows.filter((row) => Number(row[17]) > 0)).length).toBe(2729)
    for (const [, odi = ''] of odiNumbers(reported)) {
      if (left.has(odi)) continue
      const values = reported.filter((row) => row[1] === odi).map((row) => Number(row[17]))
      expect(values).toContain(mileageOf.get(odi))
    }
  })

  test('recalls are added to the same complaints', async () => {
    const file = sharedFile('recalls/api_ford_toyota_tesla_2015_2025.jsonl') ?? ''
    const before = await importing.get('/v1/complaints/ford/explorer/2016')
    await importing.publish('--recalls', file)

    const ofVehicle = jsonLines(file).filter(
      ({ make, model, modelYear }) => `${make} ${model} ${modelYear}` === 'FORD Explorer 2016',
    )
    const numbers = [...new Set(ofVehicle.map(({ NHTSACampaignNumber: number }) => number))]
    // Those of equipment are in the report.
    const expected = numbers.filter((number) => number.startsWith('V', 2)).toSorted()
    const named = reportOf(importing).filter(([, , vehicle]) => vehicle === 'FORD Explorer 2016')
    expect([expected.length, named.length]).toEqual([13, 1])

    const { data, meta } = await importing.get('/v1/vehicles/ford/explorer/2016?include=recalls')
    const served = (data.recalls as { campaign_number: string }[]).map((recall) => recall.campaign_number)
    expect([data.recall_count, served.toSorted()]).toEqual([13, expected])
    expect(meta.data_version).toBe(2)
    expect((await importing.get('/v1/complaints/ford/explorer/2016')).data).toEqual(before.data)
  }, 60_000)
})

describeShared('odi_flat_samples_2014/complaints.txt', (path) => {
  let importing: Importing

  beforeAll(async () => {
    importing = await openImporting()
  })
  afterAll(() => importing.close())

  test('the raw lines of 2014 are imported with the recalls beside them', async () => {
    const recalls = sharedFile('odi_flat_samples_2014/recalls.txt') ?? ''
    await importing.publish('--complaints', path, '--recalls', recalls)

    const totals = []
    for (const { path: model } of await knownModels(importing)) {
      totals.push((await importing.get(`/v1/vehicles/${model}`)).data.total_complaints as number)
    }
    expect(totals.reduce((sum, one) => sum + one, 0)).toBe(73)
    const { data } = await importing.get('/v1/datasets')
    expect(data.datasets).toMatchObject([
      { kind: 'complaints', lines_read: 100, lines_taken: 96, lines_refused: 0, rows: 73 },
      { kind: 'recalls', lines_read: 100, lines_taken: 96, lines_refused: 0, rows: 96 },
    ])
    expect(reportOf(importing).map(([table, , , , reason]) => [table, reason?.slice(0, 14)])).toEqual([
      ...Array.from({ length: 4 }, () => ['complaints', 'It is about ch']),
      ...Array.from({ length: 4 }, () => ['recalls', 'It is about eq']),
    ])
  }, 60_000)
})

function rowsOf(path: string): string[][] {
  return gunzipSync(readFileSync(path))
    .toString()
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split('\t'))
}

/** The first row of each ODI number. */
function odiNumbers(rows: readonly string[][]): string[][] {
  return [...new Map(rows.toReversed().map((row) => [row[1], row])).values()]
}

/** Rows of the report: table, line, vehicle, kind, reason. */
function reportOf({ workshop }: Importing): string[][] {
  const rows: string[][] = parse(readFileSync(`${workshop.directory}/import-report.csv`))
  return rows.slice(1)
}

function totalOf(complaints: ReadonlyMap<string, readonly Complaint[]>, model: string): number {
  return [...complaints]
    .filter(([vehicle]) => vehicle.startsWith(`${model}/`))
    .reduce((sum, [, list]) => sum + list.length, 0)
}

function countBy<T>(values: readonly T[], key: (value: T) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(values, key)].map(([name, group]) => [name, group.length]))
}

type Recall = Readonly<Record<'make' | 'model' | 'modelYear' | 'NHTSACampaignNumber', string>>

function jsonLines(path: string): Recall[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recall)
}
