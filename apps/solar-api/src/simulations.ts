import { unavailable, type HttpError } from '@hearth/chassis/errors'
import { integer } from '@hearth/chassis/variables'
import type { Response } from 'express'
import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { SolarInput } from './model/input.ts'
import {
  mostTrials,
  simulationDefaults,
  type SimulationRequest as Settings,
} from './model/monte-carlo/plan.ts'
import type { MonteCarloResult } from './model/monte-carlo/summarise.ts'
import { inlineCrew, workerCrew } from './simulation-crew.ts'
import { createLine, type Line, type LineLoad } from './simulation-line.ts'
import { conduct, rooms, type Room } from './simulation-run.ts'

/** The variables of the simulations; the service spreads them into its own. */
export const simulationVariables = {
  simulationWorkers: integer('SIMULATION_WORKERS', {
    min: 1,
    max: 64,
    // One core is for answering. More than two take more memory than a small container has.
    default: Math.min(2, Math.max(1, availableParallelism() - 1)),
  }),
  simulationQueue: integer('SIMULATION_QUEUE', { min: 0, max: 1000, default: 32 }),
} as const

/** A system, and how its inputs vary; checked by the caller, see checkSimulation(). */
export type SimulationRequest = { readonly input: SolarInput; readonly simulation: Settings }

/** Runs simulations beside the event loop, a bounded number at a time. */
export type Simulations = {
  /**
   * Runs a simulation when its turn comes. Without a seed it takes a random one; the result names it.
   *
   * @param signal stops the run within a few thousand trials
   * @returns the numbers unrounded, as plain data
   * @throws HttpError temporarily_unavailable when too many runs wait already, or while the service is being
   * stopped; the reason of the signal
   */
  readonly run: (request: SimulationRequest, signal: AbortSignal) => Promise<MonteCarloResult>
  /** The runs under way by their size, and the trials of all runs so far. */
  readonly load: () => Readonly<Record<Size, LineLoad> & { trialsRun: number }>
  /** Stops all runs and ends the workers. */
  readonly close: () => Promise<void>
}

export type SimulationOptions = {
  /** How many threads at most. */
  readonly simulationWorkers: number
  /** How many runs of each size may wait. */
  readonly simulationQueue: number
  /** Decimal digits of 64 random bits. */
  readonly randomSeed: () => string
  readonly log: Logger
}

/** Runs of one size wait for one another, and not for those of another size. */
export type Size = keyof typeof mostTrialsOf

/** Short runs are done in slices by the thread that answers requests, the others by workers. */
const mostTrialsOf = { short: 16_384, medium: 131_072, long: mostTrials } as const

/** Makes what runs simulations. Workers start with the first run that needs them. */
export function openSimulations(options: SimulationOptions): Simulations {
  const { simulationWorkers: workers, simulationQueue: queue, randomSeed, log } = options
  const inline = inlineCrew()
  const threads = workerCrew(workers, log)
  const lines = linesFor(workers, queue)
  const running = new Map<AbortController, Promise<void>>()
  let isClosed = false
  let trialsRun = 0

  const count = (trials: number) => {
    trialsRun += trials
  }
  function run({ input, simulation }: SimulationRequest, caller: AbortSignal): Promise<MonteCarloResult> {
    const request = { input, simulation: { ...simulation, seed: simulation.seed ?? randomSeed() } }
    const size = sizeOf(simulation)
    const crew = size === 'short' ? inline : threads
    const stop = stopWith(caller)
    if (isClosed) stop.abort(beingStopped())
    const result = lines[size].serve(stop.signal, (room) =>
      conduct({ crew, request, room, signal: stop.signal, count }),
    )
    running.set(
      stop,
      result.then(nothing, nothing).finally(() => running.delete(stop)),
    )
    return result
  }

  return {
    run,
    load: () => ({
      ...{ short: lines.short.load(), medium: lines.medium.load(), long: lines.long.load() },
      trialsRun,
    }),
    async close() {
      isClosed = true
      for (const stop of running.keys()) stop.abort(beingStopped())
      await Promise.all(running.values())
      await threads.close()
    },
  }
}

/**
 * The runs under way at a time, each with memory for its trials: a short one (0.5 MiB), one medium run more than
 * there are workers (4 MiB each), and one long run or, so that a worker that summarises leaves no other idle, two
 * (32 MiB each). The memory is used again and again, so that there is never more.
 */
function linesFor(workers: number, queue: number): Readonly<Record<Size, Line<Room>>> {
  return {
    short: createLine(rooms(1, mostTrialsOf.short), queue),
    medium: createLine(rooms(workers + 1, mostTrialsOf.medium), queue),
    long: createLine(rooms(Math.min(2, workers), mostTrialsOf.long), queue),
  }
}

/** A controller that is aborted with a signal, and can be aborted for other reasons. */
function stopWith(signal: AbortSignal): AbortController {
  const controller = new AbortController()
  const stop = () => {
    controller.abort(signal.reason)
  }
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  return controller
}

function beingStopped(): HttpError {
  return unavailable('The service is being stopped.')
}

/** A signal that is aborted when the client goes away before it has its answer. */
export function whileConnected(res: Response): AbortSignal {
  const controller = new AbortController()
  const leave = () => {
    if (!res.writableFinished) controller.abort(unavailable('The client closed the connection.'))
  }
  // While its key was checked it may have left already.
  if (res.destroyed) leave()
  else res.once('close', leave)
  return controller.signal
}

function sizeOf({ trials = simulationDefaults.trials }: Settings): Size {
  if (trials <= mostTrialsOf.short) return 'short'
  return trials <= mostTrialsOf.medium ? 'medium' : 'long'
}

function nothing(): void {
  // whoever started the run is told how it ended
}
