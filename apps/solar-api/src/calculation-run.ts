import { HttpError } from '@hearth/chassis/errors'
import { invalid, validate } from '@hearth/chassis/validate'
import Joi from 'joi'
import { calculateBody, type CalculateRequest } from './calculate.ts'
import type { Outcome } from './calculation-rows.ts'
import type { SolarInput } from './model/input.ts'
import { roundResult } from './model/rounding.ts'
import { calculateSolar, solarModel } from './model/solar.ts'
import { monteCarloBody, planSimulation, type MonteCarloBody } from './simulation-input.ts'
import { presentSimulation } from './simulation-result.ts'
import type { Simulations } from './simulations.ts'
import { resolveInput } from './solar-input.ts'
import { presentCalculation } from './solar-result.ts'

/** A calculation of one of the kinds that can be saved, checked. */
export type Run =
  | { readonly kind: 'calculate'; readonly input: CalculateRequest }
  | { readonly kind: 'monteCarlo'; readonly input: MonteCarloBody }

/** Who wants it, and until when. */
export type Runner = {
  readonly simulations: Simulations
  /** The plan bounds the number of trials. */
  readonly plan: string
  readonly signal: AbortSignal
}

/** The schema of `input` beside a field `kind`. */
export const inputSchema = Joi.alternatives()
  .conditional('kind', { is: 'monteCarlo', then: monteCarloBody, otherwise: calculateBody })
  .required()
  .description(
    'The body of `/v1/calculate`, or of `/v1/calculate/monte-carlo`. It is kept as it is sent; what it leaves out is assumed.',
  )

/**
 * Makes the answer of /v1/calculate or /v1/calculate/monte-carlo, byte for byte, and the yearly table of the same
 * inputs without uncertainty.
 *
 * @param raw the input before defaults were filled in
 * @throws HttpError validation_failed, plan_upgrade_required, temporarily_unavailable
 */
export async function runCalculation(run: Run, raw: unknown, runner: Runner): Promise<Outcome> {
  if (run.kind === 'calculate') {
    const { include, ...request } = run.input
    const input = resolveInput(request)
    const data = presentCalculation(input, raw, include.includes('cashFlow'))
    return { model: solarModel, result: JSON.stringify(data), cashFlow: cashFlowOf(input) }
  }
  const request = within('/input', () => planSimulation(runner.plan, run.input))
  const result = await runner.simulations.run(request, runner.signal)
  const data = presentSimulation(result, request, raw)
  return { model: result.model, result: JSON.stringify(data), cashFlow: cashFlowOf(request.input) }
}

/**
 * The run for an input that was saved. A simulation takes the seed that the first run had, given or not, so that
 * whatever is different afterwards is the model's doing.
 *
 * @param saved texts of a saved calculation
 * @throws HttpError validation_failed when the input is not one that is accepted today
 */
export function runOfSaved(saved: { kind: Run['kind']; input: string; result: string }): {
  run: Run
  raw: unknown
} {
  const raw: unknown = JSON.parse(saved.input)
  if (saved.kind === 'calculate') {
    const input = within('/input', () => validate(calculateBody, raw, 'body'))
    return { raw, run: { kind: 'calculate', input } }
  }
  const input = within('/input', () => validate(monteCarloBody, raw, 'body'))
  const { simulation } = JSON.parse(saved.result) as { simulation: { seed: string } } // the form of every result
  const seeded = { ...input, simulation: { ...input.simulation, seed: simulation.seed } }
  return { raw, run: { kind: 'monteCarlo', input: seeded } }
}

function cashFlowOf(input: SolarInput): string {
  return JSON.stringify(roundResult(calculateSolar(input)).cashFlow)
}

/** The fields at fault by their place in the whole body. */
function within<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof HttpError) || error.errors.length === 0) throw error
    throw invalid(error.errors.map((field) => ({ ...field, pointer: `${place}${field.pointer ?? ''}` })))
  }
}
