import { drivingIndex, type Dynamics } from './driving.ts'

const indexOf = (given: Partial<Dynamics>) =>
  drivingIndex({
    ...{ model: 'x', staticStabilityFactor: null, driveTrain: null, bodyStyle: 'Sedan', vehicleType: null },
    ...given,
  })

test('lower and wider is better, and so are driven rear wheels', () => {
  const high = indexOf({ staticStabilityFactor: 1.1 }) ?? NaN
  const low = indexOf({ staticStabilityFactor: 1.45 }) ?? NaN
  expect(low).toBeGreaterThan(high)
  const [front, all, rear] = ['FWD', 'AWD', 'RWD'].map((driveTrain) => indexOf({ driveTrain }) ?? NaN)
  expect(front).toBeLessThan(all ?? NaN)
  expect(all).toBeLessThan(rear ?? NaN)
})

test.each([
  ['Convertible', 'roadster over coupe', 'Coupe'],
  ['2 DR', 'coupe over hatchback', 'Hatchback'],
  ['4 DR', 'sedan over wagon', 'Wagon'],
  ['SUV', 'suv over pickup', 'PU/CC'],
  ['Pickup', 'pickup over van', 'Minivan'],
])('%s: %s', (better, _title, worse) => {
  expect(indexOf({ bodyStyle: better })).toBeGreaterThan(indexOf({ bodyStyle: worse }) ?? NaN)
})

test('it is between 0 and 1, and null where the body is unknown', () => {
  expect(indexOf({ bodyStyle: 'Convertible', staticStabilityFactor: 3, driveTrain: 'RWD' })).toBeCloseTo(
    1,
    12,
  )
  expect(indexOf({ bodyStyle: 'Van', staticStabilityFactor: 0.9 })).toBe(0)
  expect(indexOf({ bodyStyle: null })).toBeNull()
})
