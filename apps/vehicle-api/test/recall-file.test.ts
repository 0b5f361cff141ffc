import fc from 'fast-check'
import { readRecalls, type RecallRecord } from '../src/import/recall-file.ts'
import { recallDate } from '../src/import/recall-json.ts'
import { collect, openFolder, zipOf } from './archive.ts'
import { describeShared } from './shared-data.ts'

const folder = openFolder()
const currentYear = 2026

async function read(content: Buffer | string) {
  return readPath(folder.write('recalls', content))
}

async function readPath(path: string) {
  const batches = await collect(readRecalls(path, { currentYear }))
  return {
    lines: batches.reduce((sum, { lines }) => sum + lines, 0),
    records: batches.flatMap(({ records }) => [...records]),
    rejections: batches.flatMap(({ rejections }) => [...rejections]),
  }
}

/** A line of the flat file about an invented vehicle, by position. */
function flatLine(columns: Readonly<Record<number, string>> = {}, width = 29): string {
  const usual: Record<number, string> = {
    ...{
      0: '1',
      1: '23V380000',
      2: 'CORVANE',
      3: 'ALDERA',
      4: '2018',
      6: 'ENGINE',
      7: 'Corvane Motor Company',
    },
    ...{ 10: 'V', 11: '12500', 15: '20230602', 19: 'THE HOSE  MAY LEAK.', 20: 'A FIRE.', 21: 'A NEW HOSE.' },
    ...{ 22: '', 27: 'No', 28: 'Yes' },
  }
  const cells = Array.from({ length: width }, (_, at) => columns[at] ?? usual[at] ?? '')
  return `${cells.join('\t')}\r\n`
}

const expected: RecallRecord = {
  ...{
    campaign: '23V380000',
    make: 'corvane',
    model: 'aldera',
    year: 2018,
    makeName: 'Corvane',
    modelName: 'Aldera',
  },
  ...{ manufacturer: 'Corvane Motor Company', received: '2023-06-02', components: ['ENGINE'] },
  ...{
    summary: 'THE HOSE MAY LEAK.',
    consequence: 'A FIRE.',
    remedy: 'A NEW HOSE.',
    notes: null,
    units: 12_500,
  },
  ...{ doNotDrive: false, parkOutside: true },
}

describe('a line of the flat file', () => {
  test('becomes a recall', async () => {
    expect((await read(flatLine())).records).toEqual([expected])
  })

  test('may lack the columns of 2025', async () => {
    expect((await read(flatLine({}, 24))).records).toEqual([{ ...expected, parkOutside: false }])
  })

  test('may have blank dates and no units', async () => {
    expect((await read(flatLine({ 11: '', 15: '' }))).records).toMatchObject([
      { received: null, units: null },
    ])
  })

  test.each<[string, string, boolean, RegExp]>([
    ['too few columns', 'a\tb', true, /has 2 columns; expected 24 or more/],
    ['no campaign', flatLine({ 1: 'x' }), true, /campaign number is "x"; expected one like 02V288000/],
    ['another product', flatLine({ 10: 'T' }), false, /about tyres/],
    ['a campaign of equipment', flatLine({ 1: '23E012000', 10: '' }), false, /not about vehicles/],
    ['an unknown year', flatLine({ 4: '9999' }), false, /model year 9999 cannot be/],
    ['a part', flatLine({ 3: 'AIR BAG' }), false, /is no model/],
  ])('with %s is not taken', async (_, line, isFault, reason) => {
    const { records, rejections } = await read(`${flatLine()}${line.trimEnd()}\r\n${flatLine()}`)
    expect(records).toHaveLength(2)
    expect(rejections).toEqual([
      { line: 2, subject: expect.any(String), reason: expect.stringMatching(reason), isFault },
    ])
  })

  test('is numbered over the members of a zip file', async () => {
    const members = { 'FLAT_RCL_PRE_2010.txt': flatLine(), 'FLAT_RCL_POST_2010.txt': `${flatLine()}x\r\n` }
    const { rejections, lines } = await read(zipOf(members))
    expect([lines, rejections.map(({ line }) => line)]).toEqual([3, [3]])
  })
})

describe('answers of the API', () => {
  const recall = {
    ...{
      Manufacturer: 'Corvane Motor Company',
      NHTSACampaignNumber: '23V380000',
      parkIt: false,
      parkOutSide: true,
    },
    ...{ ReportReceivedDate: '02/06/2023', Component: 'ENGINE', Summary: 'THE HOSE  MAY LEAK.' },
    ...{
      Consequence: 'A FIRE.',
      Remedy: 'A NEW HOSE.',
      Notes: '',
      ModelYear: '2018',
      Make: 'CORVANE',
      Model: 'ALDERA',
    },
  }
  const own = { ...expected, units: null }
  const answer = { Count: 1, Message: 'Results returned successfully', results: [recall] }

  test.each([
    ['as it is', JSON.stringify(answer)],
    ['in lines', JSON.stringify(answer, null, 2)],
    ['as a list', JSON.stringify([recall])],
    ['as one recall', JSON.stringify(recall)],
    ['with a byte order mark', `\ufeff${JSON.stringify(answer)}`],
  ])('%s are read', async (_, text) => {
    expect(await read(text)).toMatchObject({ records: [own], rejections: [], lines: 1 })
  })

  test('are read line by line, and long ones too', async () => {
    const many = { results: Array.from({ length: 300 }, () => recall) }
    expect((await read(JSON.stringify(many))).records).toHaveLength(300)
    const lines = [recall, 'not a recall', answer].map((value) => JSON.stringify(value)).join('\n')
    const { records, rejections, lines: count } = await read(`${lines}\n\n{"Make":\n`)
    expect(records).toEqual([own, own])
    expect(rejections.map(({ line, isFault }) => [line, isFault])).toEqual([
      [2, true],
      [5, true],
    ])
    expect(count).toBe(5)
  })

  test('in a zip file are read', async () => {
    expect((await read(zipOf({ 'recalls.jsonl': JSON.stringify(recall) }))).records).toEqual([own])
  })

  test.each([
    ['{"results": [', /It is no JSON document/],
    ['[', /It is no JSON document/],
  ])('that are broken (%j) are refused', async (text, reason) => {
    await expect(read(text)).rejects.toThrow(reason)
  })

  test('never bring what a database does not take', async () => {
    const { records } = await read(JSON.stringify({ ...recall, Summary: 'A\u0000B', Manufacturer: '\ud800' }))
    expect(records).toMatchObject([{ summary: 'A B', manufacturer: '\ufffd' }])
  })

  test.each([
    ['02/06/2023', '23V380000', '2023-06-02'],
    ['13/06/2023', '23V380000', '2023-06-13'],
    ['06/13/2023', '23V380000', '2023-06-13'],
    ['2023-06-02', '23V380000', '2023-06-02'],
    ['28/12/2022', '23V001000', '2022-12-28'],
    ['02/06/2013', '23V380000', null],
    ['10/04/2000', '00V109000', '2000-04-10'],
    ['10/04/1999', '99V109000', '1999-04-10'],
    ['31/02/2023', '23V380000', null],
    ['', '23V380000', null],
  ])('have the date %j of %s as %p', (text, campaign, date) => {
    expect(recallDate(text, campaign)).toBe(date)
  })
})

test('any text is read or refused with a sentence', async () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"a"',
    ':',
    ',',
    '\n',
    '\t',
    'null',
    '"results"',
    '23V380000',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 20 }), async (pieces) => {
      const outcome = await read(pieces.join('')).catch((error: unknown) => error)
      expect(outcome instanceof Error ? outcome.name : 'read').toMatch(/^(?:read|ImportError)$/)
    }),
    { numRuns: 100 },
  )
})

describeShared('odi_flat_samples_2014/recalls.txt', (path) => {
  test('has 96 lines about vehicles', async () => {
    const { records, rejections } = await readPath(path)
    expect([records.length, rejections.length]).toEqual([96, 4])
    expect(rejections.filter(({ isFault }) => isFault)).toEqual([])
    expect(records[0]).toMatchObject({
      ...{
        campaign: '02V288000',
        make: 'ford',
        model: 'focus',
        year: 2001,
        received: '2002-11-06',
        units: 291_854,
      },
      components: ['ELECTRICAL SYSTEM:BATTERY:CABLES'],
    })
  })
})

describeShared('recalls/api_ford_toyota_tesla_2015_2025.jsonl', (path) => {
  test('has 1,109 recalls, nine of them of equipment', async () => {
    const { records, rejections, lines } = await readPath(path)
    expect([lines, records.length, rejections.length]).toEqual([1_109, 1_100, 9])
    expect(records.filter(({ received, summary }) => received === null || summary === null)).toEqual([])
  })
})
