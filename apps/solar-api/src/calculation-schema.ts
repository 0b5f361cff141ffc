import { record } from '@hearth/chassis/endpoint'
import Joi from 'joi'
import { calculationIdPattern } from './calculation-id.ts'
import type { CalculationLine, listRevisions, SavedCalculation } from './calculation-rows.ts'
import { simulationSchema } from './simulation-result.ts'
import { calculationSchema } from './solar-result.ts'

const instant = Joi.string().description('ISO 8601 UTC.')
const revision = Joi.number().integer().description('1 for the first result; re-runs that change it add one.')
const model = Joi.string().description('The version of the model that made the result.')

const lineFields = {
  id: Joi.string().pattern(calculationIdPattern),
  name: Joi.string(),
  kind: Joi.string().valid('calculate', 'monteCarlo'),
  model,
  revision,
  createdAt: instant,
  calculatedAt: instant.description('When this revision was calculated, ISO 8601 UTC.'),
}

/** The schema of a calculation without its input and result. */
export const lineSchema = record(lineFields)

/** The model is that of its time. */
const anyResult = Joi.alternatives()
  .try(...[calculationSchema, simulationSchema].map((one) => one.keys({ model: model.required() })))
  .description('What was answered, byte for byte; never computed anew but by a re-run.')

/** The schema of one result. */
export const revisionSchema = record({
  revision,
  model,
  calculatedAt: instant,
  result: anyResult,
})

/** The schema of a whole calculation. */
export const savedSchema = record({
  ...lineFields,
  input: Joi.object().unknown().description('The request as it was sent.'),
  result: anyResult,
  revisions: Joi.array()
    .items(record({ revision, model, calculatedAt: instant }))
    .description('All results that are kept, newest first; `?revision=` shows an older one.'),
})

/** The schema of an id in a path. */
export const idParameters = Joi.object<{ id: string }>({
  id: Joi.string().required().max(64).description('Id of the calculation.'),
})

/** An id that no calculation has, for examples. */
export const unknownId = 'calc_00000000000000000000000000'

/** The schema of a choice among the results of a calculation. */
export const revisionQuery = Joi.object<{ revision?: number }>({
  revision: Joi.number()
    .integer()
    .min(1)
    .max(1_000_000)
    .description('Which result; the latest unless given.'),
})

/** A calculation without its input and result, as it is answered. */
export function presentLine(row: CalculationLine) {
  const { id, name, kind, model: madeBy, revision: number } = row
  const { created_at: createdAt, calculated_at: calculatedAt } = row
  return { id, name, kind, model: madeBy, revision: number, createdAt, calculatedAt }
}

/** A whole calculation as it is answered. */
export function presentSaved(row: SavedCalculation, revisions: Awaited<ReturnType<typeof listRevisions>>) {
  return {
    ...presentLine(row),
    input: JSON.parse(row.input) as unknown,
    result: JSON.parse(row.result) as unknown,
    revisions: revisions.map(({ revision: number, model: madeBy, calculated_at: calculatedAt }) => ({
      ...{ revision: number, model: madeBy, calculatedAt },
    })),
  }
}
