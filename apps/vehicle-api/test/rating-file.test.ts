import { gzipSync } from 'node:zlib'
import { readRatings } from '../src/import/rating-file.ts'
import { collect, openFolder } from './archive.ts'

const folder = openFolder()

async function read(content: Buffer | string) {
  const batches = await collect(
    readRatings(folder.write('Safercar_data.csv', content), { currentYear: 2026 }),
  )
  return {
    lines: batches.reduce((sum, { lines }) => sum + lines, 0),
    records: batches.flatMap(({ records }) => [...records]),
    rejections: batches.flatMap(({ rejections }) => [...rejections]),
  }
}

const names = [
  ...['MAKE', 'MODEL', 'MODEL_YR', 'BODY_STYLE', 'VEHICLE_TYPE', 'DRIVE_TRAIN', 'SEAT_LOC', 'OVERALL_STARS'],
  ...[
    'OVERALL_FRNT_STARS',
    'CURB_WEIGHT',
    'OVERALL_SIDE_STARS',
    'ROLLOVER_POSSIBILITY',
    'STATIC_STABI_FACTOR',
  ],
  ...['ROLLOVER_STARS', 'ABS'],
]

/** A row of the table with its 128 columns cut down to those that matter, and some that do not. */
function csv(...rows: Readonly<Record<string, string>>[]): string {
  const usual: Record<string, string> = {
    ...{ MAKE: 'CORVANE', MODEL: 'ALDERA SEDAN', MODEL_YR: '2018', BODY_STYLE: '4 DR', VEHICLE_TYPE: 'PC' },
    ...{ DRIVE_TRAIN: 'AWD', SEAT_LOC: '"1, 3, 4, 6"', OVERALL_STARS: '5', OVERALL_FRNT_STARS: '4' },
    ...{
      CURB_WEIGHT: '3509',
      OVERALL_SIDE_STARS: '5',
      ROLLOVER_POSSIBILITY: '0.155',
      STATIC_STABI_FACTOR: '1.26',
    },
    ...{ ROLLOVER_STARS: '4', ABS: 'Stanard' },
  }
  const lines = rows.map((row) => names.map((name) => row[name] ?? usual[name] ?? '').join(','))
  return [names.join(','), ...lines, ''].join('\n')
}

test('a row becomes a rated variant', async () => {
  expect((await read(csv({}))).records).toEqual([
    {
      ...{ make: 'corvane', model: 'aldera', makeName: 'Corvane', modelName: 'Aldera', year: 2018 },
      ...{ variant: 'Sedan, 4 DR AWD', bodyStyle: '4 DR', vehicleType: 'PC', driveTrain: 'AWD' },
      ...{ overall: 5, frontal: 4, side: 5, rollover: 4, rolloverPossibility: 0.155 },
      ...{ staticStabilityFactor: 1.26, curbWeight: 3509 },
    },
  ])
})

test.each(['', '0', 'Not Rated', '4.5', '6', '-1'])('%j is not a number of stars', async (text) => {
  expect((await read(csv({ OVERALL_STARS: text }))).records).toMatchObject([{ overall: null, frontal: 4 }])
})

test.each([
  ['15.5', 0.155],
  ['0', null],
  ['', null],
  ['N/A', null],
  ['155', null],
])('a rollover possibility of %j is %p', async (text, share) => {
  expect((await read(csv({ ROLLOVER_POSSIBILITY: text }))).records).toMatchObject([
    { rolloverPossibility: share },
  ])
})

test('rows that are not rated, of odd years or no vehicles are left out, and the report says why', async () => {
  const nothing = Object.fromEntries(names.slice(7).map((name) => [name, '0']))
  const { lines, records, rejections } = await read(
    csv({ ...nothing, CURB_WEIGHT: '' }, { MODEL_YR: '2031' }, { MODEL: 'AIR BAG' }, { MODEL_YR: 'soon' }),
  )
  expect([lines, records]).toEqual([4, []])
  expect(rejections).toEqual([
    { line: 2, subject: 'CORVANE ALDERA SEDAN 2018', reason: 'It is not rated.', isFault: false },
    {
      line: 3,
      subject: 'CORVANE ALDERA SEDAN 2031',
      reason: 'The model year 2031 cannot be.',
      isFault: false,
    },
    { line: 4, subject: 'CORVANE AIR BAG 2018', reason: '"AIR BAG" is no model.', isFault: false },
    {
      ...{ line: 5, subject: 'CORVANE ALDERA SEDAN soon', isFault: true },
      reason: 'The model year is "soon"; expected four digits.',
    },
  ])
})

test.each([
  ['gzip', gzipSync(csv({}))],
  ['with a byte order mark', `\ufeff${csv({})}`],
  ['with CRLF', csv({}).replaceAll('\n', '\r\n')],
  ['with tabs', csv({ SEAT_LOC: '1' }).replaceAll(',', '\t')],
  ['in Windows-1252', Buffer.from(csv({ ABS: 'Citro\u00ebn' }), 'latin1')],
  ['with a quotation mark in a cell', csv({ ABS: '5" rim' })],
])('the table is read when it is %s', async (_, content) => {
  expect((await read(content)).records).toMatchObject([{ model: 'aldera', overall: 5 }])
})

test.each([
  ['another table', 'a,b\n1,2\n', /lacks MAKE, MODEL, MODEL_YR, OVERALL_STARS\. Its header begins: a, b\./],
  ['only blank lines', '\n\n', /has no header; expected the table of crash-test ratings/],
  ['a web page', '<html></html>', /web page/],
])('%s is refused', async (_, content, reason) => {
  await expect(read(content)).rejects.toThrow(reason)
})
