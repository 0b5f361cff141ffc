import type { FieldProblem } from '@hearth/chassis/errors'
import { invalid, nameOf } from '@hearth/chassis/validate'
import Joi from 'joi'
import type { Distribution } from './model/monte-carlo/distribution.ts'
import {
  checkSimulation,
  fewestTrials,
  simulationDefaults,
  type SimulationProblem,
  type SimulationRequest as Settings,
} from './model/monte-carlo/plan.ts'
import { uncertainInputs } from './model/monte-carlo/uncertain-inputs.ts'
import { requireTrials, trialsOfPlan } from './plans.ts'
import { resolveInput, solarFields, type SolarRequest } from './solar-input.ts'
import type { SimulationRequest } from './simulations.ts'

/** The body of a Monte Carlo request: a system, and how its inputs vary. */
export type MonteCarloBody = SolarRequest & { readonly simulation: Settings }

/** The largest run that a request may ask for, whatever its plan. */
const mostTrials = Math.max(...Object.values(trialsOfPlan))

/** A number as JSON keeps it, or all 64 bits as text. */
const seed = Joi.alternatives().try(
  Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER),
  Joi.string().pattern(/^(0|[1-9]\d{0,19})$/, 'a whole number from 0 to 2^64 - 1 in decimal digits'),
)

const correlation = Joi.object({
  inputs: Joi.array()
    .items(Joi.string().valid(...uncertainInputs.map(({ name }) => name)))
    .length(2)
    .unique()
    .required()
    .description('Two different inputs.'),
  coefficient: Joi.number()
    .greater(-1)
    .less(1)
    .required()
    .description('Correlation of their normal scores (Gaussian copula); between -1 and 1.'),
})

/** The settings of a simulation, as a field of a request. */
const simulation = Joi.object({
  trials: Joi.number()
    .integer()
    .min(fewestTrials)
    .max(mostTrials)
    .default(simulationDefaults.trials)
    .description(
      'How many; the plan says how many at most. With method sobol they are rounded up to a power of two.',
    ),
  seed: seed.description(
    'A run with the same seed gives the same numbers. A whole number up to 2^53 - 1, or up to 2^64 - 1 as text. Left out: a random one, which the answer names.',
  ),
  method: Joi.string()
    .valid('sobol', 'random', 'lhs')
    .default(simulationDefaults.method)
    .description(
      'How trials are drawn: scrambled Sobol points, independent random numbers (Philox), or Latin hypercube.',
    ),
  distributions: Joi.object(
    Object.fromEntries(
      uncertainInputs.map(({ name, field, low, high }) => [name, distribution(field, low, high)]),
    ),
  ).description('Takes the place of what is assumed about an input.'),
  correlations: Joi.array()
    .items(correlation)
    .max(28)
    .description('Pairs not listed: 0.3 between cost and om, 0 between all others.'),
})

/** The schema of a Monte Carlo request. */
export const monteCarloBody = Joi.object<MonteCarloBody>({
  ...solarFields,
  simulation: simulation.default().description('How many trials, how drawn, and how the inputs vary.'),
})

/**
 * What is to be run for a body that its schema has let through.
 *
 * @throws HttpError validation_failed where parameters do not go together; plan_upgrade_required
 */
export function planSimulation(plan: string, { simulation, ...system }: MonteCarloBody): SimulationRequest {
  const problems = checkSimulation(simulation)
  if (problems.length > 0) throw invalid(problems.map(fieldProblem))
  requireTrials(plan, simulation.trials ?? simulationDefaults.trials)
  return { input: resolveInput(system), simulation }
}

function fieldProblem({ path, detail }: SimulationProblem): FieldProblem {
  const name = nameOf(['simulation', ...path])
  return {
    pointer: `/${['simulation', ...path].join('/')}`,
    code: 'inconsistent',
    detail: `${name} does not fit. ${detail}`,
  }
}

/** The distribution of an input that stands for a field, whose values lie between low and high. */
function distribution(field: string, low: number, high: number): Joi.Schema {
  return Joi.alternatives()
    .conditional('.distribution', {
      switch: Object.entries(parametersOf(low, high)).map(([name, parameters]) => ({
        is: name,
        then: Joi.object({ distribution: Joi.string().valid(name).required(), ...parameters }),
      })),
    })
    .error(nameTheField)
    .description(
      `Of ${field}, in its unit. A draw beyond \`min\` or \`max\` of normal and lognormal is moved to it.`,
    )
}

/** The parameters by distribution, with the limits that checkDistribution() has too. */
function parametersOf(low: number, high: number): Record<Distribution['distribution'], Joi.SchemaMap> {
  const value = () => Joi.number().min(low).max(high)
  const shape = (least: number, most: number) => Joi.number().min(least).max(most)
  const limits = { min: value(), max: value() }
  const span = { min: value().required(), max: value().required() }
  return {
    fixed: { value: value().required() },
    normal: { mean: value().required(), standardDeviation: shape(0, 1e6).required(), ...limits },
    lognormal: { median: value().required(), sigma: shape(0, 3).required(), ...limits },
    uniform: span,
    triangular: { ...span, mode: value().required() },
    pert: { ...span, mode: value().required(), weight: shape(0, 100).default(4) },
    beta: { alpha: shape(0.1, 1000).required(), beta: shape(0.1, 1000).required(), ...limits },
  }
}

/** Without a known name no set of parameters applies; joi says that of the whole, though it is the name that is wrong. */
function nameTheField(reports: Joi.ErrorReport[]): Joi.ErrorReport[] {
  const names = Object.keys(parametersOf(0, 1)).join(', ')
  for (const report of reports) {
    if (report.code !== 'alternatives.any') continue
    const { label } = report.local as { label: string } // joi gives every report one
    const isObject = typeof report.value === 'object' && report.value !== null
    report.code = isObject ? 'any.only' : 'object.base'
    report.path = isObject ? [...report.path, 'distribution'] : report.path
    report.message = isObject
      ? `${label}.distribution must be one of ${names}`
      : `${label} must be an object, such as {"distribution": "fixed", "value": 1}`
  }
  return reports
}
