import { checkDistribution, limitsOf, type Distribution } from './distribution.ts'

const range = { low: 0, high: 10 }

describe('checkDistribution()', () => {
  test.each<Distribution>([
    { distribution: 'fixed', value: 10 },
    { distribution: 'normal', mean: 3, standardDeviation: 0 },
    { distribution: 'normal', mean: 3, standardDeviation: 1, min: 4 },
    { distribution: 'lognormal', median: 3, sigma: 0.5, max: 9 },
    { distribution: 'uniform', min: 0, max: 10 },
    { distribution: 'triangular', min: 1, mode: 1, max: 2 },
    { distribution: 'pert', min: 1, mode: 2, max: 3, weight: 10 },
    { distribution: 'beta', alpha: 0.5, beta: 2 },
    { distribution: 'beta', alpha: 0.5, beta: 2, min: 1, max: 9 },
  ])('accepts %j', (distribution) => {
    expect(checkDistribution(distribution, range)).toEqual([])
  })

  test.each<[Distribution, string]>([
    [{ distribution: 'fixed', value: 11 }, 'value'],
    [{ distribution: 'fixed', value: NaN }, 'value'],
    [{ distribution: 'normal', mean: -1, standardDeviation: 1 }, 'mean'],
    [{ distribution: 'normal', mean: 1, standardDeviation: -1 }, 'standardDeviation'],
    [{ distribution: 'normal', mean: 1, standardDeviation: 1, min: 5, max: 4 }, 'max'],
    [{ distribution: 'lognormal', median: 0, sigma: 0.5 }, 'median'],
    [{ distribution: 'lognormal', median: 1, sigma: 4 }, 'sigma'],
    [{ distribution: 'uniform', min: 3, max: 3 }, 'max'],
    [{ distribution: 'triangular', min: 1, mode: 4, max: 3 }, 'mode'],
    [{ distribution: 'pert', min: 1, mode: 0, max: 3 }, 'mode'],
    [{ distribution: 'pert', min: 1, mode: 2, max: 3, weight: -1 }, 'weight'],
    [{ distribution: 'beta', alpha: 0, beta: 2 }, 'alpha'],
    [{ distribution: 'beta', alpha: 1, beta: Infinity }, 'beta'],
    [{ distribution: 'beta', alpha: 1, beta: 1, min: 2 }, 'max'],
  ])('names the parameter at fault in %j: %p', (distribution, parameter) => {
    const problems = checkDistribution(distribution, range)
    expect(problems.map((problem) => problem.parameter)).toEqual([parameter])
    expect(problems[0]?.detail).toMatch(/^[A-Z].*\.$/)
  })

  test('names what is missing, and what is not known', () => {
    // as it may come out of JSON
    const parse = (text: string): Distribution => JSON.parse(text)
    expect(checkDistribution(parse('{"distribution":"uniform","min":1}'), range)[0]?.parameter).toBe('max')
    expect(checkDistribution(parse('{"distribution":"normal"}'), range)).toHaveLength(2)
    expect(checkDistribution(parse('{"distribution":"cauchy"}'), range)[0]?.parameter).toBe('distribution')
    expect(checkDistribution(parse('{"distribution":"toString"}'), range)[0]?.parameter).toBe('distribution')
  })
})

test('limitsOf() keeps to the narrower of distribution and input', () => {
  expect(limitsOf({ distribution: 'normal', mean: 1, standardDeviation: 1, min: -5, max: 3 }, range)).toEqual(
    {
      low: 0,
      high: 3,
    },
  )
  expect(limitsOf({ distribution: 'fixed', value: 1 }, range)).toEqual(range)
})
