import { averageCost } from './average-cost.ts'

test('a mistyped amount does not decide', () => {
  const costs = [50, 300, 420, 600, 880, 1000, 1500, 24000]
  // numpy: clip(costs, *quantile(costs, [0.05, 0.95])).mean()
  expect(averageCost(costs, 700)).toEqual({ average: 2620.31, estimated: false })
})

test('fewer than five costs are not averaged', () => {
  expect(averageCost([100, 100, 100, 100], 640.5)).toEqual({ average: 640.5, estimated: true })
  expect(averageCost([100, 100, 100, 100, 100], 640.5)).toEqual({ average: 100, estimated: false })
})

test('where nothing is known there is no average', () => {
  expect(averageCost([], null)).toEqual({ average: null, estimated: false })
})
