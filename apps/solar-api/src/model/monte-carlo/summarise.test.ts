import { solarDefaults, type SolarInput } from '../input.ts'
import { calculateSolar } from '../solar.ts'
import { planRun, type SimulationRequest } from './plan.ts'
import { summarise, type MonteCarloResult } from './summarise.ts'
import { runTrials, trialArrays } from './trials.ts'

const home: SolarInput = {
  ...solarDefaults,
  annualProductionPerKW: 1400,
  annualConsumptionKWh: 10800,
  utilityRate: 0.17,
}

describe('summarise()', () => {
  const result = simulate(home, { trials: 2000, seed: '17', method: 'random' })
  const outputs = ['npv', 'paybackYears', 'lifetimeNetSavings', 'year1Savings'] as const

  test('names the model, the run and the calculation without uncertainty', () => {
    expect(result.model).toBe('solar-v1')
    expect(result.simulation).toEqual({ trials: 2000, seed: '17', method: 'random' })
    const { metrics, savings } = calculateSolar(home)
    expect(result.deterministic).toEqual({
      npv: metrics.npv,
      paybackYears: metrics.paybackYears,
      lifetimeNetSavings: savings.lifetimeNetSavings,
      year1Savings: savings.year1Savings,
    })
  })

  test.each(outputs)('orders the numbers of %s', (output) => {
    const { min, max, mean, percentiles, standardError } = result[output]
    const { p5, p10, p25, p50, p75, p90, p95 } = percentiles
    const ordered = [min, p5, p10, p25, p50, p75, p90, p95, max].map((value) => value ?? NaN)
    expect([...ordered].sort((a, b) => a - b)).toEqual(ordered)
    expect(mean).toBeGreaterThan(min ?? NaN)
    expect(mean).toBeLessThan(max ?? NaN)
    expect(standardError).toBeGreaterThan(0)
  })

  test.each(outputs)('counts every trial of %s in its histogram', (output) => {
    const { counts, underflow, overflow } = result[output].histogram
    expect(counts.reduce((sum, count) => sum + count, underflow + overflow)).toBe(2000)
  })

  test('has probabilities that fit together', () => {
    const { npvPositive, paybackWithin, neverPaysBack } = result.probabilities
    const within = [5, 7, 10, 12, 15, 20] as const
    const rising = within.map((years) => paybackWithin[years])
    expect([...rising].sort((a, b) => a - b)).toEqual(rising)
    expect(paybackWithin[20] + neverPaysBack).toBeLessThanOrEqual(1)
    expect(npvPositive).toBeCloseTo(0.5, 1)
    expect(result.cvar5).toBeLessThan(result.npv.percentiles.p5 ?? NaN)
  })

  test('says when trials were rounded up, and when some never pay back', () => {
    const codes = (request: SimulationRequest, input = home) =>
      simulate(input, request).warnings.map(({ code }) => code)
    expect(codes({ trials: 1000 })).toContain('TRIALS_ROUNDED_UP')
    expect(codes({ trials: 1024 })).not.toContain('TRIALS_ROUNDED_UP')
    expect(codes({ trials: 1024 }, { ...home, utilityRate: 0.12 })).toContain('PAYBACK_INCOMPLETE')
    expect(codes({ trials: 1024 }, { ...home, utilityRate: 0.5 })).not.toContain('PAYBACK_INCOMPLETE')
    expect(codes({ trials: 1024 }, { ...home, utilityRate: 1.5 })).toContain('UNUSUAL_RATE')
  })

  test('is finite or null throughout, also where nothing pays back or there is no system', () => {
    for (const input of [home, { ...home, utilityRate: 0 }, { ...home, annualConsumptionKWh: 0 }]) {
      const text = JSON.stringify(simulate(input, { trials: 500 }), (_key, value: unknown) => {
        if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true)
        return value
      })
      expect(text).not.toContain('undefined')
    }
    const none = simulate({ ...home, annualConsumptionKWh: 0 }, { trials: 500 })
    expect(none.paybackYears.mean).toBeNull()
    expect(none.probabilities).toMatchObject({ npvPositive: 0, neverPaysBack: 1 })
    expect(none.sensitivity.sobol[0]).toEqual({ input: 'production', first: null, total: null })
  })

  test('needs no more memory than the trials', () => {
    const shared = trialArrays(1000, (bytes) => new SharedArrayBuffer(bytes))
    const run = planRun(home, { trials: 1000, method: 'lhs' })
    runTrials(run, 0, 1000, shared)
    expect(summarise(run, shared).npv.mean).toBeCloseTo(-39, -3)
  })
})

function simulate(input: SolarInput, request: SimulationRequest): MonteCarloResult {
  const run = planRun(input, request)
  const out = trialArrays(run.trials)
  runTrials(run, 0, run.trials, out)
  return summarise(run, out)
}
