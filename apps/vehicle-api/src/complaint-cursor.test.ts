import fc from 'fast-check'
import { readCursor, sorts, writeCursor } from './complaint-cursor.ts'

const dates = fc
  .date({ min: new Date('1995-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const ids = fc.integer({ min: 1, max: 999_999_999 }).map((number) => `cmp_${number}`)
const mileages = fc.integer({ min: 1, max: 400_000 })

test('what was written is read', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sorts),
      dates,
      mileages,
      ids,
      fc.nat(1e6),
      (sort, date, miles, id, nat) => {
        for (const value of sort.startsWith('mileage') ? [miles, date] : [date]) {
          const cursor = { page: nat + 1, value, id }
          expect(readCursor(writeCursor(sort, cursor), sort)).toEqual(cursor)
        }
      },
    ),
  )
})

test('nothing else is read, and the fault is named', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.base64String()), (text) => {
      expect(() => readCursor(text, 'date_desc')).toThrow(/cursor/)
      expect(() => readCursor(Buffer.from(text).toString('base64url'), 'mileage_asc')).toThrow(/cursor/)
    }),
  )
})

test('a cursor of another order is told which one it is of', () => {
  const cursor = writeCursor('date_asc', { page: 1, value: '2020-02-29', id: 'cmp_1' })
  expect(() => readCursor(cursor, 'mileage_asc')).toThrow(/sorted by date_asc/)
})
