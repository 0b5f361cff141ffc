import { solarDefaults, type SolarInput } from '../input.ts'
import { planRun, type Method, type Run, type SimulationRequest } from './plan.ts'
import { summarise } from './summarise.ts'
import { runTrials, trialArrays, type TrialArrays } from './trials.ts'
import type { UncertainInput } from './uncertain-inputs.ts'

const home: SolarInput = {
  ...solarDefaults,
  annualProductionPerKW: 1400,
  annualConsumptionKWh: 10800,
  utilityRate: 0.17,
}
const methods: Method[] = ['sobol', 'random', 'lhs']

describe.each(methods)('trials of method %s', (method) => {
  test('do not change by a byte, however they are cut and in whatever order they run', () => {
    const run = planRun(home, { trials: 3000, seed: 5, method })
    const whole = runAll(run)
    const parts = trialArrays(run.trials, (bytes) => new SharedArrayBuffer(bytes))
    const cuts = [0, 1, 2, 127, 128, 129, 500, 1024, 1025, 2048, run.trials]
    for (let part = cuts.length - 2; part >= 0; part--) {
      runTrials(structuredClone(run), cuts[part] ?? NaN, cuts[part + 1] ?? NaN, parts)
    }
    expect(bytesOf(parts)).toEqual(bytesOf(whole))
    expect(JSON.stringify(summarise(run, parts))).toBe(JSON.stringify(summarise(run, whole)))
  })

  test('differ with every bit of the seed', () => {
    const results = ['5', '6', '4294967301', '9223372036854775813'].map((seed) => {
      return [...runAll(planRun(home, { trials: 128, seed, method })).npv]
    })
    expect(new Set(results.map((npv) => npv.join())).size).toBe(4)
  })

  test('scale with the size of the system', () => {
    const request = { trials: 500, seed: 5, method }
    const one = runAll(planRun(home, request))
    const two = runAll(planRun({ ...home, annualConsumptionKWh: 2 * 10800 }, request))
    expect(largestGap(two.npv, one.npv, 2)).toBeLessThan(1e-7)
    expect(largestGap(two.lifetimeNetSavings, one.lifetimeNetSavings, 2)).toBeLessThan(1e-7)
    expect(largestGap(two.year1Savings, one.year1Savings, 2)).toBeLessThan(1e-9)
    expect(largestGap(two.paybackYears, one.paybackYears, 1)).toBeLessThan(1e-10)
  })

  test('get worse with every dollar of cost', () => {
    const request = { trials: 500, seed: 5, method }
    const cheap = runAll(planRun({ ...home, installedCostPerWatt: 3 }, request))
    const dear = runAll(planRun({ ...home, installedCostPerWatt: 3.2 }, request))
    expect(dear.npv.every((npv, index) => npv < (cheap.npv[index] ?? NaN))).toBe(true)
    expect(dear.paybackYears.every((years, index) => years >= (cheap.paybackYears[index] ?? NaN))).toBe(true)
    expect(dear.year1Savings).toEqual(cheap.year1Savings)
  })

  test('honour a correlation', () => {
    for (const coefficient of [-0.8, 0, 0.6]) {
      expect(spearmanOfCostAndOm(method, coefficient)).toBeCloseTo(coefficient, 1)
    }
  })
})

describe('runTrials()', () => {
  test('leaves what is outside its range alone', () => {
    const run = planRun(home, { trials: 512, seed: 1 })
    const out = trialArrays(512)
    runTrials(run, 200, 300, out)
    const written = [...out.npv].flatMap((value, index) => (value === 0 ? [] : [index]))
    expect([written[0], written.at(-1), written.length]).toEqual([200, 299, 100])
  })

  test.each([
    [-1, 5],
    [5, 4],
    [0, 129],
    [NaN, 5],
  ])('refuses the range %p to %p of 128', (from, to) => {
    expect(() => runTrials(planRun(home, { trials: 128 }), from, to, trialArrays(128))).toThrow(RangeError)
  })

  test('refuses arrays that are too short', () => {
    expect(() => runTrials(planRun(home, { trials: 128 }), 0, 128, trialArrays(127))).toThrow(RangeError)
  })

  test('gives the deterministic result where nothing varies', () => {
    const run = planRun(home, { trials: 128, distributions: fixed(home) })
    const out = runAll(run)
    expect(out.npv.every((npv) => Math.abs(npv - 542.679754656196) < 1e-8)).toBe(true)
  })
})

function runAll(run: Run): TrialArrays {
  const out = trialArrays(run.trials)
  runTrials(run, 0, run.trials, out)
  return out
}

/** Between `values` and `others` times a factor; two that are infinite are no distance apart. */
function largestGap(values: Float64Array, others: Float64Array, factor: number): number {
  const gaps = values.map((value, index) => {
    const other = factor * (others[index] ?? NaN)
    return value === other ? 0 : Math.abs(value - other)
  })
  return Math.max(...gaps)
}

function bytesOf(out: TrialArrays): string[] {
  return Object.values(out).map((values) => Buffer.from(values.buffer).toString('base64'))
}

function fixed(input: SolarInput): SimulationRequest['distributions'] {
  const value = (field: number) => ({ distribution: 'fixed' as const, value: field })
  return {
    production: value(input.annualProductionPerKW),
    degradation: value(input.degradationRate),
    escalation: value(input.rateEscalation),
    cost: value(input.installedCostPerWatt),
    om: value(input.omCostPerKWYear),
    selfConsumption: value(input.selfConsumptionFraction),
    exportRate: value(input.exportRate),
    inverterCost: value(input.inverterCostPerKW),
  }
}

/**
 * The correlation of the normal scores of the two, got back from results: the value over one year is
 * linear in both, and a run in which only one of them varies tells it apart.
 */
function spearmanOfCostAndOm(method: Method, coefficient: number): number {
  const input = { ...home, analysisYears: 1, utilityRate: 0 }
  const correlations = [{ inputs: ['cost', 'om'] as const, coefficient }]
  const draw = (...names: UncertainInput[]): Float64Array => {
    const normal = { cost: [3.15, 0.1], om: [20, 2] } as const
    const distributions = { ...fixed(input) }
    for (const name of ['cost', 'om'] as const) {
      const [mean, standardDeviation] = normal[name]
      if (names.includes(name)) distributions[name] = { distribution: 'normal', mean, standardDeviation }
    }
    return runAll(planRun(input, { trials: 4096, seed: 3, method, distributions, correlations })).npv
  }
  const variance = (values: Float64Array): number => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    return values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / values.length
  }
  const [cost, om, both] = [draw('cost'), draw('om'), draw('cost', 'om')].map(variance)
  if (cost === undefined || om === undefined || both === undefined) throw new Error('There are three.')
  return (both - cost - om) / (2 * Math.sqrt(cost * om))
}
