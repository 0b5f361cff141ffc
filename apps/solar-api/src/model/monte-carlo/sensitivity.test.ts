import { solarDefaults, type SolarInput } from '../input.ts'
import { planRun, type SimulationRequest } from './plan.ts'
import { indexPoints, sobolIndices, tornado } from './sensitivity.ts'
import type { UncertainInput } from './uncertain-inputs.ts'

const home: SolarInput = {
  ...solarDefaults,
  annualProductionPerKW: 1400,
  annualConsumptionKWh: 10800,
  utilityRate: 0.17,
}

describe('tornado()', () => {
  const { medianNpv, rows } = tornado(planRun(home))
  const row = (name: UncertainInput) => rows.find(({ input }) => input === name)

  test('starts from the medians and puts the largest swing first', () => {
    // reference simulation in NumPy
    expect(medianNpv).toBeCloseTo(542.6797546561455, 7)
    expect(rows.map(({ input }) => input)).toEqual([
      'cost',
      'escalation',
      'production',
      'degradation',
      'om',
      'inverterCost',
      'selfConsumption',
      'exportRate',
    ])
    for (const { p10, p90, swing } of rows) expect(swing).toBe(Math.abs(p90.npv - p10.npv))
  })

  test('gives the values at P10 and P90 and what they make of the net present value', () => {
    expect(row('production')?.p10.value).toBeCloseTo(1400 * (1 - 0.07 * 1.2815515655446008), 9)
    expect(row('production')?.p90.value).toBeCloseTo(1400 * (1 + 0.07 * 1.2815515655446008), 9)
    expect(row('production')?.p10.npv).toBeCloseTo(-1997.8224945913291, 7)
    expect(row('production')?.p90.npv).toBeCloseTo(2156.2233979306347, 7)
    expect(row('selfConsumption')).toMatchObject({ p10: { value: 1 }, p90: { value: 1 }, swing: 0 })
  })

  test('takes correlated inputs along', () => {
    expect(row('cost')?.p10.npv).toBeCloseTo(4279.290546620277, 7)
    const correlations = [{ inputs: ['cost', 'om'] as const, coefficient: 0 }]
    const alone = tornado(planRun(home, { correlations })).rows[0]
    expect(alone?.p10.npv).toBeCloseTo(4006.51509546932, 7)
  })
})

describe('sobolIndices()', () => {
  test('share out the variance of a sum as its parts do', () => {
    // Over one year without a utility rate the value is linear in cost and O&M.
    const input = { ...home, analysisYears: 1, utilityRate: 0, discountRate: 0, systemSizeKW: 1 }
    const varied: Partial<Record<UncertainInput, readonly [number, number]>> = {
      cost: [3, 0.03],
      om: [20, 40],
    }
    const run = planRun(input, {
      distributions: {
        ...onlyVary(varied),
        om: { distribution: 'normal', mean: 5000, standardDeviation: 40 },
      },
      correlations: [{ inputs: ['cost', 'om'], coefficient: 0 }],
    })
    // deviations of 1000 * 0.03 and 40 USD: 900 and 1600 of 2500
    const indices = Object.fromEntries(sobolIndices(run, 4096).map((index) => [index.input, index]))
    expect(indices['cost']?.first).toBeCloseTo(0.36, 2)
    expect(indices['cost']?.total).toBeCloseTo(0.36, 2)
    expect(indices['om']?.first).toBeCloseTo(0.64, 2)
    expect(indices['om']?.total).toBeCloseTo(0.64, 2)
    expect(indices['production']).toEqual({ input: 'production', first: 0, total: 0 })
  })

  test('are null where there is no variance', () => {
    const indices = sobolIndices(planRun(home, { distributions: onlyVary({}) }), 1024)
    expect(indices).toHaveLength(8)
    for (const { first, total } of indices) expect([first, total]).toEqual([null, null])
  })

  test('give what correlated inputs share to the first of them', () => {
    const correlations = [{ inputs: ['cost', 'om'] as const, coefficient: 0.95 }]
    const first = (request: SimulationRequest): number =>
      sobolIndices(planRun(home, request), 2048).find(({ input }) => input === 'om')?.first ?? NaN
    expect(first({ correlations })).toBeLessThan(0.2 * first({}))
  })

  test('are worth more points in longer runs', () => {
    expect([128, 8192, 16_384, 65_536, 1_048_576].map(indexPoints)).toEqual([1024, 1024, 2048, 8192, 8192])
  })
})

function onlyVary(varied: Partial<Record<UncertainInput, readonly [number, number]>>) {
  const distribution = (name: UncertainInput, value: number) => {
    const [mean, standardDeviation] = varied[name] ?? [value, undefined]
    return standardDeviation === undefined
      ? ({ distribution: 'fixed', value } as const)
      : ({ distribution: 'normal', mean, standardDeviation } as const)
  }
  return {
    production: distribution('production', 1400),
    degradation: distribution('degradation', 0.005),
    escalation: distribution('escalation', 0.025),
    cost: distribution('cost', 3.15),
    om: distribution('om', 20),
    selfConsumption: distribution('selfConsumption', 1),
    exportRate: distribution('exportRate', 0.04),
    inverterCost: distribution('inverterCost', 200),
  }
}
