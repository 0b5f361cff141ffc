import fc from 'fast-check'
import { isCalculationId, newCalculationId } from '../src/calculation-id.ts'

const instant = fc.integer({ min: 0, max: Date.UTC(9999, 0) })

test('ids are well formed, and those of a later millisecond sort behind', () => {
  fc.assert(
    fc.property(instant, instant, (one, other) => {
      const [a, b] = [newCalculationId(one), newCalculationId(other)]
      expect([a, b].filter((id) => !isCalculationId(id))).toEqual([])
      if (one !== other) expect(a < b).toBe(one < other)
    }),
  )
})

test('an id is a ULID: the time in Crockford’s base 32, then 80 random bits', () => {
  // 2016-07-30T23:54:10.259Z is the example of the ULID specification: 01ARZ3NDEK...
  const bytes = Buffer.from('ffffffffffffffffffff', 'hex')
  expect(newCalculationId(1469922850259, () => bytes)).toBe('calc_01arz3ndekzzzzzzzzzzzzzzzz')
})

test('ids of one millisecond differ', () => {
  const ids = Array.from({ length: 10_000 }, () => newCalculationId(1e12))
  expect(new Set(ids).size).toBe(10_000)
})

test.each(['', 'calc_', 'calc_01ARZ3NDEKZZZZZZZZZZZZZZZZ', 'key_01arz3ndekzzzzzzzzzzzzzzzz'])(
  '%j is no id',
  (text) => {
    expect(isCalculationId(text)).toBe(false)
  },
)
