import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'
import { wrcRelease } from '../src/import/wrc-table.ts'
import { shippedFile } from '../src/shipped-data.ts'
import { openWorkshop, type Workshop } from './importing.ts'
import { zipOf } from './nri-file.ts'
import { databaseUrlOf, roomyPlans, startWildfire, type WildfireApp } from './support.ts'

type Row = readonly (string | number)[]

const header = [
  ...['GEOID', 'GEOIDFQ', 'NAME', 'STUSPS', 'STATE_NAME', 'POP', 'TOTAL_BUILDINGS', 'BUILDINGS_FRACTION_ME'],
  ...['BUILDINGS_FRACTION_IE', 'BUILDINGS_FRACTION_DE', 'BP_NATIONAL_RANK', 'RISK_NATIONAL_RANK'],
]

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
  await app.counties.refresh()
  return (await app.call('get', `/v1/risk/county/${code}`, { key })).body.data
}

test('a newer workbook is served: numbers without zeros in front, an empty row for the District of Columbia', async () => {
  const path = workshop.file(
    'wrc_download_20270401.xlsx',
    workbook('Counties', [['Wildfire Risk to Communities'], header, ...newerRows()]),
  )

  const { code, stdout, stderr } = await workshop.run('--wrc', path)

  expect({ code, stderr, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('0 new, 3143 changed, 0 the same, 0 gone'),
  })
  expect(await ask('06061')).toMatchObject({
    county: { population: 400_000 },
    hazard: { score: 2.3, rating: 'very_low' },
    exposure: {
      totalBuildings: 176_004,
      directlyExposedBuildingShare: 0.5,
      indirectlyExposedBuildingShare: 0.3,
    },
    dataVintage: { wrc: '2027-04-01', dataVersion: 2 },
  })
  expect(await ask('11001')).toMatchObject({ hazard: { score: null } })
})

test('a CSV of the sheet is read, with the release given on the command line', async () => {
  const text = [header, ...newerRows()].map((row) => row.join(',')).join('\n')
  const path = workshop.file('counties.csv', text)

  expect(await workshop.run('--wrc', path)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--wrc-release'),
  })
  expect(await workshop.run('--wrc', path, '--wrc-release', '2027-04')).toMatchObject({ code: 0 })
  expect((await ask('06061')).dataVintage.wrc).toBe('2027-04')
})

test.each([
  ['of another sheet', () => workbook('Communities', [header, ...newerRows()]), /sheet "Counties"/],
  [
    'with shares that do not add up',
    () => workbook('Counties', [header, ...newerRows().map((row) => row.with(7, 0.9))]),
    /add up to/,
  ],
  [
    'with ranks over 1',
    () => workbook('Counties', [header, ...newerRows().map((row) => row.with(11, 97.7))]),
    /above 1/,
  ],
  [
    'without the ranks',
    () => workbook('Counties', [header.slice(0, 10), ...newerRows().map((row) => row.slice(0, 10))]),
    /lacks 2 required columns: BP_NATIONAL_RANK, RISK_NATIONAL_RANK/,
  ],
  [
    'without the codes',
    () => workbook('Counties', [header.slice(1), ...newerRows()]),
    /lacks 1 required columns: GEOID/,
  ],
  [
    'that was cut off',
    () => workbook('Counties', [header, ...newerRows()]).subarray(0, 9_000),
    /not a whole zip/,
  ],
])('a workbook %s is refused, and what was served is still served', async (_, make, why) => {
  const { code, stderr } = await workshop.run('--wrc', workshop.file('wrc_download_20270401.xlsx', make()))

  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(why) })
  expect(await ask('06061')).toMatchObject({
    hazard: { score: 97.7 },
    dataVintage: { wrc: '2026-04-15', dataVersion: 1 },
  })
})

test.each([
  ['wrc_download_20260415.xlsx', '2026-04-15'],
  ['https://wildfirerisk.org/wp-content/uploads/2025/05/wrc_download_202505.xlsx', '2025-05'],
  ['counties.csv', undefined],
])('the name %s tells the release %s', (name, release) => {
  expect(wrcRelease(name)).toBe(release)
})

/** The shipped table with the ranks turned around. */
function newerRows(): Row[] {
  const rows: Record<string, string>[] = parse(readFileSync(shippedFile('wrc-counties.csv')), {
    columns: true,
  })
  const turned = rows.map(({ code, buildings, bp_national_rank: bp, risk_national_rank: risk }) => {
    const flip = (rank = '') => Number((1 - Number(rank)).toFixed(3))
    return [
      Number(code),
      `0500000US${code}`,
      'A county',
      'XX',
      'A state',
      400_000,
      Number(buildings),
      0.2,
      0.3,
      0.5,
      flip(bp),
      flip(risk),
    ]
  })
  return [
    ...turned,
    [
      11001,
      '0500000US11001',
      'District of Columbia',
      'DC',
      'District of Columbia',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
    ],
  ]
}

/** The least that is a workbook with one sheet. */
function workbook(sheet: string, rows: readonly Row[]): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const packages = 'http://schemas.openxmlformats.org/package/2006'
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>'
  const cells = rows.map(
    (row, y) => `<row r="${y + 1}">${row.map((value, x) => cellOf(value, x, y)).join('')}</row>`,
  )
  return zipOf({
    '[Content_Types].xml': `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    '_rels/.rels': `${declaration}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${declaration}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `${declaration}<worksheet xmlns="${main}"><sheetData>${cells.join('')}</sheetData></worksheet>`,
  })
}

function cellOf(value: string | number, x: number, y: number): string {
  const name = `${String.fromCharCode(65 + x)}${y + 1}`
  if (value === '') return ''
  if (typeof value === 'number') return `<c r="${name}"><v>${value}</v></c>`
  return `<c r="${name}" t="inlineStr"><is><t>${value}</t></is></c>`
}
