import fc from 'fast-check'
import { changePoints } from './change-points.ts'

describe('breaks in a series', () => {
  test('are found where the level changes', () => {
    expect(changePoints([0.1, -0.1, 0, 0.05, 1.1, 0.9, 1, 1.2])).toEqual([0, 4])
  })

  test('need three values on each side', () => {
    expect(changePoints([0, 0, 5, 5, 5])).toEqual([0])
    expect(changePoints([0, 0, 0, 5, 5, 5])).toEqual([0, 3])
  })

  test('are none in noise, and none in nothing', () => {
    expect(changePoints([0.1, -0.2, 0.15, 0, -0.1, 0.2, 0])).toEqual([0])
    expect(changePoints([])).toEqual([])
  })

  test('make the cheapest of all partitions', () => {
    const series = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 1, maxLength: 11 })
    fc.assert(
      fc.property(series, (values) => {
        const cheapest = Math.min(...partitions(values.length).map((starts) => costOf(values, starts)))
        expect(costOf(values, changePoints(values))).toBeCloseTo(cheapest, 9)
      }),
      { numRuns: 100 },
    )
  })
})

/** Every way to part so many values into runs of three or more. */
function partitions(length: number): number[][] {
  const whole = [[0]]
  for (let last = 3; last <= length - 3; last++) {
    whole.push(...partitions(last).map((starts) => [...starts, last]))
  }
  return whole
}

function costOf(values: readonly number[], starts: readonly number[]): number {
  const parts = starts.map((start, index) => values.slice(start, starts[index + 1]))
  const deviation = (part: readonly number[]) => {
    const mean = part.reduce((sum, value) => sum + value, 0) / part.length
    return part.reduce((sum, value) => sum + (value - mean) * (value - mean), 0)
  }
  return parts.reduce((sum, part) => sum + deviation(part) + 0.4, 0)
}
