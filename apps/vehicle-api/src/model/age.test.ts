import { ageOf } from './age.ts'

test('a model year is sold on average at the end of its first quarter', () => {
  expect(ageOf(2020, '2025-01-01')).toBeCloseTo(4.75, 10)
  expect(ageOf(2020, '2025-07-02')).toBeCloseTo(5.25, 2)
})

test('the model year to come is a quarter of a year old', () => {
  expect(ageOf(2026, '2025-10-01')).toBe(0.25)
})
