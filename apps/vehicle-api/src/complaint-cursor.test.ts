import fc from 'fast-check'
import { readCursor, sorts, writeCursor, type ListName } from './complaint-cursor.ts'
import { categories } from './model/category.ts'

const dates = fc
  .date({ min: new Date('0001-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const ids = fc.integer({ min: 1, max: 999_999_999 }).map((number) => `cmp_${number}`)
const mileages = fc.integer({ min: 1, max: 400_000 })
const lists = fc.record(
  {
    model: fc.record({
      key: fc.constantFrom('corvane', 'minnow'),
      make: fc.record({ key: fc.constantFrom('aldera', 'ostrava') }),
    }),
    year: fc.integer({ min: 2015, max: 2018 }),
    category: fc.constantFrom(...categories),
    minMileage: fc.nat(2),
    maxMileage: fc.nat(2),
    sort: fc.constantFrom(...sorts),
  },
  { requiredKeys: ['model', 'year', 'sort'] },
)
const newest: ListName = { model: { key: 'corvane', make: { key: 'aldera' } }, year: 2018, sort: 'date_desc' }
const lowest: ListName = { ...newest, sort: 'mileage_asc' }

/** What a list may be gone on from: complaints without a mileage are listed by date, and not in one by mileage. */
function valuesOf({ sort, minMileage, maxMileage }: ListName, date: string, miles: number) {
  if (sort.startsWith('date')) return [date]
  return minMileage === undefined && maxMileage === undefined ? [miles, date] : [miles]
}

test('what was written is read', () => {
  fc.assert(
    fc.property(lists, dates, mileages, ids, fc.nat(1e6), (list, date, miles, id, nat) => {
      for (const value of valuesOf(list, date, miles)) {
        const cursor = { page: nat + 1, value, id }
        expect(readCursor(writeCursor(list, cursor), list)).toEqual(cursor)
      }
    }),
  )
})

test('what was written for another list is refused', () => {
  fc.assert(
    fc.property(lists, lists, dates, mileages, ids, (list, other, date, miles, id) => {
      fc.pre(JSON.stringify(list) !== JSON.stringify(other))
      for (const value of valuesOf(list, date, miles)) {
        expect(() => readCursor(writeCursor(list, { page: 1, value, id }), other)).toThrow(/cursor/)
      }
    }),
  )
})

test('nothing else is read, and the fault is named', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.base64String()), (text) => {
      expect(() => readCursor(text, newest)).toThrow(/cursor/)
      expect(() => readCursor(Buffer.from(text).toString('base64url'), lowest)).toThrow(/cursor/)
    }),
  )
})

test('a cursor with anything added to it is refused', () => {
  const cursor = writeCursor(newest, { page: 1, value: '2020-02-29', id: 'cmp_1' })
  const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
  const longer = Buffer.from(JSON.stringify([...parts, 1])).toString('base64url')
  const shorter = Buffer.from(JSON.stringify(parts.slice(0, 4))).toString('base64url')
  for (const text of [`${cursor}==`, `${cursor}!`, ` ${cursor}`, longer, shorter]) {
    expect(() => readCursor(text, newest)).toThrow(/not one of this list/)
  }
})

test('a cursor of another order is told which one it is of', () => {
  const cursor = writeCursor({ ...newest, sort: 'date_asc' }, { page: 1, value: '2020-02-29', id: 'cmp_1' })
  expect(() => readCursor(cursor, lowest)).toThrow(/sorted by date_asc/)
})

test.each([
  ['date_desc', '0000-01-01'],
  ['date_desc', '2023-02-29'],
  ['date_desc', '10000-01-01'],
  ['date_desc', '2020-01-01\0'],
  ['date_desc', 'infinity'],
  ['date_desc', 5],
  ['mileage_asc', 5.5],
  ['mileage_asc', 0],
  ['mileage_asc', -1],
  ['mileage_asc', 10_000_001],
  ['mileage_asc', 1e300],
  ['mileage_asc', '0000-01-01'],
  ['mileage_asc', null],
] as const)('in %s nothing stands at %s, which the database would refuse', (sort, value) => {
  const list = { ...newest, sort }
  const cursor = writeCursor(list, { page: 1, value: value as string, id: 'cmp_1' })
  expect(() => readCursor(cursor, list)).toThrow(/not one of this list/)
})

test('no complaint of a list filtered by mileage stands at a date', () => {
  const list = { ...lowest, minMileage: 1_000 }
  const cursor = writeCursor(list, { page: 1, value: '2020-01-01', id: 'cmp_1' })
  expect(() => readCursor(cursor, list)).toThrow(/not one of this list/)
})
