import { lastingPayback, npv, payback } from './measures.ts'

describe('npv', () => {
  test('discounts each flow from the end of its year', () => {
    expect(npv([-100, 60, 72], 0.2)).toBeCloseTo(0, 12)
    expect(npv([-100, 0, 0, 200], 0.25)).toBeCloseTo(2.4, 12)
  })

  test('is the plain sum at 0 % and grows beyond it at a negative rate', () => {
    expect(npv([-100, 60, 60], 0)).toBe(20)
    expect(npv([-100, 60, 60], -0.5)).toBe(260)
  })

  test('of no flow is 0', () => {
    expect(npv([], 0.06)).toBe(0)
  })
})

describe('payback', () => {
  test('is linear within the year of the crossing', () => {
    expect(payback([-100, 40, 40, 40])).toBe(2.5)
  })

  test('may fall on the very end of a year, also of the last', () => {
    expect(payback([-100, 50, 50, 50])).toBe(2)
    expect(payback([-100, 50, 50])).toBe(2)
  })

  test('is 0 where nothing is spent and null where it never comes', () => {
    expect(payback([0, 10])).toBe(0)
    expect(payback([5, -10])).toBe(0)
    expect(payback([-100, 40, 40])).toBeNull()
    expect(payback([-100])).toBeNull()
  })

  test('in money of today comes later, and not at all where the interest eats it up', () => {
    expect(payback([-100, 100, 100], 1)).toBeNull()
    expect(payback([-100, 100, 100, 200, 400], 1)).toBe(3)
    expect(payback([-100, 40, 40], -0.5)).toBeCloseTo(1.125, 12)
  })

  test('counts the first crossing even if a replacement undoes it', () => {
    expect(payback([-100, 100, -50, 100])).toBe(1)
  })
})

describe('lastingPayback', () => {
  test('is the first crossing where that is never undone', () => {
    expect(lastingPayback([-100, 40, 40, 40])).toBe(2.5)
    expect(lastingPayback([0, 10])).toBe(0)
  })

  test('is the last crossing where a replacement undoes the first', () => {
    expect(lastingPayback([-100, 100, -50, 100])).toBe(2.5)
    expect(lastingPayback([0, -50, 100])).toBe(1.5)
  })

  test('is null where the total ends negative', () => {
    expect(lastingPayback([-100, 150, -60])).toBeNull()
    expect(lastingPayback([0, -1])).toBeNull()
    expect(lastingPayback([-100, 40])).toBeNull()
  })
})
