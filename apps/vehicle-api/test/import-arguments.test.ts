import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zipOf } from './archive.ts'
import { complaintLine } from './complaint-lines.ts'
import { generatedLines, recallLines, salesCsv } from './import-files.ts'
import { openImporting, type Importing } from './importing.ts'
import { publishFixture } from './support.ts'

const lines = generatedLines(1_000)
const newer = generatedLines(1_200, 3)

let importing: Importing
let complaints: string

beforeEach(async () => {
  importing = await openImporting()
  complaints = importing.workshop.file('complaints.txt', lines.join(''))
})
afterEach(() => importing.close())

const version = async () => (await importing.get('/v1/datasets')).data

describe('a file', () => {
  test.each([
    ['plain', 'complaints.txt', (text: string) => text],
    ['without the end of its last line', 'complaints.txt', (text: string) => text.trimEnd()],
    ['with a byte order mark', 'complaints.txt', (text: string) => `\ufeff${text}`],
    ['with other ends of lines', 'complaints.txt', (text: string) => text.replaceAll('\r\n', '\n')],
    ['in gzip', 'complaints.txt.gz', (text: string) => gzipSync(text)],
    [
      'in a zip beside another',
      'CMPL.zip',
      (text: string) => zipOf({ 'FLAT_CMPL.txt': text, 'CMPL.pdf': 'x' }),
    ],
  ])('%s is read', async (_, name, make) => {
    await importing.publish('--complaints', importing.workshop.file(name, make(lines.join(''))))
    const { datasets } = await version()
    expect(datasets).toMatchObject([
      { kind: 'complaints', source: name, lines_read: 1_000, lines_refused: 0 },
    ])
  })

  test('that is served already is not imported again, beside another that is new', async () => {
    await importing.publish('--complaints', complaints)
    expect(await importing.run('--complaints', complaints)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/already served \(complaints\.txt\)[^]*nothing new to publish/),
    })
    expect((await version()).version.number).toBe(1)

    const sales = importing.workshop.file('sales.csv', salesCsv())
    await importing.publish('--complaints', complaints, '--sales', sales)
    const { version: now, datasets } = await version()
    expect([now.number, (datasets as { kind: string }[]).map(({ kind }) => kind)]).toEqual([
      2,
      ['complaints', 'sales'],
    ])
  }, 30_000)

  test.each([
    ['is not there', '/nowhere/FLAT_CMPL.zip', /cannot be read: ENOENT/],
    ['is a directory', '.', /it is a directory\. Give the files in it/],
    ['has no name', '', /cannot be read/],
  ])('that %s is refused', async (_, path, why) => {
    expect(await importing.run('--complaints', path)).toMatchObject({
      ...{ code: 1, stdout: '', stderr: expect.stringMatching(why) },
    })
  })
})

test('sales of too few model years are loaded, and the import says how many are lacking', async () => {
  const file = (name: string, text: string) => importing.workshop.file(name, text)
  const [header = '', ...rows] = salesCsv().split('\r\n')
  const some = (name: string, count: number) => file(name, [header, ...rows.slice(0, count), ''].join('\r\n'))
  const given = ['--complaints', file('complaints.txt', generatedLines(3_000).join(''))]
  const { stdout } = await importing.run(...given, '--sales', some('few.csv', 4))
  expect(stdout).toMatch(/sales: no score rests on them yet\..* 4 have sales and 10 are needed.* 6 more\./)
  const { data: methodology } = await importing.get('/v1/methodology')
  expect(methodology.exposure_bases[0]).toMatchObject({ exposure_basis: 'sales', fit: null })
  expect(methodology.rules.better_basis).toContain('10 model years')

  const elsewhere = file('other.csv', `${header}\r\nNorrvik,NV-99,2020,5000\r\n`)
  expect((await importing.run('--sales', elsewhere)).stdout).toMatch(
    / 0 have sales and 10 are needed.* 10 more\./,
  )

  const { stdout: enough } = await importing.run('--sales', file('all.csv', salesCsv()))
  expect(enough).not.toContain('no score rests on them')
  const { data: fitted } = await importing.get('/v1/methodology')
  expect(fitted.exposure_bases[0].fit.vehicles).toBeGreaterThan(9)
}, 60_000)

describe('--dry-run', () => {
  test('checks everything, publishes nothing and leaves no table', async () => {
    expect(await importing.run('--complaints', complaints, '--dry-run')).toMatchObject({
      ...{ code: 0, stdout: expect.stringContaining('Nothing was published, because of --dry-run') },
    })
    expect(importing.app.data.isLoaded()).toBe(false)
    expect(await importing.dataTables()).toEqual([])
  })

  test('refuses what an import would refuse', async () => {
    const path = importing.workshop.file('half.txt', lines.join('').slice(0, 50_000))
    expect((await importing.run('--complaints', path, '--dry-run')).code).toBe(1)
  })
})

describe('--allow-fewer', () => {
  test.each([
    ['fewer complaints', () => lines.slice(0, 500)],
    ['older complaints', () => [...newer.slice(0, 1_100)].map((line) => withDate(line, '20200101'))],
  ])(
    'publishes %s than are served',
    async (_, make) => {
      await importing.publish('--complaints', complaints)
      const path = importing.workshop.file('other.txt', make().join(''))
      expect((await importing.run('--complaints', path)).code).toBe(1)
      await importing.publish('--complaints', path, '--allow-fewer')
      expect((await version()).version.number).toBe(2)
    },
    30_000,
  )

  test('publishes fewer recalls than are served', async () => {
    const [many, few] = [60, 58].map((n) => importing.workshop.file(`${n}.txt`, recallLines(n).join('')))
    await importing.publish('--complaints', complaints, '--recalls', many ?? '')
    expect((await importing.run('--recalls', few ?? '')).code).toBe(1)
    await importing.publish('--recalls', few ?? '', '--allow-fewer')
    expect((await importing.get('/v1/vehicles/aldera/corvane/2016')).data.recall_count).toBe(58)
  })

  test('is not needed where a few were withdrawn', async () => {
    await importing.publish('--complaints', complaints)
    await importing.publish('--complaints', importing.workshop.file('a.txt', lines.slice(0, 990).join('')))
  })
})

describe('faulty lines', () => {
  const faulty = lines.map((line, at) =>
    at % 80 === 5 ? line.split('\t').slice(0, 20).join('\t') + '\r\n' : line,
  )

  test('up to --max-rejected are left out and named in the report, with number, subject and reason', async () => {
    const path = importing.workshop.file('faulty.txt', faulty.join(''))
    const report = join(importing.workshop.directory, 'reports', 'lines.csv')
    expect((await importing.run('--complaints', path, '--max-rejected', '12')).code).toBe(1)
    await importing.publish('--complaints', path, '--max-rejected', '13', '--report', report)

    const [head, ...rows] = readFileSync(report, 'utf8').trim().split('\r\n')
    expect(head).toBe('table,line,vehicle,kind,reason')
    const expected = faulty.flatMap((line, at) => {
      const [, , , make, model, year] = line.split('\t')
      const reason = '"The line has 20 columns; expected 46 or more, separated by tabs."'
      return at % 80 === 5 ? [`complaints,${at + 1},${make} ${model} ${year},faulty,${reason}`] : []
    })
    expect(rows).toEqual(expected)
    expect((await version()).datasets[0]).toMatchObject({
      lines_read: 1_000,
      lines_taken: 987,
      lines_refused: 13,
    })
  })

  test('of several files are named with their file', async () => {
    const [first, second] = [lines.slice(0, 300), [...lines.slice(300), complaintLine({ product: 'T' })]]
    const { workshop } = importing
    const files = [first, second].map((own, at) => workshop.file(`${at}.txt`, own.join('')))
    await importing.publish(...files.flatMap((file) => ['--complaints', file]))
    expect(readFileSync(join(workshop.directory, 'import-report.csv'), 'utf8')).toContain(
      'complaints (1.txt),701,CORVANE ALDERA 2018,left out',
    )
  })

  test('in the last line tell of a file that was cut off, unless they are allowed', async () => {
    const path = importing.workshop.file('cut.txt', lines.join('').slice(0, -40))
    expect(await importing.run('--complaints', path)).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('probably cut off') },
    })
    await importing.publish('--complaints', path, '--max-rejected', '1')
  })
})

test('--max-empty allows complaints without narrative', async () => {
  const half = lines.map((line) => (Number(line.split('\t')[1]) % 2 === 0 ? withoutNarrative(line) : line))
  const path = importing.workshop.file('half.txt', half.join(''))
  const { code, stderr } = await importing.run('--complaints', path, '--max-empty', '40')
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/ % of the complaints have no narrative, 40 % are/),
  ])
  await importing.publish('--complaints', path, '--max-empty', '60')
})

test('generated sample data are not mixed with real ones', async () => {
  const recalls = ['--recalls', importing.workshop.file('recalls.txt', recallLines(3).join(''))]
  expect(await importing.run(...recalls)).toMatchObject({
    ...{ code: 1, stderr: expect.stringMatching(/Nothing is served yet.*give --complaints as well/) },
  })
  await publishFixture(importing.app.database, { sample: true })
  expect(await importing.run(...recalls)).toMatchObject({
    ...{ code: 1, stderr: expect.stringMatching(/Only generated sample data.*give --complaints as well/) },
  })
  expect((await importing.get('/v1/vehicles')).meta.sample).toBe(true)

  await importing.publish('--complaints', complaints)
  const { datasets, version: now } = await version()
  expect([now.sample, datasets.length]).toEqual([false, 1])
  expect((await importing.get('/v1/vehicles/aldera/corvane/2016')).data.recall_count).toBeNull()
}, 30_000)

test.each(['/dev/full', '/proc/report.csv', '/dev/null/report.csv'])(
  'a report that cannot be written, %s, stops the import before it begins',
  async (report) => {
    expect(await importing.run('--complaints', complaints, '--report', report)).toMatchObject({
      ...{ code: 1, stdout: '', stderr: expect.stringMatching(/report .* cannot be written.*--report/) },
    })
    expect(await importing.dataTables()).toEqual([])
  },
)

test.each([
  [[], /nothing to import/],
  [['--complaints'], /argument/],
  [['--complaint', 'x'], /--complaint/],
  [['--complaints', 'x', '--max-rejected', 'many'], /--max-rejected many is not a whole number/],
  [['--complaints', 'x', '--max-rejected', '-1'], /max-rejected/],
  [['--complaints', 'x', '--max-empty', '101'], /0 to 100/],
  [['FLAT_CMPL.zip'], /FLAT_CMPL\.zip/],
  [['--dry-run'], /nothing to import/],
])('arguments %j are answered with the usage and code 2', async (args, why) => {
  const { code, stdout, stderr } = await importing.run(...args)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(why)])
  expect(stderr).toContain('Exit codes')
  expect(existsSync(join(importing.workshop.directory, 'import-report.csv'))).toBe(false)
})

test('--help explains the command', async () => {
  expect(await importing.run('--help')).toMatchObject({
    ...{ code: 0, stderr: '', stdout: expect.stringContaining('--complaints FILE|URL') },
  })
})

function withDate(line: string, date: string): string {
  const cells = line.split('\t')
  cells[7] = cells[15] = cells[16] = date
  return cells.join('\t')
}

function withoutNarrative(line: string): string {
  return line
    .split('\t')
    .map((cell, at) => (at === 19 ? '' : cell))
    .join('\t')
}
