import { onlyVary, simulate, type SimulationData } from './monte-carlo-data.ts'
import { startSolar, threeNumbers, type SolarApp } from './support.ts'

let app: SolarApp
let key: string

beforeAll(async () => {
  app = await startSolar({ settings: { burstPerSecond: 0 } })
  key = (await app.signUp('api_business')).key
})
afterAll(() => app.close())

/** Under net billing: most of the production earns less than it would save. */
const california = { ...threeNumbers, utilityRate: 0.36, selfConsumptionFraction: 0.4, exportRate: 0.07 }

describe('results of others', () => {
  // Seeded runs of an independent simulation in NumPy with the same generator and distributions.
  test.each([
    {
      ...{ name: 'an average home', system: threeNumbers, trials: 1_000, seed: 1 },
      npv: { mean: 133.45, standardDeviation: 4499.38 },
      percentiles: { p5: -6995.83, p25: -2945.62, p50: 2.68, p75: 3224.64, p95: 7584.7 },
      ...{ npvPositive: 0.501, neverPaysBack: 0.002, within15: 0.685, cvar5: -9054.77, payback: 14.02 },
      lifetime: 26360.25,
    },
    {
      ...{ name: 'an average home', system: threeNumbers, trials: 10_000, seed: 42 },
      npv: { mean: -50.34, standardDeviation: 4641.54 },
      percentiles: { p5: -7718.11, p25: -3134.09, p50: 11.45, p75: 3065.62, p95: 7440.34 },
      ...{ npvPositive: 0.5006, neverPaysBack: 0.0009, within15: 0.667, cvar5: -9876.44, payback: 14.11 },
      lifetime: 26234.54,
    },
    {
      ...{ name: 'net billing', system: california, trials: 100_000, seed: 20261120 },
      npv: { mean: 1562.13, standardDeviation: 6332.07 },
      percentiles: { p5: -8523.77, p25: -2751.4, p50: 1409.91, p75: 5687.21, p95: 12269.94 },
      ...{ npvPositive: 0.58834, neverPaysBack: 0.00513, within15: 0.72606, cvar5: -11001.9, payback: 13.18 },
      lifetime: 28595.68,
    },
  ])(
    '$name: $trials trials with seed $seed',
    async ({ system, trials, seed, npv, percentiles, ...expected }) => {
      const data = await run({ ...system, simulation: { trials, seed, method: 'random' } })

      expect(data.simulation).toEqual({ trials, seed: String(seed), method: 'random' })
      expect(data.npv).toMatchObject({ ...npv, percentiles })
      expect(data.probabilities).toMatchObject({
        npvPositive: expected.npvPositive,
        paybackWithin: { 15: expected.within15 },
        neverPaysBack: expected.neverPaysBack,
      })
      expect(data.cvar5).toBe(expected.cvar5)
      expect(data.paybackYears.percentiles.p50).toBe(expected.payback)
      expect(data.lifetimeNetSavings.mean).toBe(expected.lifetime)
    },
  )

  test('a single lognormal cost has the net present value of its closed form', async () => {
    const distributions = onlyVary('cost')
    const { npv, probabilities, cvar5 } = await run({
      ...threeNumbers,
      simulation: { trials: 65_536, seed: 3, distributions },
    })

    // Exact: the net present value falls by 7,714 USD per USD/W, and the cost is exp(ln 3.15 + 0.12 z).
    expect(Math.abs(npv.mean - 367.09)).toBeLessThan(0.3)
    expect(Math.abs((npv.standardDeviation ?? NaN) - 2947.68)).toBeLessThan(0.6)
    expect(Math.abs((npv.percentiles.p5 ?? NaN) - -4759.82)).toBeLessThan(6)
    expect(Math.abs((npv.percentiles.p95 ?? NaN) - 4895.38)).toBeLessThan(6)
    expect(Math.abs(probabilities.npvPositive - 0.573015)).toBeLessThan(3e-4)
    expect(Math.abs(cvar5 - -6313.67)).toBeLessThan(6)
  })

  test('says beside it what /v1/calculate answers to the same inputs', async () => {
    const data = await run({ ...california, simulation: { trials: 100 } })
    const { body } = await app.call('post', '/v1/calculate', { key, body: california })

    const { metrics, savings } = body.data
    expect(data.deterministic).toEqual({
      npv: metrics.npv,
      paybackYears: metrics.paybackYears,
      lifetimeNetSavings: savings.lifetimeNetSavings,
      year1Savings: savings.year1Savings,
    })
  })
})

describe('the seed', () => {
  test.each(['sobol', 'random', 'lhs'])(
    'gives the same bytes again, and other bytes with another: %s',
    async (method) => {
      for (const trials of [1_000, 20_000]) {
        const ask = (seed: unknown) => answer({ ...threeNumbers, simulation: { trials, method, seed } })
        const first = await ask(1)
        expect(await ask(1)).toBe(first)
        expect(await ask('1')).toBe(first)
        expect(await ask(2)).not.toBe(first)
      }
    },
  )

  test('is random when none is given, and named in the answer so that the run can be repeated', async () => {
    const simulation = { trials: 500 }
    const [first, second] = [
      await run({ ...threeNumbers, simulation }),
      await run({ ...threeNumbers, simulation }),
    ]

    expect(first.simulation.seed).toMatch(/^\d{1,20}$/)
    expect(second.simulation.seed).not.toBe(first.simulation.seed)
    const { seed } = first.simulation
    expect(await run({ ...threeNumbers, simulation: { ...simulation, seed } })).toEqual(first)
  })

  test('may have all of its 64 bits', async () => {
    const seed = '18446744073709551615'
    const data = await run({ ...threeNumbers, simulation: { trials: 100, seed } })
    expect(data.simulation.seed).toBe(seed)
  })
})

describe('what is assumed', () => {
  test('is in the answer, and asking for exactly that gives the same numbers', async () => {
    const asked = { trials: 512, seed: 5 }
    const { assumptions, ...numbers } = await run({ ...california, simulation: asked })
    const named = Object.keys(assumptions).filter((name) => name.startsWith('simulation.distributions.'))
    expect(named).toHaveLength(8)
    expect(assumptions['simulation.distributions.selfConsumption']).toEqual({
      value: { distribution: 'normal', mean: 0.4, standardDeviation: 0.08, min: 0, max: 1 },
      source: 'default',
    })

    const distributions = Object.fromEntries(
      named.map((name) => [name.replace('simulation.distributions.', ''), assumptions[name]?.value]),
    )
    const correlations = assumptions['simulation.correlations']?.value
    const again = await run({ ...california, simulation: { ...asked, distributions, correlations } })

    expect({ ...again, assumptions: {} }).toEqual({ ...numbers, assumptions: {} })
    expect(again.assumptions['simulation.distributions.cost']?.source).toBe('request')
    expect(again.assumptions['simulation.correlations']?.source).toBe('request')
    expect(again.assumptions['degradationRate']).toEqual({ value: 0.005, source: 'default' })
  })

  test('an own distribution and an own correlation change the numbers, and are echoed', async () => {
    const cost = { distribution: 'uniform', min: 1, max: 2 }
    const correlation = { inputs: ['production', 'escalation'], coefficient: 0.8 }
    const ask = (simulation: object) =>
      run({ ...threeNumbers, simulation: { trials: 2_000, seed: 1, ...simulation } })
    const usual = await ask({})
    const cheap = await ask({ distributions: { cost } })
    const together = await ask({ correlations: [correlation] })

    expect(cheap.npv.percentiles.p5).toBeGreaterThan(usual.npv.percentiles.p75 ?? NaN)
    expect(cheap.assumptions['simulation.distributions.cost']).toEqual({ value: cost, source: 'request' })
    expect(together.npv.standardDeviation).toBeGreaterThan(1.1 * (usual.npv.standardDeviation ?? NaN))
    expect(together.assumptions['simulation.correlations']).toEqual({
      value: [{ inputs: ['cost', 'om'], coefficient: 0.3 }, correlation],
      source: 'request',
    })
  })

  test('Sobol points are rounded up to a power of two, which a warning says; the others are not', async () => {
    for (const [method, trials] of [
      ['sobol', 1024],
      ['random', 1000],
      ['lhs', 1000],
    ] as const) {
      const { simulation, warnings } = await run({
        ...threeNumbers,
        simulation: { trials: 1000, method },
      })
      expect(simulation.trials).toBe(trials)
      expect(warnings.some(({ code }) => code === 'TRIALS_ROUNDED_UP')).toBe(trials !== 1000)
    }
  })
})

describe('what cannot be computed is null, with a warning', () => {
  test('a home that uses nothing', async () => {
    const data = await run({ ...threeNumbers, annualConsumptionKWh: 0, simulation: { trials: 200 } })

    expect(data.npv).toMatchObject({ mean: 0, standardDeviation: 0 })
    expect(data.paybackYears).toMatchObject({ mean: null, min: null, percentiles: { p5: null, p95: null } })
    expect(data.paybackYears.histogram).toEqual({ edges: [], counts: [], underflow: 0, overflow: 256 })
    expect(data.probabilities).toMatchObject({ npvPositive: 0, neverPaysBack: 1 })
    expect(data.sensitivity.sobol[0]).toMatchObject({ first: null, total: null })
    expect(data.warnings.map(({ code }) => code)).toContain('PAYBACK_INCOMPLETE')
  })

  test('inputs that are all certain', async () => {
    const distributions = onlyVary()
    const data = await run({ ...threeNumbers, simulation: { trials: 128, distributions } })

    expect(data.npv).toMatchObject({ mean: 542.68, standardDeviation: 0, min: 542.68, max: 542.68 })
    expect(data.npv.histogram.counts).toEqual([128])
    expect(data.warnings.map(({ code }) => code)).toContain('NOTHING_VARIES')
  })
})

function run(body: object): Promise<SimulationData> {
  return simulate(app, key, body)
}

/** The text of the data of an answer. */
async function answer(body: object): Promise<string> {
  return JSON.stringify(await run(body))
}
