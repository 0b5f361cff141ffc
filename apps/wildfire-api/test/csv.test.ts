import { parse } from 'csv-parse/sync'
import { csvCell, toCsv } from '@hearth/chassis/csv'

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])(
  'text %j is not a formula to a spreadsheet',
  (text) => {
    const [[cell]] = parse(csvCell(text)) as [[string]]
    expect(cell).toBe(`'${text}`)
  },
)

test('numbers stay numbers, also below zero', () => {
  expect([csvCell(-120.7), csvCell(0), csvCell(1e-7)]).toEqual(['-120.7', '0', '1e-7'])
})

test('commas, quotes and line ends survive', () => {
  const text = 'a, "b"\r\nc'
  expect(parse(toCsv(['x', 'y'], [{ x: text, y: null }]), { columns: true })).toEqual([{ x: text, y: '' }])
})
