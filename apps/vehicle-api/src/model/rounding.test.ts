import { percentageOf, roundTo } from './rounding.ts'

test.each([
  [2.345, 2, 2.35],
  [1.005, 2, 1], // the double lies below 1.005
  [-0.04, 1, 0],
  [63.25, 1, 63.3],
])('%p to %p places is %p', (x, places, expected) => {
  expect(roundTo(x, places)).toBe(expected)
})

test('a percentage has one decimal, and is 0 of nothing', () => {
  expect(percentageOf(1, 3)).toBe(33.3)
  expect(percentageOf(0, 0)).toBe(0)
})
