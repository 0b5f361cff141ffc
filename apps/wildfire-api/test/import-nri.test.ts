import { sql } from 'kysely'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { nriTable } from '../src/import/nri-table.ts'
import { newerColumns, nriColumns, nriCsv, nriRows, zipOf } from './nri-file.ts'
import { openWorkshop, type Workshop } from './importing.ts'
import { databaseUrlOf, roomyPlans, startWildfire, type WildfireApp } from './support.ts'

let app: WildfireApp
let key: string
let workshop: Workshop

beforeEach(async () => {
  app = await startWildfire({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
  key = (await app.signUp('pro')).key
  workshop = openWorkshop(await databaseUrlOf(app))
})
afterEach(async () => {
  workshop.close()
  await app.close()
})

const ask = async (code: string) => {
  const { status, body } = await app.call('get', `/v1/risk/county/${code}`, { key })
  expect(status).toBe(200)
  return body.data
}

test('a table is served after the next look at the data version, and a county without a row says so', async () => {
  const path = workshop.file(
    'NRI_Table_Counties.csv',
    nriCsv(nriRows().filter((row) => row['STCOFIPS'] !== '06061')),
  )
  const before = await ask('06057')

  const { code, stdout } = await workshop.run('--nri', path)
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('Published nri v1.20 (December 2025) as data version 2'),
  })
  expect(stdout).toContain('3221 new, 0 changed, 0 the same, 0 gone')
  expect(await ask('06057')).toEqual(before)
  await app.counties.refresh()

  const data = await ask('06057')
  expect(data).toMatchObject({
    county: { areaSqMi: 610.5 },
    hazard: { score: 99.5, likelihood: { annualBurnProbability: 0.0031, oneIn: 323, source: 'nri_v1.20' } },
    exposure: { buildingValueExposedUsd: 1.25e9, shareOfBuildingValue: 0.5 },
    expectedAnnualLoss: { perMillionBuildingValueUsd: 0.4, agricultureUsd: 25 },
    dataVintage: { nri: 'v1.20 (December 2025)', dataVersion: 2 },
    coverage: { complete: true, notes: [expect.stringContaining('directlyExposedBuildingShare')] },
  })
  expect(await ask('06061')).toMatchObject({
    nri: { score: null, version: null },
    coverage: {
      complete: false,
      notes: [
        expect.stringMatching(
          /has no row for Placer County\. Therefore null: .*all of nri, all of community/,
        ),
        ...[expect.stringContaining('directlyExposedBuildingShare'), expect.stringContaining('estimated')],
      ],
    },
  })
  expect(await ask('11001')).toMatchObject({
    hazard: { basis: 'nri.loss_rate_percentile' },
    coverage: { reason: null },
  })
  expect(await ask('72001')).toMatchObject({ county: { population: 18_000 }, nri: { score: null } })
})

test('answers get another ETag with another data version', async () => {
  const tag = async (etag = '') => {
    const headers = { 'If-None-Match': etag }
    const answer = await app.call('get', '/v1/risk/county/06061', { key, headers })
    return { status: answer.status, etag: answer.headers['etag'] ?? '' }
  }
  const { etag } = await tag()
  await workshop.run('--nri', workshop.file('a.csv', nriCsv(nriRows())))
  await app.counties.refresh()

  expect(await tag(etag)).toEqual({ status: 200, etag: expect.not.stringContaining(etag) })
})

test('the same file again changes nothing, another one is compared with what is served', async () => {
  const rows = nriRows()
  const first = workshop.file('first.csv', nriCsv(rows))
  await workshop.run('--nri', first)

  expect(await workshop.run('--nri', first)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('nothing new'),
  })

  const changed = rows
    .slice(0, -1)
    .map((row) => (row['STCOFIPS'] === '06061' ? { ...row, POPULATION: '1' } : row))
  const { stdout } = await workshop.run('--nri', workshop.file('second.csv', nriCsv(changed)))
  expect(stdout).toContain('0 new, 1 changed, 3220 the same, 1 gone')
})

test('--dry-run checks and publishes nothing', async () => {
  const { code, stdout } = await workshop.run('--nri', workshop.file('a.csv', nriCsv(nriRows())), '--dry-run')
  await app.counties.refresh()

  expect([code, (await ask('06061')).dataVintage.nri]).toEqual([0, null])
  expect(stdout).toContain('Nothing was published')
})

describe('the forms in which the table is published', () => {
  const aliases = () =>
    Object.fromEntries(nriTable.columns.map(({ names: [name = '', alias = name] }) => [name, alias]))

  test.each([
    [
      'a zip with a dictionary beside it',
      'zip',
      () =>
        zipOf({
          'NRIDataDictionary.csv': 'Sort\r\n1\r\n',
          'NRI_Table_Counties.csv': nriCsv(nriRows()),
          'NRI_HazardInfo.csv': 'a\r\n',
        }),
    ],
    [
      'the Hub export with aliases',
      'csv',
      () =>
        nriCsv(nriRows(), {
          names: {
            ...aliases(),
            POPULATION: 'Population (2020)',
            WFIR_EXP_AREA: 'Wildfire - Exposure - Impacted Area (sq mi)',
          },
        }),
    ],
    [
      'without a byte order mark and with other line ends',
      'csv',
      () => nriCsv(nriRows()).slice(1).replaceAll('\r\n', '\n'),
    ],
    [
      'codes that lost their zero, months that a spreadsheet shortened',
      'csv',
      () =>
        nriCsv(
          nriRows().map((row) => ({ ...row, STCOFIPS: String(Number(row['STCOFIPS'])), NRI_VER: 'Dec-25' })),
        ),
    ],
    [
      'further columns',
      'csv',
      () => nriCsv(nriRows(), { columns: ['OBJECTID', ...nriColumns, 'Shape__Area'] }),
    ],
  ])('%s is read', async (_, type, make) => {
    const { code, stderr } = await workshop.run('--nri', workshop.file(`table.${type}`, make()))
    await app.counties.refresh()

    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(await ask('06061')).toMatchObject({
      exposure: { areaExposedSqMi: 23.5 },
      dataVintage: { nri: 'v1.20 (December 2025)' },
    })
  })

  test('v1.18 is read: without the newer columns and with counties that were retired since', async () => {
    const rows = nriRows()
      .filter((row) => !row['STCOFIPS']?.startsWith('09'))
      .map((row) => ({ ...row, NRI_VER: 'November 2021' }))
    const retired = ['09001', '09003', '02261'].map((STCOFIPS) => ({ ...rows[0], STCOFIPS }))
    const columns = nriColumns.filter((name) => !newerColumns.includes(name))
    const { code, stdout } = await workshop.run(
      '--nri',
      workshop.file('old.csv', nriCsv([...rows, ...retired], { columns })),
    )
    await app.counties.refresh()

    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('3 left out') })
    expect(readFileSync(`${workshop.directory}/import-report.csv`, 'utf8')).toMatch(
      /nri,\d+,09001,left out,.*09120, 09140, 09190/,
    )
    expect(await ask('06061')).toMatchObject({
      expectedAnnualLoss: { perMillionBuildingValueUsd: expect.any(Number), nationalPercentile: null },
      dataVintage: { nri: 'v1.18 (November 2021)' },
    })
    expect((await ask('09110')).coverage.notes).toContainEqual(
      expect.stringContaining('no row for Capitol Planning Region'),
    )
  })

  test('words for "no value" in number columns are null', async () => {
    const rows = nriRows().map((row) =>
      row['STCOFIPS'] === '06061'
        ? {
            ...row,
            WFIR_RISKS: 'Insufficient Data',
            SOVI_SCORE: 'NULL',
            WFIR_AFREQ: 'Not Applicable',
            WFIR_RISKR: 'Insufficient Data',
          }
        : row,
    )
    await workshop.run('--nri', workshop.file('a.csv', nriCsv(rows)))
    await app.counties.refresh()

    expect(await ask('06061')).toMatchObject({
      nri: { score: null, rating: 'Insufficient Data' },
      community: { socialVulnerability: { score: null } },
      hazard: { likelihood: { source: 'estimated' } },
    })
  })
})

describe('an address', () => {
  let server: Server
  let answer: (url: string) => { status?: number; body: string | Buffer; length?: number }
  let base: string
  let asked: IncomingHttpHeaders
  beforeEach(async () => {
    server = createServer((req, res) => {
      asked = req.headers
      const { status = 200, body, length = Buffer.byteLength(body) } = answer(req.url ?? '')
      res.writeHead(status, { 'Content-Length': length })
      res.write(body)
      if (length === Buffer.byteLength(body)) res.end()
      else setTimeout(() => res.destroy(), 50)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    base = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  })
  afterEach(() => new Promise((done) => server.close(done)))

  test('is downloaded, and named without the credentials that it was asked with', async () => {
    answer = () => ({ body: zipOf({ 'NRI_Table_Counties.csv': nriCsv(nriRows()) }) })
    const address = `${base.replace('http://', 'http://user:secret@')}/NRI.zip?format=csv`

    const { code, stdout } = await workshop.run('--nri', address)

    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`from ${base}/NRI.zip?format=csv`),
    })
    expect(asked.authorization).toBe(`Basic ${btoa('user:secret')}`)
    const { rows } = await sql<{ source: string }>`select source from dataset where kind = 'nri'`.execute(
      app.database.db,
    )
    expect(rows).toEqual([{ source: `${base}/NRI.zip?format=csv` }])
  })

  test.each([
    ['answers 404', () => ({ status: 404, body: 'gone' }), /answered 404/],
    ['answers with a web page', () => ({ body: '<!DOCTYPE html><html>moved</html>' }), /web page/],
    ['breaks off', () => ({ body: 'STCOFIPS,', length: 1_000_000 }), /could not be downloaded/],
    ['is empty', () => ({ body: '' }), /is empty/],
  ])('that %s changes nothing', async (_, given, why) => {
    answer = given
    const { code, stderr } = await workshop.run('--nri', `${base}/NRI.csv`)
    expect([code, stderr]).toEqual([1, expect.stringMatching(why)])
  })
})
