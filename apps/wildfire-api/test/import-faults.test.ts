import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { openWorkshop, type Workshop } from './importing.ts'
import { nriColumns, nriCsv, nriRows, zipOf, type NriRow } from './nri-file.ts'
import { databaseUrlOf, roomyPlans, startWildfire, type WildfireApp } from './support.ts'

const rows = nriRows()
const whole = nriCsv(rows)

let app: WildfireApp
let key: string
let workshop: Workshop

beforeAll(async () => {
  app = await startWildfire({ plans: roomyPlans, settings: { burstPerSecond: 0 } })
  key = (await app.signUp('pro')).key
  workshop = openWorkshop(await databaseUrlOf(app))
  await workshop.run('--nri', workshop.file('served.csv', whole))
})
afterAll(async () => {
  workshop.close()
  await app.close()
})

/** What is served, after a look at whether there is a new data version. */
async function served() {
  await app.counties.refresh()
  const { body } = await app.call('get', '/v1/risk/county/06061', { key })
  return { population: body.data.county.population, vintage: body.data.dataVintage }
}

/** The table with other values in one county, and new ones everywhere, so that it is not the file that is served. */
function withPlacer(values: NriRow): string {
  return nriCsv(rows.map((row) => ({ ...row, AREA: '1', ...(row['STCOFIPS'] === '06061' ? values : {}) })))
}

const faulty: readonly (readonly [string, string, () => string | Buffer, RegExp])[] = [
  [
    'is cut off in the middle of a line',
    'csv',
    () => whole.slice(0, whole.length / 2),
    /1 line .* is faulty.*cells/,
  ],
  [
    'is cut off between two lines',
    'csv',
    () => nriCsv(rows.slice(0, 2000)),
    /2000 usable counties; expected at least 3100/,
  ],
  [
    'lacks the last states',
    'csv',
    () => nriCsv(rows.slice(0, 3110)),
    /no county of the states with FIPS 5\d.*cut off/,
  ],
  [
    'is a zip that was cut off',
    'zip',
    () => zipOf({ 'a.csv': whole }).subarray(0, 50_000),
    /not a whole zip file/,
  ],
  [
    'is a zip with two tables',
    'zip',
    () => zipOf({ 'a.csv': whole, 'b.csv': whole }),
    /Expected one CSV.*a\.csv, b\.csv/,
  ],
  ['is a zip without a table', 'zip', () => zipOf({ 'readme.txt': 'x' }), /Expected one CSV.*readme\.txt/],
  ['is empty', 'csv', () => '', /is empty/],
  ['has only a header', 'csv', () => nriCsv([]), /0 usable counties/],
  ['is a web page', 'csv', () => '<html>moved</html>', /web page/],
  ['is binary', 'csv', () => Buffer.from([0, 1, 2, 3, 255]), /no header|lacks/],
  [
    'lacks columns',
    'csv',
    () => nriCsv(rows, { columns: nriColumns.filter((name) => !['STCOFIPS', 'WFIR_EALB'].includes(name)) }),
    /lacks 2 required columns: STCOFIPS, WFIR_EALB/,
  ],
  [
    'has a column twice',
    'csv',
    () => nriCsv(rows, { columns: [...nriColumns, 'WFIR_EALB'] }),
    /two columns for WFIR_EALB/,
  ],
  [
    'has NaN for a number',
    'csv',
    () => withPlacer({ WFIR_EALT: 'NaN' }),
    /county 06061: WFIR_EALT "NaN" is not a number/,
  ],
  ['has text for a number', 'csv', () => withPlacer({ WFIR_EXPB: 'about 5' }), /"about 5" is not a number/],
  ['has infinity', 'csv', () => withPlacer({ WFIR_EXPB: '1e999' }), /too large/],
  ['has a negative loss', 'csv', () => withPlacer({ WFIR_EALB: '-1' }), /is below 0/],
  ['has a score over 100', 'csv', () => withPlacer({ WFIR_RISKS: '100.01' }), /is above 100/],
  ['has a probability over 1', 'csv', () => withPlacer({ WFIR_AFREQ: '3' }), /is above 1/],
  [
    'has a rating that is none',
    'csv',
    () => withPlacer({ WFIR_RISKR: 'Extreme' }),
    /"Extreme" is not a rating/,
  ],
  [
    'has a total that is not the sum',
    'csv',
    () => withPlacer({ WFIR_EALT: '99999' }),
    /not the sum of its parts/,
  ],
  [
    'has a county twice',
    'csv',
    () => nriCsv([...rows.map((row) => ({ ...row, AREA: '1' })), rows[5] ?? {}]),
    /already in an earlier line/,
  ],
  ['has a code that is none', 'csv', () => withPlacer({ STCOFIPS: '06-061' }), /county code/],
  [
    'has an unclosed quote',
    'csv',
    () => nriCsv(rows).replace('Placer County', '"Placer County'),
    /cannot be read to the end|faulty/,
  ],
  ['mixes releases', 'csv', () => withPlacer({ NRI_VER: 'March 2023' }), /mixes releases/],
  ['has no values at all', 'csv', () => nriCsv(rows.map((row) => ({ ...row, WFIR_EALT: '' }))), /Only 0 of/],
  [
    'has the lines of the census tracts',
    'csv',
    () => nriCsv(Array.from({ length: 20_001 }, () => ({ STCOFIPS: '99999' }))),
    /more than 20000 lines/,
  ],
  ['is not there', 'csv', () => '', /cannot be read: ENOENT/],
]

test.each(faulty)(
  'a file that %s is refused, and what was served is still served',
  async (what, type, make, why) => {
    const before = await served()
    const path = what === 'is not there' ? '/nowhere/table.csv' : workshop.file(`faulty.${type}`, make())

    const { code, stdout, stderr } = await workshop.run('--nri', path)

    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(why) })
    expect(await served()).toEqual(before)
  },
  30_000,
)

test('a file that is written to while it is read is not published', async () => {
  const path = workshop.file('busy.csv', withPlacer({ POPULATION: '123' }))
  const before = await served()
  let seconds = 0
  const writing = setInterval(() => utimesSync(path, ++seconds, seconds), 1)
  const { code, stderr } = await workshop.run('--nri', path).finally(() => clearInterval(writing))

  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/busy\.csv: The file changed while it was read[^]*still served/),
  })
  expect(await served()).toEqual(before)
})

test('faulty lines are listed in the report with their number and reason', async () => {
  const report = join(workshop.directory, 'reports', 'lines.csv')
  await workshop.run(
    '--nri',
    workshop.file('a.csv', withPlacer({ WFIR_EALT: 'NaN', WFIR_RISKS: '=1+1' })),
    '--report',
    report,
  )

  const [header, ...lines] = readFileSync(report, 'utf8').trim().split('\r\n')
  const number = rows.findIndex((row) => row['STCOFIPS'] === '06061') + 2
  expect(header).toBe('table,line,county,kind,reason')
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^nri,${number},06061,faulty,.*EALT .*NaN.*RISKS`)),
  ])
})

test('--max-rejected publishes although a line is faulty, without that county', async () => {
  const path = workshop.file('a.csv', withPlacer({ WFIR_EALT: 'NaN' }))
  const { code, stdout } = await workshop.run('--nri', path, '--max-rejected', '1')

  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('1 of them faults') })
  expect((await served()).population).toBeNull()
  await workshop.run('--nri', workshop.file('served.csv', whole))
})

test.each(['/dev/full', '/proc/report.csv', '/dev/null/report.csv'])(
  'a report that cannot be written, %s, stops the import before it begins',
  async (report) => {
    const before = await served()
    const { code, stderr } = await workshop.run(
      '--nri',
      workshop.file('a.csv', withPlacer({})),
      '--report',
      report,
    )

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/report .* cannot be written.*--report/),
    })
    expect(await served()).toEqual(before)
  },
)

test('a directory in place of a file is refused', async () => {
  const path = join(workshop.directory, 'folder')
  if (!existsSync(path)) mkdirSync(path)
  expect(await workshop.run('--nri', path)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot be read'),
  })
})

test.each([
  [[], /nothing to import/],
  [['--nri'], /argument/],
  [['--nir', 'x'], /--nir/],
  [['--nri', 'x', '--min-rows', 'many'], /not a number of lines/],
  [['--wrc', 'x', '--wrc-release', 'spring'], /is not a date/],
])('arguments %j are answered with the usage and code 2', async (args, why) => {
  const { code, stderr } = await workshop.run(...args)
  expect([code, stderr]).toEqual([2, expect.stringMatching(why)])
  expect(stderr).toContain('Exit codes')
})

test('--help explains the command', async () => {
  expect(await workshop.run('--help')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('--nri FILE|URL'),
  })
})
