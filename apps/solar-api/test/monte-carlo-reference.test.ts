import { existsSync, readFileSync } from 'node:fs'
import { solarDefaults, type SolarInput } from '../src/model/input.ts'
import { inverseNormal } from '../src/model/monte-carlo/normal.ts'
import { philox } from '../src/model/monte-carlo/philox.ts'
import { planRun, type Method, type SimulationRequest } from '../src/model/monte-carlo/plan.ts'
import { sobolIndices, tornado } from '../src/model/monte-carlo/sensitivity.ts'
import { summarise, type MonteCarloResult } from '../src/model/monte-carlo/summarise.ts'
import { runTrials, trialArrays, type TrialArrays } from '../src/model/monte-carlo/trials.ts'
import { uncertainInputs, type UncertainInput } from '../src/model/monte-carlo/uncertain-inputs.ts'

// Results of an independent simulation in NumPy that are kept beside the repository, not in it. Literals among
// the unit tests of the engine stand in for them where they are absent.
const file = new URL('../../../../shared/data/solar/mc_cases.json', import.meta.url)
const available = existsSync(file)
if (!available) console.log('skipped: Monte Carlo reference results not found beside the repository')
const reference: Reference = available
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { kat: [], norminv: [], cases: [], analytic: [], sensitivity: { values: {} }, reference: { values: {} } }

;(available ? describe : describe.skip)('the reference simulation', () => {
  test('has all that is tested below', () => {
    expect([reference.kat.length, reference.norminv.length, reference.cases.length]).toEqual([3, 24, 6])
    expect(reference.analytic.length).toBe(2)
  })

  test('draws the same words', () => {
    for (const { counter, key, out } of reference.kat) {
      const [c0 = 0, c1 = 0, c2 = 0, c3 = 0, low = 0, high = 0] = [...counter, ...key].map(word)
      const words = new Uint32Array(4)
      philox({ low, high }, c0, c1, c2, c3, words, 0)
      expect([...words]).toEqual(out.map(word))
    }
  })

  test('has the same normal quantiles', () => {
    for (const { u, z } of reference.norminv) expect(inverseNormal(u)).toEqual(near(z, 1e-14))
  })

  test.each(reference.cases)('agrees with the seeded run $name of $trials trials', (expected) => {
    const { trials, seed, npv, payback, netSavings } = expected
    const { result, out } = simulate(inputOf(expected.params), { trials, seed, method: 'random' })
    expect(result.npv).toMatchObject({
      mean: near(npv.mean),
      standardDeviation: near(npv.sd),
      percentiles: all(npv.percentiles),
    })
    expect(result.cvar5).toEqual(near(npv.cvar5))
    expect(result.paybackYears.percentiles).toEqual(all(payback.percentiles))
    expect(result.lifetimeNetSavings).toMatchObject({
      mean: near(netSavings.mean),
      percentiles: { p5: near(netSavings.p5), p50: near(netSavings.p50), p95: near(netSavings.p95) },
    })
    expect(result.probabilities).toMatchObject({
      npvPositive: near(npv.probPositive),
      paybackWithin: { 10: near(payback.probWithin10), 15: near(payback.probWithin15) },
      neverPaysBack: near(payback.probNever),
    })
    for (const [trial, first] of expected.firstTrials.entries()) {
      expect(out.npv[trial]).toEqual(near(first.npv))
      expect(out.paybackYears[trial]).toEqual(near(first.payback))
    }
  })
})

;(available ? describe : describe.skip)('the reference values, within five standard errors', () => {
  const methods: Method[] = ['sobol', 'random', 'lhs']

  test.each(
    Object.keys(reference.reference.values).flatMap((name) =>
      methods.map((method) => [name, method] as const),
    ),
  )('of %s, by method %s', (name, method) => {
    // The scatter of independent runs gives the standard error of one: a check of what the runs report as well.
    const runs = Array.from({ length: 16 }, (_, seed) =>
      measures(simulate(siteOf(name), { trials: 4096, seed, method }).result),
    )
    for (const [measure, [value, error]] of Object.entries(reference.reference.values[name] ?? {})) {
      const found = runs.map((run) => run[measure] ?? NaN)
      const mean = found.reduce((sum, one) => sum + one, 0) / found.length
      const scatter = found.reduce((sum, one) => sum + (one - mean) * (one - mean), 0) / (found.length - 1)
      const allowed = 5 * Math.sqrt(error * error + scatter / found.length)
      expect([measure, Math.abs(mean - value) <= allowed]).toEqual([measure, true])
    }
  })

  test.each(Object.keys(reference.reference.values))(
    'of %s, by the standard errors that a run reports',
    (name) => {
      const values = reference.reference.values[name] ?? {}
      for (const method of methods) {
        const { npv } = simulate(siteOf(name), { trials: 16_384, seed: 11, method }).result
        const found = [
          ['mean', npv.mean, npv.standardError],
          ...(['p5', 'p25', 'p50', 'p75', 'p95'] as const).map(
            (key) => [key, npv.percentiles[key], npv.percentileStandardErrors[key]] as const,
          ),
        ] as const
        for (const [measure, value, standardError] of found) {
          const [expected = NaN, error = NaN] = values[measure] ?? []
          const allowed = 5 * Math.hypot(error, standardError ?? NaN)
          expect([measure, Math.abs((value ?? NaN) - expected) <= allowed]).toEqual([measure, true])
        }
      }
    },
  )
})

;(available ? describe : describe.skip)('the analytic cases', () => {
  test.each(reference.analytic)('$name', (expected) => {
    const input = siteOf('base')
    const distributions = onlyVary(input, expected.random)
    const request = { trials: 65_536, seed: 3, distributions }
    const { result } = simulate({ ...input, offsetFraction: expected.offset ?? 1 }, request)
    const { npv, probabilities, cvar5 } = result
    expect(Math.abs((npv.mean ?? NaN) - expected.mean)).toBeLessThan(1e-4 * expected.sd)
    expect(npv.standardDeviation).toEqual(near(expected.sd, 2e-4))
    // One dimension of 65,536 evenly spread points: a percentile is off by one spacing of points at most.
    for (const [name, value] of Object.entries(expected.percentiles)) {
      const found: number | null = npv.percentiles[name as keyof typeof npv.percentiles] // the file has the same names
      expect(Math.abs((found ?? NaN) - value)).toBeLessThan(2e-3 * expected.sd)
    }
    expect(Math.abs(probabilities.npvPositive - expected.probPositive)).toBeLessThan(3e-4)
    expect(Math.abs(cvar5 - expected.cvar5)).toBeLessThan(2e-3 * expected.sd)
  })
})

;(available ? describe : describe.skip)('the reference sensitivities', () => {
  test.each(Object.entries(reference.sensitivity.values))('of %s', (name, expected) => {
    const run = planRun(siteOf(name), { seed: 1 })
    const { medianNpv, rows } = tornado(run)
    expect(medianNpv).toEqual(near(expected.baseNpv))
    for (const { input, p10, p90 } of rows) {
      expect([p10.npv, p90.npv]).toEqual(expected.tornadoP10P90[input].map((value) => near(value)))
    }
    for (const { input, first, total } of sobolIndices(run, 8192)) {
      expect([input, first ?? NaN]).toEqual([input, expect.closeTo(expected.sobolFirst[input], 2)])
      expect([input, total ?? NaN]).toEqual([input, expect.closeTo(expected.sobolTotal[input], 2)])
    }
  })
})

function simulate(
  input: SolarInput,
  request: SimulationRequest,
): { result: MonteCarloResult; out: TrialArrays } {
  const run = planRun(input, request)
  const out = trialArrays(run.trials)
  runTrials(run, 0, run.trials, out)
  return { result: summarise(run, out), out }
}

function measures({
  npv,
  cvar5,
  paybackYears,
  probabilities,
}: MonteCarloResult): Record<string, number | null> {
  return {
    ...npv.percentiles,
    mean: npv.mean,
    sd: npv.standardDeviation,
    probPositive: probabilities.npvPositive,
    cvar5,
    paybackP50: paybackYears.percentiles.p50,
    probNever: probabilities.neverPaysBack,
    probWithin15: probabilities.paybackWithin[15],
  }
}

function siteOf(name: string): SolarInput {
  const found = reference.cases.find((candidate) => candidate.name === name)
  if (!found) throw new Error(`There is no case named ${name}.`)
  return inputOf(found.params)
}

function inputOf(params: Params): SolarInput {
  return {
    ...solarDefaults,
    annualProductionPerKW: params.P,
    annualConsumptionKWh: params.C,
    utilityRate: params.r,
    offsetFraction: params.offset,
    installedCostPerWatt: params.costW,
    degradationRate: params.d,
    rateEscalation: params.e,
    selfConsumptionFraction: params.s,
    exportRate: params.x,
    exportEscalation: params.xe,
    omCostPerKWYear: params.om,
    omEscalation: params.g,
    inverterCostPerKW: params.inv,
    inverterReplacementYears: [params.invYear],
    discountRate: params.rho,
    analysisYears: params.N,
  }
}

function onlyVary(input: SolarInput, names: readonly UncertainInput[]): SimulationRequest['distributions'] {
  const fixed = uncertainInputs.filter(({ name }) => !names.includes(name))
  return Object.fromEntries(
    fixed.map(({ name, field }) => [name, { distribution: 'fixed', value: input[field] }]),
  )
}

function word(value: number | string): number {
  return typeof value === 'string' ? Number.parseInt(value, 16) : value
}

function all(values: Record<string, number>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, near(value)]))
}

function near(value: number, relative = 1e-9): unknown {
  return {
    asymmetricMatch: (actual: unknown) =>
      typeof actual === 'number' && Math.abs(actual - value) <= relative * Math.abs(value),
    toString: () => `near ${value}`,
    toAsymmetricMatcher: () => `near ${value}`,
  }
}

type Params = Record<
  | 'P'
  | 'C'
  | 'r'
  | 'offset'
  | 'costW'
  | 'd'
  | 'e'
  | 's'
  | 'x'
  | 'xe'
  | 'om'
  | 'g'
  | 'inv'
  | 'invYear'
  | 'rho'
  | 'N',
  number
>

type Reference = {
  kat: { counter: (number | string)[]; key: (number | string)[]; out: string[] }[]
  norminv: { u: number; z: number }[]
  cases: {
    name: string
    trials: number
    seed: number
    params: Params
    npv: {
      mean: number
      sd: number
      percentiles: Record<string, number>
      probPositive: number
      cvar5: number
    }
    payback: {
      percentiles: Record<string, number>
      probWithin10: number
      probWithin15: number
      probNever: number
    }
    netSavings: { mean: number; p5: number; p50: number; p95: number }
    firstTrials: { npv: number; payback: number }[]
  }[]
  analytic: {
    name: string
    random: UncertainInput[]
    offset?: number
    mean: number
    sd: number
    percentiles: Record<string, number>
    probPositive: number
    cvar5: number
  }[]
  sensitivity: {
    values: Record<
      string,
      {
        baseNpv: number
        tornadoP10P90: Record<UncertainInput, number[]>
        sobolFirst: Record<UncertainInput, number>
        sobolTotal: Record<UncertainInput, number>
      }
    >
  }
  reference: { values: Record<string, Record<string, [number, number]>> }
}
