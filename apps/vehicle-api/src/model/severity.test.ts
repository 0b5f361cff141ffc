import { categories } from './category.ts'
import { severityWeight, systemWeight } from './severity.ts'

const none = { crash: false, fire: false, injuries: 0, deaths: 0 }

test.each([
  [none, 1],
  [{ ...none, crash: true }, 2],
  [{ ...none, fire: true }, 2.5],
  [{ ...none, injuries: 3 }, 2.5],
  [{ ...none, deaths: 1 }, 4],
  [{ crash: true, fire: true, injuries: 1, deaths: 2 }, 8],
])('%p weighs %d', (harm, weight) => {
  expect(severityWeight(harm)).toBe(weight)
})

test('the costliest system of a complaint counts', () => {
  expect(systemWeight(['other', 'steering', 'engine'])).toBe(1.5)
  expect(systemWeight(['interior', 'brakes'])).toBe(1)
  expect(systemWeight(['exterior'])).toBe(0.75)
  expect(systemWeight([])).toBe(0.75)
  for (const category of categories) expect(systemWeight([category])).toBeGreaterThanOrEqual(0.75)
})
