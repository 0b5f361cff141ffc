import fc from 'fast-check'
import { readSales } from '../src/import/sales-file.ts'
import { collect, openFolder } from './archive.ts'

const folder = openFolder()

async function read(content: string) {
  const batches = await collect(readSales(folder.write('sales.csv', content), { currentYear: 2026 }))
  return {
    records: batches.flatMap(({ records }) => [...records]),
    rejections: batches.flatMap(({ rejections }) => [...rejections]),
  }
}

const aldera = { make: 'corvane', model: 'aldera', year: 2018, units: 120_500, source: 'sales' }

test.each([
  ['as described', 'make,model,year,units\nCorvane,Aldera,2018,120500\n'],
  ['in another order, with more columns', 'Units,note,Year,Model,Make\n120500,x,2018,ALDERA,CORVANE\n'],
  ['with other names', 'MAKE,MODEL,Model Year,Sales\nCorvane,Aldera,2018,"120,500"\n'],
  ['with semicolons', 'make;model;year;units\nCorvane;Aldera;2018;120500\n'],
  ['without an end of the last line', 'make,model,year,units\r\nCorvane,Aldera 4WD,2018,120500'],
])('a table %s is read', async (_, text) => {
  expect(await read(text)).toEqual({ records: [aldera], rejections: [] })
})

test('a source is kept', async () => {
  const { records } = await read('make,model,year,units,source\nChevy,Bolt,2018,12.5,registrations 2024\n')
  expect(records).toEqual([
    { make: 'chevrolet', model: 'boltev', year: 2018, units: 12.5, source: 'registrations 2024' },
  ])
})

test.each([
  ['Corvane,Aldera,18,5', /model year is "18"; expected 1950 to 2028/],
  ['Corvane,Aldera,2018,', /units are ""; expected a number above 0/],
  ['Corvane,Aldera,2018,-5', /units are "-5"/],
  ['Corvane,Aldera,2018,many', /units are "many"/],
  ['Corvane,Aldera,2018,1e9', /units are "1e9"/],
  ['Corvane,,2018,5', /names no model/],
  [',Aldera,2018,5', /names no make/],
])('the line %j is faulty', async (line, reason) => {
  const { records, rejections } = await read(`make,model,year,units\n${line}\nCorvane,Aldera,2018,120500\n`)
  expect(records).toEqual([aldera])
  expect(rejections).toEqual([
    { line: 2, subject: expect.any(String), reason: expect.stringMatching(reason), isFault: true },
  ])
})

test('a table without a column is refused, and told which', async () => {
  await expect(read('make,model,units\n')).rejects.toThrow(
    'It lacks YEAR. Its header begins: make, model, units. Expected a table of sales with the columns make, model, year and units.',
  )
})

test('the cells of any line are read or refused with a sentence', async () => {
  const cell = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('"', '2018', '"a', 'b"', '5'))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 4 }), async (rows) => {
      const text = `make,model,year,units\n${rows.map((cells) => cells.join(',')).join('\n')}`
      const outcome = await read(text).catch((error: unknown) => error)
      expect(outcome instanceof Error ? outcome.name : 'read').toMatch(/^(?:read|ImportError)$/)
    }),
    { numRuns: 100 },
  )
})
