import { accountGone, callerOf, nameField } from '@hearth/account'
import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { send } from '@hearth/chassis/http'
import type { Response } from 'express'
import Joi from 'joi'
import { noSuchCalculation } from './calculation-access.ts'
import { isCalculationId, newCalculationId } from './calculation-id.ts'
import { capacityOf, keptOfPlan, noRoom } from './calculation-limits.ts'
import {
  addResult,
  countCalculations,
  findCalculation,
  insertCalculation,
  type SavedCalculation,
} from './calculation-rows.ts'
import { inputSchema, runCalculation, runOfSaved, type Run, type Runner } from './calculation-run.ts'
import {
  idParameters,
  lineSchema,
  presentLine,
  presentSaved,
  revisionSchema,
  savedSchema,
  unknownId,
} from './calculation-schema.ts'
import type { SolarDatabase } from './database.ts'
import { deployment, envelope } from './deployment.ts'
import { solarProblems } from './problems.ts'
import { whileConnected, type Simulations } from './simulations.ts'

/** What the endpoints of saved calculations work with. */
export type SavedContext = {
  readonly db: SolarDatabase
  readonly simulations: Simulations
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** POST /v1/calculations */
export function saveCalculation({ db, simulations, clock }: SavedContext): Endpoint {
  return endpoint(describeSave, async ({ body }, req, res) => {
    const { tag } = callerOf(res)
    const runner = runnerFor(simulations, res)
    const capacity = capacityOf(runner.plan)
    // Decided below; asked here so that nothing is calculated for nothing.
    if ((await countCalculations(db, tag)) >= capacity) throw noRoom(runner.plan)
    const { input: raw } = req.body as { input: unknown } // the schema has let it through
    const outcome = await runCalculation(body, raw, runner)
    const now = clock()
    const row = { id: newCalculationId(now), name: body.name, kind: body.kind, input: JSON.stringify(raw) }
    const done = await insertCalculation(db, { ...row, tag, createdAt: new Date(now) }, outcome, capacity)
    if (done === 'gone') throw accountGone(deployment)
    if (done === 'full') throw noRoom(runner.plan)
    const at = { created_at: new Date(now), calculated_at: new Date(now) }
    const saved = { ...row, ...at, revision: 1, model: outcome.model, result: outcome.result }
    const data = presentSaved(saved, [saved])
    await send(res, 201, envelope.wrap(data, new Date(now)), ['Location', `/v1/calculations/${row.id}`])
  })
}

/** POST /v1/calculations/{id}/rerun */
export function rerunCalculation({ db, simulations, clock }: SavedContext): Endpoint {
  return endpoint(describeRerun, async ({ params: { id } }, _req, res) => {
    const { tag } = callerOf(res)
    const before = isCalculationId(id) ? await findCalculation(db, tag, id) : undefined
    if (before === undefined) throw noSuchCalculation()
    const { run, raw } = runOfSaved(before)
    const outcome = await runCalculation(run, raw, runnerFor(simulations, res))
    const revision = await addResult(db, tag, id, outcome, new Date(clock()))
    const after = revision && (await findCalculation(db, tag, id, revision))
    if (!after) throw noSuchCalculation()
    const data = {
      changed: after.revision !== before.revision,
      calculation: presentLine(after),
      previous: presentRevision(before),
      current: presentRevision(after),
    }
    await send(res, 200, envelope.wrap(data, new Date(clock())))
  })
}

function runnerFor(simulations: Simulations, res: Response): Runner {
  return { simulations, plan: res.locals.standing?.plan ?? '', signal: whileConnected(res) }
}

function presentRevision(row: SavedCalculation) {
  const { revision, model, calculated_at: calculatedAt, result } = row
  return { revision, model, calculatedAt, result: JSON.parse(result) as unknown }
}

const home = { annualProductionPerKW: 1400, annualConsumptionKWh: 10800, utilityRate: 0.17 }

const capacities = Object.entries(keptOfPlan)
  .map(([plan, most]) => `\`${plan}\` ${most.toLocaleString('en-US')}`)
  .join(', ')

const describeSave = {
  id: 'saveCalculation',
  summary: 'Calculate and save',
  description: `Runs a calculation and keeps its input, its result and the version of the model under a name. The result is that of \`/v1/calculate\` or \`/v1/calculate/monte-carlo\`, and stays as it is: a later version of the model changes it only when it is run again.

Most calculations that are kept, by plan: ${capacities}.`,
  tag: 'Saved calculations',
  body: Joi.object<SaveRequest>({
    name: nameField(200)
      .required()
      .description('1 to 200 characters; two calculations may have the same name.'),
    kind: Joi.string().valid('calculate', 'monteCarlo').required().description('What is to be calculated.'),
    input: inputSchema,
  }),
  responses: {
    201: {
      description: 'The saved calculation.',
      schema: envelope.schema(savedSchema),
      headers: ['Location'] as const,
    },
  },
  examples: [
    { name: 'a calculation', status: 201, body: { name: 'South roof', kind: 'calculate', input: home } },
    {
      name: 'a simulation',
      status: 201,
      body: {
        name: 'South roof, 1,000 times',
        kind: 'monteCarlo',
        input: { ...home, simulation: { trials: 1000, seed: 7 } },
      },
    },
    {
      name: 'a wrong input is not saved',
      status: 400,
      body: { name: 'South roof', kind: 'calculate', input: { ...home, utilityRate: 17 } },
    },
  ],
}

type SaveRequest = { readonly name: string } & Run

const describeRerun = {
  id: 'rerunCalculation',
  summary: 'Run a saved calculation again',
  description:
    'Calculates the saved input with the present model and shows the result beside the latest one. If it is different it is kept as a new revision, and those of before stay; if not, nothing is stored. What the input left out is assumed as it is today; a simulation takes the seed of its first run.',
  tag: 'Saved calculations',
  params: idParameters,
  responses: {
    200: {
      description: 'Both results.',
      schema: envelope.schema(
        record({
          changed: Joi.boolean().description('Whether there is a new revision.'),
          calculation: lineSchema,
          previous: revisionSchema.description('The latest result before.'),
          current: revisionSchema.description('The latest result now.'),
        }),
      ),
    },
  },
  problems: [solarProblems.calculation_not_found],
  examples: [{ name: 'no such calculation', status: 404, params: { id: unknownId } }],
}
