import fc from 'fast-check'
import { simulate, type Output } from './monte-carlo-data.ts'
import { startSolar, type SolarApp } from './support.ts'

let app: SolarApp
let key: string

beforeAll(async () => {
  app = await startSolar({ settings: { burstPerSecond: 0 } })
  key = (await app.signUp('api_business')).key
})
afterAll(() => app.close())

test('whatever is asked, the statistics fit together', async () => {
  const bodies = fc.record({
    annualProductionPerKW: fc.double({ min: 600, max: 2200, noNaN: true }),
    annualConsumptionKWh: fc.double({ min: 0, max: 40_000, noNaN: true }),
    utilityRate: fc.double({ min: 0, max: 0.6, noNaN: true }),
    selfConsumptionFraction: fc.double({ min: 0, max: 1, noNaN: true }),
    analysisYears: fc.integer({ min: 1, max: 40 }),
    loan: fc.constantFrom(null, {}, { fraction: 1, apr: 0.09, termYears: 30 }),
    simulation: fc.record({
      trials: fc.integer({ min: 100, max: 700 }),
      seed: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
      method: fc.constantFrom('sobol', 'random', 'lhs'),
      distributions: fc.constantFrom(
        {},
        { cost: { distribution: 'pert', min: 2, mode: 3, max: 6 } },
        { production: { distribution: 'triangular', min: 0, mode: 900, max: 1800 } },
        { escalation: { distribution: 'beta', alpha: 2, beta: 5, min: -0.02, max: 0.08 } },
      ),
    }),
  })
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const { simulation, probabilities, ...data } = await simulate(app, key, body)
      for (const output of [data.npv, data.paybackYears, data.lifetimeNetSavings, data.year1Savings]) {
        expectOrdered(output, simulation.trials)
      }
      const { paybackWithin, neverPaysBack, npvPositive } = probabilities
      const within = [5, 7, 10, 12, 15, 20].map((limit) => paybackWithin[limit] ?? NaN)
      expect(within).toEqual(within.toSorted((a, b) => a - b))
      for (const one of [...within, neverPaysBack, npvPositive]) expect(one >= 0 && one <= 1).toBe(true)
      expect((within.at(-1) ?? NaN) + neverPaysBack).toBeLessThanOrEqual(1 + 1e-6)
      expect(data.cvar5).toBeLessThanOrEqual((data.npv.percentiles.p5 ?? NaN) + 0.01)
      const swings = data.sensitivity.tornado.map(({ swing }) => swing)
      expect(swings).toEqual(swings.toSorted((a, b) => b - a))
      expect([data.sensitivity.tornado.length, data.sensitivity.sobol.length]).toEqual([8, 8])
    }),
    { numRuns: 40 },
  )
})

function expectOrdered(output: Output, trials: number): void {
  const { min, max, percentiles, histogram, standardDeviation } = output
  const { p5, p10, p25, p50, p75, p90, p95 } = percentiles
  const ends: (number | null)[] = p95 === null ? [] : [max]
  const known = [min, p5, p10, p25, p50, p75, p90, p95, ...ends].filter((value) => value !== null)
  expect(known).toEqual(known.toSorted((a, b) => a - b))
  // Null where nothing pays back.
  expect(standardDeviation ?? 0).toBeGreaterThanOrEqual(0)
  const { counts, edges, underflow, overflow } = histogram
  expect(counts.reduce((sum, count) => sum + count, underflow + overflow)).toBe(trials)
  expect(edges).toEqual(edges.toSorted((a, b) => a - b))
  expect(edges.length).toBe(counts.length === 0 ? 0 : counts.length + 1)
}
