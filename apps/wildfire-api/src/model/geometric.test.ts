import { geometricSum, wholePower } from './geometric.ts'

test('a geometric sum adds its terms up', () => {
  expect(geometricSum(0.5, 4)).toBe(1.875)
  expect(geometricSum(1, 50)).toBe(50)
  expect(geometricSum(0.9, 0)).toBe(0)
  expect(geometricSum(0, 3)).toBe(1)
})

test('a whole power multiplies', () => {
  expect(wholePower(2, 10)).toBe(1024)
  expect(wholePower(0.5, 3)).toBe(0.125)
  expect(wholePower(7, 1)).toBe(7)
  expect(wholePower(0, 0)).toBe(1)
})
