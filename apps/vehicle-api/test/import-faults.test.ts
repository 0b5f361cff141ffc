import { gzipSync } from 'node:zlib'
import { complaintLine } from './complaint-lines.ts'
import { zipOf } from './archive.ts'
import { generatedLines, recallLines, salesCsv } from './import-files.ts'
import { openImporting, type Importing } from './importing.ts'

const lines = generatedLines(2_000)
const newer = generatedLines(2_400, 3)
const whole = newer.join('')
const recalls = recallLines(60)

let importing: Importing
let other: Importing | undefined

beforeAll(async () => {
  importing = await openImporting()
  const { workshop } = importing
  await importing.publish(
    ...['--complaints', workshop.file('served.txt', lines.join(''))],
    ...['--recalls', workshop.file('served-recalls.txt', recalls.join(''))],
  )
}, 60_000)
afterEach(async () => {
  await other?.close()
  other = undefined
})
afterAll(() => importing.close())

/** What is served, and which tables there are. */
async function served() {
  const paths = [
    '/v1/datasets',
    '/v1/vehicles',
    '/v1/vehicles/aldera/corvane/2016?include=complaints,recalls',
  ]
  const answers = []
  for (const path of paths) answers.push(await importing.get(path))
  return { answers, tables: await importing.dataTables() }
}

/** Replaces what a column has in some of the lines. */
function withColumn(rows: readonly string[], column: number, text: string, isMeant: (at: number) => boolean) {
  return rows
    .map((row, at) => {
      if (!isMeant(at)) return row
      const cells = row.split('\t')
      cells[column] = text
      return cells.join('\t')
    })
    .join('')
}

/** By ODI number, so that a complaint of several rows loses it in all. */
function withoutNarratives(share: number): string {
  const isMeant = (at: number) => Number(newer[at]?.split('\t')[1]) % 100 < 100 * share
  return withColumn(newer, 19, '', isMeant)
}

type Fault = readonly [what: string, file: string, make: () => string | Buffer, why: RegExp]

const cutOff: readonly Fault[] = [
  [
    'in the middle of its last line',
    'txt',
    () => whole.slice(0, -300),
    /last line, 2400, is faulty.*columns.*cut off/,
  ],
  ['in the middle of a line', 'txt', () => whole.slice(0, whole.length / 2), /is faulty.*columns.*cut off/],
  [
    'between two lines',
    'txt',
    () => newer.slice(0, 1200).join(''),
    /There are \d+ complaints, \d+ are served.*cut off.*--allow-fewer/,
  ],
  [
    'in the middle of a zip',
    'zip',
    () => cut(zipOf({ 'a.txt': whole })),
    /not a whole zip file.*Download it again/,
  ],
  [
    'in the middle of a gzip',
    'gz',
    () => cut(gzipSync(whole)),
    /cannot be read to the end.*Download it again/,
  ],
  ['at the end of a gzip', 'gz', () => gzipSync(whole).subarray(0, -4), /cannot be read to the end/],
]

const others: readonly Fault[] = [
  [
    'has a damaged byte in a zip',
    'zip',
    () => damaged(zipOf({ 'a.txt': whole }, { store: true })),
    /check sum is wrong/,
  ],
  [
    'is a zip without a text file',
    'zip',
    () => zipOf({ 'a.pdf': whole }),
    /Expected a text file.*it has: a\.pdf/,
  ],
  ['is empty', 'txt', () => '', /is empty/],
  ['is empty in a zip', 'zip', () => zipOf({ 'a.txt': '' }), /There are no complaints/],
  ['is a web page', 'txt', () => '<!DOCTYPE html><title>Moved</title>', /web page.*address has moved/],
  [
    'is encoded in UTF-16',
    'txt',
    () => Buffer.from(`\ufeff${whole}`, 'utf16le'),
    /UTF-16.*Save it as plain text/,
  ],
  [
    'is binary',
    'txt',
    () => Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * at) % 251)),
    /faulty/,
  ],
  [
    'is another file of the authority',
    'txt',
    () => recalls.join(''),
    /lines are faulty.*29 columns; expected 46/,
  ],
  ['is a table', 'csv', () => salesCsv(), /lines are faulty.*1 columns; expected 46/],
  [
    'has only lines about tyres',
    'txt',
    () => withColumn(newer, 45, 'T', () => true),
    /There are no complaints/,
  ],
  [
    'has only model years that cannot be',
    'txt',
    () => withColumn(newer, 5, '9999', () => true),
    /no complaints/,
  ],
  [
    'has no number in 11 of its lines',
    'txt',
    () => withColumn(newer, 1, '', (at) => at % 200 === 30 && at < 2_200),
    /11 of the first \d+ lines are faulty, 10 are allowed \(--max-rejected\).*line 31 .*ODINO.*""/,
  ],
  [
    'has lost its narratives in a third',
    'txt',
    () => withoutNarratives(0.33),
    /3\d\.\d % .* no narrative, 10 % .*--max-empty/,
  ],
  ['has no date at all', 'txt', () => withoutDates(newer), /No complaint has a date in the past/],
  [
    'is older than what is served',
    'txt',
    () => withColumn(newer, 16, '20240101', () => true),
    /newest complaint is of 2024-01-01, the newest that is served of 20\d\d.*--allow-fewer/,
  ],
]

describe.each([
  ['is cut off', cutOff],
  ['cannot be right', others],
])('a file that %s', (_, faults) => {
  test.each(faults)(
    '%s is refused, and what was served is still served',
    async (_what, type, make, why) => {
      const before = await served()
      const { workshop } = importing

      const { code, stdout, stderr } = await importing.run(
        '--complaints',
        workshop.file(`faulty.${type}`, make()),
      )

      expect({ code, stdout, sentence: stderr.split('\n').at(-1) }).toEqual({
        ...{ code: 1, stdout: '', sentence: expect.stringMatching(why) },
      })
      expect(await served()).toEqual(before)
    },
    60_000,
  )
})

const notComplaints: readonly (readonly [string, string, string, RegExp])[] = [
  ['--recalls', 'complaints.txt', whole, /There are no recalls in complaints/],
  ['--recalls', 'half.txt', recalls.slice(0, 30).join(''), /30 recalls, 60 are served.*--allow-fewer/],
  ['--recalls', 'answer.json', '{"Count": 0, "results": []}', /There are no recalls/],
  ['--recalls', 'cut.json', '{"Count": 1, "results": [{"Make": ', /JSON/],
  ['--ratings', 'sales.csv', salesCsv(), /lacks/],
  ['--sales', 'complaints.txt', whole, /lacks/],
  ['--sales', 'header.csv', 'make,model,year,units\n', /There are no/],
  ['--sales', 'minus.csv', `${salesCsv()}Aldera,Corvane,2016,-5\n`.repeat(12), /faulty/],
]

test.each(notComplaints)('%s refuses %s', async (option, name, text, why) => {
  const before = await served()
  const { code, stderr } = await importing.run(option, importing.workshop.file(name, text))
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(why) })
  expect(await served()).toEqual(before)
})

test('one kind that is refused holds back the others', async () => {
  const before = await served()
  const { workshop } = importing
  const complaints = workshop.file('newer.txt', whole)
  const { code, stderr } = await importing.run(
    ...['--complaints', complaints, '--sales', workshop.file('empty.csv', '')],
  )
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/is empty/) })
  expect(await served()).toEqual(before)
}, 60_000)

test('a date that is yet to come does not make all vehicles older', async () => {
  const rows = [...newer, complaintLine({ odi: '30000001', received: '20990101', added: '20990101' })]
  const { workshop } = importing
  const { stdout } = await workshop.run(
    '--complaints',
    workshop.file('future.txt', rows.join('')),
    '--dry-run',
  )
  expect(stdout).toContain('Everything fits')

  other = await openImporting()
  await other.publish('--complaints', workshop.file('future.txt', rows.join('')))
  const { data } = await other.get('/v1/datasets')
  expect(data.datasets[0].vintage.to).toBe('2026-09-30')
  expect((await other.get('/v1/methodology')).data.as_of).toBe('2026-09-30')
}, 60_000)

function cut(file: Buffer): Buffer {
  return file.subarray(0, file.length / 2)
}

function damaged(file: Buffer): Buffer {
  const copy = Buffer.from(file)
  copy[5_000] = (copy[5_000] ?? 0) ^ 1
  return copy
}

function withoutDates(rows: readonly string[]): string {
  return rows
    .map((row) =>
      row
        .split('\t')
        .map((cell, at) => ([7, 15, 16].includes(at) ? '' : cell))
        .join('\t'),
    )
    .join('')
}
