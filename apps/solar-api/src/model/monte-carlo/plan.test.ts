import { solarDefaults, type SolarInput } from '../input.ts'
import { checkSimulation, fewestTrials, mostTrials, planRun, type SimulationRequest } from './plan.ts'
import { formatSeed } from './seed.ts'
import { transformScore } from './transform.ts'
import { uncertainInputs } from './uncertain-inputs.ts'

const home: SolarInput = {
  ...solarDefaults,
  annualProductionPerKW: 1400,
  annualConsumptionKWh: 10800,
  utilityRate: 0.17,
}

describe('planRun()', () => {
  test.each([
    [100, 128],
    [128, 128],
    [129, 256],
    [10_000, 16_384],
    [mostTrials, mostTrials],
  ])('rounds %p Sobol trials to %p and leaves the others', (trials, rounded) => {
    expect(planRun(home, { trials }).trials).toBe(rounded)
    expect(planRun(home, { trials, method: 'random' }).trials).toBe(trials)
    expect(planRun(home, { trials, method: 'lhs' }).trials).toBe(trials)
  })

  test('takes 8,192 Sobol trials where nothing is said', () => {
    expect(planRun(home)).toMatchObject({ method: 'sobol', trials: 8192 })
  })

  test('takes a seed that depends on the request and nothing else', () => {
    const seed = (input: SolarInput, request: SimulationRequest): string =>
      formatSeed(planRun(input, request).seed)
    const own = seed(home, {})
    expect(seed({ ...home }, { trials: 8192, method: 'sobol', correlations: [] })).toBe(own)
    const others = [
      seed({ ...home, utilityRate: 0.18 }, {}),
      seed(home, { trials: 4096 }),
      seed(home, { method: 'lhs' }),
      seed(home, { distributions: { cost: { distribution: 'fixed', value: 3 } } }),
      seed(home, { correlations: [{ inputs: ['cost', 'om'], coefficient: 0.2 }] }),
    ]
    expect(new Set([own, ...others]).size).toBe(6)
    expect(seed(home, { seed: '18446744073709551615' })).toBe('18446744073709551615')
    expect(seed(home, { seed: 42 })).toBe('42')
  })

  test('can be sent to a worker', () => {
    const run = planRun(home, { distributions: { om: { distribution: 'pert', min: 10, mode: 20, max: 40 } } })
    expect(structuredClone(run)).toEqual(run)
  })

  test('has the value that is given as the median of every input', () => {
    for (const input of [
      home,
      { ...home, selfConsumptionFraction: 0.4 },
      { ...home, degradationRate: 0.09, rateEscalation: 0.3 },
      { ...home, degradationRate: -0.01, rateEscalation: -0.2, exportRate: 0 },
    ]) {
      const { transforms } = planRun(input)
      const medians = transforms.map((transform) => transformScore(transform, 0))
      for (const [index, { field }] of uncertainInputs.entries()) {
        expect(medians[index]).toBeCloseTo(input[field], 12)
      }
    }
  })

  test('keeps the default distributions within their limits', () => {
    const { transforms } = planRun({ ...home, selfConsumptionFraction: 0.4 })
    const ends = (score: number) => transforms.map((transform) => transformScore(transform, score))
    expect(ends(-20).slice(0, 3)).toEqual([0.3 * 1400, expect.closeTo(0, 4), -0.05])
    expect(ends(20).slice(1, 3)).toEqual([0.05, 0.12])
    expect([ends(-20)[5], ends(20)[5]]).toEqual([0, 1])
  })

  test('refuses what checkSimulation() finds fault with', () => {
    expect(() => planRun(home, { trials: 1 })).toThrow(RangeError)
    expect(() => planRun(home, { trials: 1 })).toThrow(/^trials: The number of trials/)
  })
})

describe('checkSimulation()', () => {
  test('finds nothing wrong with nothing, and with a whole request', () => {
    expect(checkSimulation({})).toEqual([])
    expect(
      checkSimulation({
        trials: fewestTrials,
        seed: '12345678901234567890',
        method: 'lhs',
        distributions: { production: { distribution: 'triangular', min: 1200, mode: 1400, max: 1500 } },
        correlations: [{ inputs: ['cost', 'om'], coefficient: 0.5 }],
      }),
    ).toEqual([])
  })

  test.each<[string, string]>([
    ['{"trials": 99}', 'trials'],
    ['{"trials": 1048577}', 'trials'],
    ['{"trials": 1000.5}', 'trials'],
    ['{"method": "halton"}', 'method'],
    ['{"seed": -1}', 'seed'],
    ['{"seed": "1e3"}', 'seed'],
    ['{"distributions": {"discount": {"distribution": "fixed", "value": 1}}}', 'distributions.discount'],
    ['{"distributions": {"cost": {"distribution": "fixed", "value": -1}}}', 'distributions.cost.value'],
    [
      '{"distributions": {"selfConsumption": {"distribution": "uniform", "min": 0, "max": 2}}}',
      'distributions.selfConsumption.max',
    ],
    ['{"correlations": [{"inputs": ["cost", "om"], "coefficient": 2}]}', 'correlations.0'],
    [
      '{"correlations": [{"inputs": ["cost", "inverterCost"], "coefficient": -0.9}, {"inputs": ["om", "inverterCost"], "coefficient": 0.9}]}',
      'correlations',
    ],
  ])('names the place of the fault in %s', (request, path) => {
    const problems = checkSimulation(JSON.parse(request))
    expect(problems.map((problem) => problem.path.join('.'))).toEqual([path])
    expect(problems[0]?.detail).toMatch(/^[A-Z].*\.$/)
  })
})
