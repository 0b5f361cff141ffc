import fc from 'fast-check'
import { readComplaints, readScattered } from '../src/import/complaint-file.ts'
import { createOdiNumbers } from '../src/import/odi-numbers.ts'
import type { ComplaintRecord } from '../src/model/complaint-record.ts'
import { collect, openFolder, zipOf } from './archive.ts'
import { complaintCells, complaintLine, type Columns } from './complaint-lines.ts'

const folder = openFolder()
const currentYear = 2026

async function read(...rows: Columns[]) {
  const path = folder.write('cmpl.txt', rows.map((row) => complaintLine(row)).join(''))
  return readPath(path)
}

async function readPath(path: string) {
  const batches = await collect(readComplaints(path, { currentYear }))
  return {
    lines: batches.reduce((sum, { lines }) => sum + lines, 0),
    records: batches.flatMap(({ records }) => [...records]),
    rejections: batches.flatMap(({ rejections }) => [...rejections]),
  }
}

describe('a line of the complaint file', () => {
  test('becomes a complaint', async () => {
    const narrative = 'TL* THE CONTACT OWNS A 2018 ALDERA. THE FAILURE MILEAGE WAS 57,000. *TR'
    const { records } = await read({ odi: '10000007', miles: '', narrative, crash: 'Y', injured: '1' })
    expect(records).toEqual([
      {
        ...{ odi: '10000007', make: 'corvane', model: 'aldera', year: 2018, trim: null },
        ...{ makeName: 'Corvane', modelName: 'Aldera' },
        ...{ dateReported: '2020-02-01', dateIncident: '2020-01-15', purchaseDate: null },
        ...{ category: 'engine', categories: ['engine'], categorySource: 'component' },
        ...{ component: 'Engine', components: ['ENGINE'] },
        description: 'THE CONTACT OWNS A 2018 ALDERA. THE FAILURE MILEAGE WAS 57,000.',
        rawDescription: narrative,
        ...{ mileage: 57_000, mileageSource: 'narrative' },
        ...{ crash: true, fire: false, injuries: 1, deaths: 0 },
        ...{ repairCost: null, repairCostKind: null, repairDescription: '', repairAttempted: null },
        ...{ response: null, state: 'OH', vin: '1C9AB2DE5JK', severity: 3.5, weight: 5.25 },
      },
    ])
  })

  test.each([46, 47, 48, 49, 51, 60])('may have %d columns', async (width) => {
    const path = folder.write('wide.txt', complaintLine({ odi: '10000003' }, width))
    expect((await readPath(path)).records).toMatchObject([{ odi: '10000003' }])
  })

  test.each<[string, string, boolean, RegExp]>([
    [
      'too few columns',
      complaintCells().slice(0, 45).join('\t'),
      true,
      /has 45 columns; expected 46 or more/,
    ],
    ['nothing in it', '', true, /is empty/],
    ['no ODI number', complaintCells({ odi: 'n/a' }).join('\t'), true, /ODINO, is "n\/a"; expected a number/],
    ['an unknown product', complaintCells({ product: 'Q' }).join('\t'), true, /PROD_TYPE, is "Q"/],
    [
      'too much in it',
      complaintCells({ narrative: 'x'.repeat(66_000) }).join('\t'),
      true,
      /longer than 64 KiB/,
    ],
    ['a tyre', complaintCells({ product: 'T' }).join('\t'), false, /about tyres, not a vehicle/],
    ['an unknown year', complaintCells({ year: '9999' }).join('\t'), false, /model year "9999" cannot be/],
    ['a year to come', complaintCells({ year: '2029' }).join('\t'), false, /model year "2029" cannot be/],
    ['a part as model', complaintCells({ model: 'AIR BAG' }).join('\t'), false, /"AIR BAG" is no model/],
    ['no model', complaintCells({ model: ' ' }).join('\t'), false, /names no model/],
  ])('with %s is not taken, and the report says why', async (_, line, isFault, reason) => {
    const path = folder.write('bad.txt', `${complaintLine()}${line}\r\n${complaintLine({ odi: '10000002' })}`)
    const { records, rejections, lines } = await readPath(path)
    expect(records.map(({ odi }) => odi)).toEqual(['10000001', '10000002'])
    expect(rejections).toEqual([
      { line: 2, subject: expect.any(String), reason: expect.stringMatching(reason), isFault },
    ])
    expect(lines).toBe(3)
  })

  test('is named in the report by its vehicle', async () => {
    const { rejections } = await read({ product: 'C', make: 'CORVANE ', model: 'SEAT 1', year: '9999' })
    expect(rejections).toMatchObject([{ subject: 'CORVANE SEAT 1 9999' }])
  })
})

describe('rows of one complaint', () => {
  const rows: Columns[] = [
    { cmplid: '11', component: 'ELECTRICAL SYSTEM', narrative: 'IT STOPPED.' },
    { cmplid: '12', component: 'POWER TRAIN:AUTOMATIC TRANSMISSION', narrative: 'IT STOPPED.' },
    { cmplid: '13', component: 'UNKNOWN OR OTHER', narrative: 'IT STOPPED.', fire: 'Y' },
  ]

  test('become one complaint', async () => {
    const { records } = await read(...rows)
    expect(records).toMatchObject([
      {
        ...{ category: 'transmission', component: 'Power Train: Automatic Transmission', fire: true },
        categories: ['transmission', 'electrical', 'other'],
        components: ['ELECTRICAL SYSTEM', 'POWER TRAIN:AUTOMATIC TRANSMISSION', 'UNKNOWN OR OTHER'],
        description: 'IT STOPPED.',
      },
    ])
  })

  test('about two vehicles become a complaint for each', async () => {
    const { records } = await read(
      ...rows,
      { ...rows[0], year: '1999' },
      { ...rows[1], model: 'ALDERA HYBRID' },
    )
    expect(records.map(({ model, year, components }) => [model, year, components.length])).toEqual([
      ['aldera', 2018, 3],
      ['aldera', 1999, 1],
    ])
  })

  test('stay one complaint over the borders of batches and members', async () => {
    const one = complaintLine({ ...rows[0], odi: '1' })
    const lines = rows.map((row) => complaintLine({ ...row, odi: '2' }))
    const members = { 'a.txt': one + String(lines[0]), 'b.txt': lines.slice(1).join('') }
    const { records } = await readPath(folder.write('members.zip', zipOf(members)))
    expect(records.map(({ odi, components }) => [odi, components.length])).toEqual([
      ['1', 1],
      ['2', 3],
    ])
  })

  test('that do not stand together are found, and read whole on demand', async () => {
    const other = complaintLine({ odi: '10000002' })
    const [first = '', ...more] = rows.map((row) => complaintLine(row))
    const paths = [folder.write('a.txt', first + other), folder.write('b.txt', more.toReversed().join(''))]
    const seen = createOdiNumbers()
    const pieces = await Promise.all(
      paths.map((path) => collect(readComplaints(path, { currentYear, seen }))),
    )
    expect(pieces.flat().flatMap(({ records }) => records)).toHaveLength(3)
    expect([...seen.scattered]).toEqual(['10000001'])

    const whole = (await collect(readScattered(paths, { currentYear, seen }))).flat()
    expect(whole).toEqual((await read(...rows)).records)
  })

  test('in any order say the same', async () => {
    const all = [...rows, ...rows.map((row) => ({ ...row, odi: '10000009', year: '2011' }))]
    const expected = await complaintsOf(all)
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(all, { minLength: all.length }), async (shuffled) => {
        expect(await complaintsOf(shuffled)).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  })

  /** The complaints of a file whose rows are in some order, by ODI number. */
  async function complaintsOf(lines: readonly Columns[]): Promise<ComplaintRecord[]> {
    const path = folder.write('shuffled.txt', lines.map((row) => complaintLine(row)).join(''))
    const seen = createOdiNumbers()
    const pieces = (await collect(readComplaints(path, { currentYear, seen }))).flatMap(({ records }) => [
      ...records,
    ])
    const whole = (await collect(readScattered([path], { currentYear, seen }))).flat()
    return [...pieces.filter(({ odi }) => !seen.scattered.has(odi)), ...whole].sort((a, b) => +a.odi - +b.odi)
  }
})

test('any line is taken or refused with a sentence', async () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('V', 'Y', '20200101', '2018'),
  )
  const lines = fc.array(fc.array(cell, { minLength: 40, maxLength: 52 }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(lines, async (rows) => {
      const text = rows
        .map((cells) => cells.map((text) => text.replaceAll(/[\t\n]/g, '')).join('\t'))
        .join('\n')
      const { lines: read, records, rejections } = await readPath(folder.write('any.txt', `${text}\n`))
      expect(read).toBe(Math.max(1, rows.length))
      expect(records.length + rejections.length).toBeGreaterThan(0)
    }),
    { numRuns: 60 },
  )
})
