import type { SolarInput } from '../input.ts'
import { checkCorrelations, correlationFactor, type Correlation } from './correlation.ts'
import { checkDistribution, type Distribution } from './distribution.ts'
import { planEconomics, type Economics } from './economics.ts'
import type { Key } from './philox.ts'
import { parseSeed, seedOf } from './seed.ts'
import { planTransform, type Transform } from './transform.ts'
import { defaultDistribution, uncertainInputs, type UncertainInput } from './uncertain-inputs.ts'

/** The most trials of a run. */
export const mostTrials = 1_048_576

/** The fewest trials of a run: below, the fifth percentile would be a handful of trials. */
export const fewestTrials = 100

/** What is assumed about a simulation where a request says nothing. */
export const simulationDefaults = Object.freeze({ trials: 8192, method: 'sobol' })

/** Independent randomisations of a `sobol` or `lhs` run, whose scatter is its standard error. */
export const replicates = 8

/**
 * All that is needed to run any trial, as plain data that can be sent to a worker.
 * @param input checked by the caller, as for calculateSolar()
 * @throws RangeError naming the first of checkSimulation()'s problems, if there is one
 */
export function planRun(input: SolarInput, simulation: SimulationRequest = {}): Run {
  const [problem] = checkSimulation(simulation)
  if (problem) throw new RangeError(`${problem.path.join('.')}: ${problem.detail}`)
  const { method = simulationDefaults.method, trials = simulationDefaults.trials } = simulation
  const distributions = distributionsOf(input, simulation)
  const correlations = simulation.correlations ?? []
  const size = method === 'sobol' ? roundUpToPowerOfTwo(trials) : trials
  const request = { input, trials: size, method, distributions, correlations }
  const seed = simulation.seed === undefined ? seedOf(request) : parseSeed(simulation.seed)
  const factor = correlationFactor(correlations, variesOf(distributions))
  if (!seed || !factor) throw new RangeError('The simulation was not checked.')
  return {
    input,
    method,
    trials: size,
    requestedTrials: trials,
    seed,
    factor,
    distributions,
    transforms: uncertainInputs.map((range, index) =>
      planTransform(distributions[index] ?? fixedAtZero, range),
    ),
    varies: variesOf(distributions),
    economics: planEconomics(input),
  }
}

/** Everything that is wrong with a simulation; nothing if it can be planned. */
export function checkSimulation(simulation: SimulationRequest): SimulationProblem[] {
  const { trials = fewestTrials, method, seed = 0 } = simulation
  return [
    ...when(!Number.isInteger(trials) || trials < fewestTrials || trials > mostTrials, ['trials'], () => {
      return `The number of trials has to be a whole number from ${fewestTrials} to ${mostTrials}.`
    }),
    ...when(method !== undefined && !methods.includes(method), ['method'], () => {
      return `The method has to be one of ${methods.join(', ')}.`
    }),
    ...when(parseSeed(seed) === undefined, ['seed'], () => {
      return 'The seed has to be a whole number from 0 to 2^53 - 1, or up to 2^64 - 1 as a string of digits.'
    }),
    ...Object.entries(simulation.distributions ?? {}).flatMap(([name, distribution]) =>
      checkInput(name, distribution),
    ),
    ...checkCopula(simulation.correlations ?? []),
  ]
}

function checkInput(name: string, distribution: Distribution): SimulationProblem[] {
  const range = uncertainInputs.find((candidate) => candidate.name === name)
  if (!range) {
    const names = uncertainInputs.map((known) => known.name).join(', ')
    return [
      { path: ['distributions', name], detail: `This input cannot be varied; those that can are ${names}.` },
    ]
  }
  return checkDistribution(distribution, range).map(({ parameter, detail }) => ({
    path: ['distributions', name, parameter],
    detail,
  }))
}

function checkCopula(correlations: readonly Correlation[]): SimulationProblem[] {
  const problems = checkCorrelations(correlations)
  if (problems.length > 0) {
    return problems.map(({ index, detail }) => ({ path: ['correlations', index], detail }))
  }
  const everything = uncertainInputs.map(() => true)
  return when(correlationFactor(correlations, everything) === undefined, ['correlations'], () => {
    return 'No set of inputs can be correlated like this: the matrix is not positive definite. Bring the coefficients closer to 0.'
  })
}

function when(fails: boolean, path: SimulationProblem['path'], detail: () => string): SimulationProblem[] {
  return fails ? [{ path, detail: detail() }] : []
}

function distributionsOf(input: SolarInput, { distributions = {} }: SimulationRequest): Distribution[] {
  return uncertainInputs.map(({ name }) => distributions[name] ?? defaultDistribution(name, input))
}

function variesOf(distributions: readonly Distribution[]): boolean[] {
  return distributions.map(({ distribution }) => distribution !== 'fixed')
}

function roundUpToPowerOfTwo(whole: number): number {
  return whole > 1 ? 1 << (32 - Math.clz32(whole - 1)) : 1
}

const fixedAtZero: Distribution = { distribution: 'fixed', value: 0 }

const methods: readonly string[] = ['sobol', 'random', 'lhs'] satisfies Method[]

/** How trials are drawn: scrambled Sobol points, Philox, or Latin hypercube. */
export type Method = 'sobol' | 'random' | 'lhs'

/** What a request says of a simulation. */
export type SimulationRequest = Readonly<{
  /** whole; with method `sobol` it is rounded up to a power of two */
  trials?: number
  /** 64 bits: a whole number that JSON keeps, or decimal digits; derived from the request if absent */
  seed?: number | string
  method?: Method
  distributions?: Readonly<Partial<Record<UncertainInput, Distribution>>>
  correlations?: readonly Correlation[]
}>

/** Where in a simulation, and one or more full sentences about what has to change. */
export type SimulationProblem = Readonly<{ path: readonly (string | number)[]; detail: string }>

/** See planRun(). Arrays are in the order of the uncertain inputs. */
export type Run = Readonly<{
  input: SolarInput
  method: Method
  /** trials that are run */
  trials: number
  requestedTrials: number
  seed: Key
  /** of the correlation matrix, lower, row by row */
  factor: Float64Array
  distributions: readonly Distribution[]
  transforms: readonly Transform[]
  varies: readonly boolean[]
  economics: Economics
}>
