import type { TestApp } from '@hearth/account/testing/test-app'
import { solarDefaults } from '../src/model/input.ts'
import type { UncertainInput } from '../src/model/monte-carlo/uncertain-inputs.ts'
import { threeNumbers } from './support.ts'

/** What POST /v1/calculate/monte-carlo answers, as far as the tests look at it. */
export type SimulationData = Readonly<
  Record<'npv' | 'paybackYears' | 'lifetimeNetSavings' | 'year1Savings', Output>
> & {
  readonly simulation: { readonly trials: number; readonly seed: string; readonly method: string }
  readonly probabilities: {
    readonly npvPositive: number
    readonly paybackWithin: Readonly<Record<string, number>>
    readonly neverPaysBack: number
  }
  readonly cvar5: number
  readonly sensitivity: {
    readonly tornado: readonly { readonly input: string; readonly swing: number }[]
    readonly sobol: readonly object[]
  }
  readonly deterministic: object
  readonly assumptions: Readonly<Record<string, { readonly value: unknown; readonly source: string }>>
  readonly warnings: readonly { readonly code: string }[]
}

/** The statistics of one output. */
export type Output = {
  /** Null in some answers; the tests that compute with it know that it is not. */
  readonly mean: number
  readonly standardDeviation: number | null
  readonly min: number | null
  readonly max: number | null
  readonly percentiles: Readonly<Record<'p5' | 'p10' | 'p25' | 'p50' | 'p75' | 'p90' | 'p95', number | null>>
  readonly histogram: {
    readonly edges: readonly number[]
    readonly counts: readonly number[]
    readonly underflow: number
    readonly overflow: number
  }
}

/** Runs a simulation that succeeds. */
export async function simulate(app: TestApp, key: string, body: object): Promise<SimulationData> {
  const reply = await app.call('post', '/v1/calculate/monte-carlo', { key, body })
  expect({ status: reply.status, body: reply.body }).toMatchObject({ status: 200 })
  return reply.body.data
}

/** Distributions in which all inputs but the given ones keep their usual values. */
export function onlyVary(...names: readonly UncertainInput[]): object {
  const values = { ...solarDefaults, ...threeNumbers }
  const fixed = Object.entries(fieldOf).filter(([name]) => !names.some((one) => one === name))
  return Object.fromEntries(
    fixed.map(([name, field]) => [name, { distribution: 'fixed', value: values[field] }]),
  )
}

/** The field that each input stands for. */
const fieldOf = {
  production: 'annualProductionPerKW',
  degradation: 'degradationRate',
  escalation: 'rateEscalation',
  cost: 'installedCostPerWatt',
  om: 'omCostPerKWYear',
  selfConsumption: 'selfConsumptionFraction',
  exportRate: 'exportRate',
  inverterCost: 'inverterCostPerKW',
} as const satisfies Record<UncertainInput, string>
