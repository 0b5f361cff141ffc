import { HttpError, type FieldProblem } from '@hearth/chassis/errors'
import { invalid, validate } from '@hearth/chassis/validate'
import Joi from 'joi'
import { evenlySpaced, metricNames, type Metric, type VariableInput } from './model/sensitivity-grid.ts'
import { loanFields, solarFields, type SolarRequest } from './solar-input.ts'

/** The body of a sensitivity analysis: a base case, and one or two inputs that take other values. */
export type SensitivityRequest = SolarRequest & {
  readonly vary: readonly Variation[]
  readonly metrics: readonly Metric[]
}

/** The values of one input: listed, or evenly spaced. */
type Variation = { readonly input: VariableInput } & (
  | { readonly values: readonly number[] }
  | { readonly from: number; readonly to: number; readonly steps: number }
)

/** An input and the values that it takes, in order. */
export type Axis = { readonly input: VariableInput; readonly values: readonly number[] }

/** The most results of one request. */
const mostCells = 400
const mostValues = 50

const loanSchemas = loanFields()

/** Whatever has one number. */
const schemas: Readonly<Record<string, Joi.Schema>> = {
  ...Object.fromEntries(
    Object.entries(solarFields).filter(([name]) => name !== 'loan' && name !== 'inverterReplacementYears'),
  ),
  ...Object.fromEntries(Object.entries(loanSchemas).map(([name, schema]) => [`loan.${name}`, schema])),
}

const inputName = Joi.string()
  .valid(...Object.keys(schemas))
  .required()
  .description('An input of /v1/calculate that has one number; those of a loan are `loan.<name>`.')

const variation = Joi.alternatives().conditional('.values', {
  is: Joi.exist(),
  then: Joi.object({
    input: inputName,
    values: Joi.array()
      .items(number())
      .min(2)
      .max(mostValues)
      .unique()
      // Its own: it would inherit what is said of an input that is there twice.
      .messages({ 'array.unique': '{{#label}} is a value that the list has already; name each value once' })
      .required()
      .description('Its values, in the order in which they are to be shown.'),
  }),
  otherwise: Joi.object({
    input: inputName,
    from: number().required().description('The first value.'),
    to: number().required().description('The last value, greater than the first.'),
    steps: Joi.number()
      .integer()
      .min(2)
      .max(mostValues)
      .required()
      .description('How many values there are, both ends included, at equal distances.'),
  }),
})

/** The schema of a sensitivity analysis. */
export const sensitivityBody = Joi.object<SensitivityRequest>({
  ...solarFields,
  vary: Joi.array()
    .items(variation)
    .min(1)
    .max(2)
    .unique('input', { ignoreUndefined: true })
    .messages({ 'array.unique': '{{#label}} has the input of the other one; name two different inputs' })
    .required()
    .description(
      `One or two inputs and their values: \`{input, values}\` or \`{input, from, to, steps}\`; at most ${mostCells} combinations.`,
    ),
  metrics: Joi.array()
    .items(Joi.string().valid(...metricNames))
    .min(1)
    .unique()
    .default([...metricNames])
    .description('What is to be computed of each combination; all of them unless given.'),
})

/**
 * The values of each input that is varied.
 *
 * @throws HttpError validation_failed for values outside the range of their input, too many of them, or a loan's
 * input without a loan
 */
export function resolveAxes(vary: SensitivityRequest['vary'], loan: SensitivityRequest['loan']): Axis[] {
  const axes = vary.map(axisOf)
  const problems = vary.flatMap((variation, index) => {
    if (variation.input.startsWith('loan.') && !loan) return [withoutLoan(variation.input, index)]
    if ('from' in variation && variation.from >= variation.to) return [backwards(index)]
    return (axes[index]?.values ?? []).flatMap((value, at) => outOfRange(variation, index, value, at))
  })
  const cells = axes.reduce((product, { values }) => product * values.length, 1)
  if (cells > mostCells) problems.push(tooMany(cells))
  if (problems.length > 0) throw invalid(problems.slice(0, mostProblems))
  return axes
}

/** As wide as the widest range of an input; its own range is checked later. */
function number(): Joi.NumberSchema {
  return Joi.number().min(-1e12).max(1e12)
}

const mostProblems = 20

function axisOf(variation: Variation): Axis {
  const { input } = variation
  if ('values' in variation) return { input, values: variation.values }
  return { input, values: evenlySpaced(variation.from, variation.to, variation.steps) }
}

function outOfRange(variation: Variation, index: number, value: number, at: number): FieldProblem[] {
  const problem = problemWith(variation.input, value)
  if (problem === undefined) return []
  const { code, detail } = problem
  if ('values' in variation) return [{ pointer: `/vary/${index}/values/${at}`, code, detail }]
  if (at === 0) return [{ pointer: `/vary/${index}/from`, code, detail }]
  if (at === variation.steps - 1) return [{ pointer: `/vary/${index}/to`, code, detail }]
  const within = `Step ${at + 1} of vary.${index} is ${value}: ${detail}`
  return [{ pointer: `/vary/${index}/steps`, code, detail: within }]
}

/** What /v1/calculate would say of the value. */
function problemWith(input: VariableInput, value: number): FieldProblem | undefined {
  const name = input.replace('loan.', '')
  const one = Joi.object({ [name]: schemas[input] })
  try {
    if (name === input) validate(one, { [name]: value }, 'body')
    else validate(Joi.object({ loan: one }), { loan: { [name]: value } }, 'body')
    return undefined
  } catch (error) {
    if (error instanceof HttpError) return error.errors[0]
    throw error
  }
}

function withoutLoan(input: string, index: number): FieldProblem {
  const detail = `${input} can be varied only of a loan: give loan, or {} for one with all defaults.`
  return { pointer: `/vary/${index}/input`, code: 'not_allowed', detail }
}

function backwards(index: number): FieldProblem {
  return {
    pointer: `/vary/${index}/to`,
    code: 'too_small',
    detail: `vary.${index}.to must be greater than from.`,
  }
}

function tooMany(cells: number): FieldProblem {
  const detail = `vary makes ${cells} combinations; at most ${mostCells} are computed in one request. Take fewer values.`
  return { pointer: '/vary', code: 'too_many', detail }
}
