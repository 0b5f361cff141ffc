import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { send } from '@hearth/chassis/http'
import Joi from 'joi'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { envelope } from './deployment.ts'
import type { SolarInput } from './model/input.ts'
import {
  axesWithoutEffect,
  evaluateCell,
  inputValue,
  metricNames,
  rangeOf,
  withInput,
  type Cell,
  type Metric,
} from './model/sensitivity-grid.ts'
import { calculateSolar, solarModel } from './model/solar.ts'
import { resolveAxes, sensitivityBody, type Axis, type SensitivityRequest } from './sensitivity-input.ts'
import { describeAssumptions, resolveInput } from './solar-input.ts'
import { assumptionsSchema, warningsSchema, worthSaying } from './solar-result.ts'

/** POST /v1/calculate/sensitivity */
export function sensitivity(clock: () => number): Endpoint {
  return endpoint(describeSensitivity(), async ({ body }, req, res) => {
    const data = await analyse(body, req.body)
    await send(res, 200, envelope.wrap(data, new Date(clock())))
  })
}

async function analyse(body: SensitivityRequest, raw: unknown): Promise<object> {
  const { vary, metrics, ...request } = body
  const axes = resolveAxes(vary, request.loan)
  const input = resolveInput(request)
  const grid = await evaluateGrid(input, axes, metrics)
  const base = evaluateCell(input, metrics)
  const assumptions = describeAssumptions(input, raw)
  const names = axes.map(({ input: name }) => name)
  return {
    model: solarModel,
    inputs: axes.map(({ input: name, values }) => ({ input: name, values, base: inputValue(input, name) })),
    base: byMetric(metrics, (index) => base.values[index] ?? null),
    grid: byMetric(metrics, (index) => grid.map((row) => row.map(({ values }) => values[index] ?? null))),
    ranges: byMetric(metrics, (index) =>
      rangeOf(grid.flatMap((row) => row.map(({ values }) => values[index] ?? null))),
    ),
    gaps: groupGaps(grid),
    assumptions,
    warnings: [
      ...worthSaying(calculateSolar(input).warnings, assumptions),
      ...axesWithoutEffect(names, grid).map(noEffect),
    ],
  }
}

/** Rows by the first input, columns by the second. Other requests get their turn after each row. */
async function evaluateGrid(
  input: SolarInput,
  [first, second]: readonly Axis[],
  metrics: readonly Metric[],
): Promise<Cell[][]> {
  const rows: Cell[][] = []
  for (const value of first?.values ?? []) {
    const rowInput = first ? withInput(input, first.input, value) : input
    rows.push(
      second === undefined
        ? [evaluateCell(rowInput, metrics)]
        : second.values.map((other) => evaluateCell(withInput(rowInput, second.input, other), metrics)),
    )
    await nextTurn()
  }
  return rows
}

/** The reasons of all nulls, each once with the cells it holds for. */
function groupGaps(grid: readonly (readonly Cell[])[]) {
  const all = grid.flatMap((cells, row) =>
    cells.flatMap(({ gaps }, column) => gaps.map((gap) => ({ ...gap, cell: [row, column] }))),
  )
  const groups = Map.groupBy(all, ({ metric, message }) => `${metric} ${message}`)
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { cell, ...gap } = first
    return [{ ...gap, cells: [cell, ...others.map((other) => other.cell)] }]
  })
}

function byMetric<T>(metrics: readonly Metric[], valueOf: (index: number) => T): Record<string, T> {
  return Object.fromEntries(metrics.map((metric, index) => [metric, valueOf(index)]))
}

function noEffect(input: string) {
  const message = `None of the metrics asked for depends on ${input} here; another input takes its place or makes it void.`
  return { code: 'INPUT_HAS_NO_EFFECT', message }
}

const nullable = Joi.number().allow(null)

const analysisSchema = record({
  model: Joi.string().valid(solarModel),
  inputs: Joi.array()
    .items(
      record({
        input: Joi.string(),
        values: Joi.array().items(Joi.number()),
        base: nullable.description('Its value in the base case; null: none.'),
      }),
    )
    .description('What was varied. The first makes the rows, the second the columns.'),
  base: perMetric(nullable).description('The base case: the request as /v1/calculate answers it.'),
  grid: perMetric(Joi.array().items(Joi.array().items(nullable))).description(
    'Of each metric a row for each value of the first input, with a column for each value of the second, or one column.',
  ),
  ranges: perMetric(record({ min: Joi.number(), max: Joi.number() }).allow(null)).description(
    'The lowest and the highest value of each metric; null where there is none.',
  ),
  gaps: Joi.array()
    .items(
      record({
        metric: Joi.string().valid(...metricNames),
        code: Joi.string(),
        message: Joi.string(),
        cells: Joi.array().items(Joi.array().items(Joi.number().integer()).length(2)),
      }),
    )
    .description('Why values of the grid are null, and where: `[row, column]`, counted from 0.'),
  assumptions: assumptionsSchema.description('Every input of the base case as it was used.'),
  warnings: warningsSchema.description('Of the base case, and of inputs that change nothing.'),
})

function perMetric(schema: Joi.Schema): Joi.ObjectSchema {
  return record(Object.fromEntries(metricNames.map((name) => [name, schema.optional()])))
}

function describeSensitivity() {
  return {
    id: 'analyseSensitivity',
    summary: 'How results depend on one or two inputs',
    description:
      'A grid of results over the values of one or two inputs, all others kept as in the request. Every cell is what /v1/calculate answers for its inputs. What cannot be computed is null, and `gaps` says why. Values outside the range of their input are refused before anything is computed.',
    tag: 'Calculation',
    body: sensitivityBody,
    responses: { 200: { description: 'The grid.', schema: envelope.schema(analysisSchema) } },
    examples,
  }
}

const home = { annualProductionPerKW: 1400, annualConsumptionKWh: 10800, utilityRate: 0.17 }

const examples = [
  {
    name: 'price against escalation',
    status: 200,
    body: {
      ...home,
      vary: [
        { input: 'installedCostPerWatt', values: [2.68, 3.15, 3.62] },
        { input: 'rateEscalation', from: 0.01, to: 0.04, steps: 4 },
      ],
      metrics: ['npv', 'paybackYears'],
    },
  },
  {
    name: 'the interest of a loan alone',
    status: 200,
    body: { ...home, loan: { termYears: 15 }, vary: [{ input: 'loan.apr', from: 0.03, to: 0.09, steps: 7 }] },
  },
  {
    name: 'a discount rate that there is not',
    status: 400,
    body: { ...home, vary: [{ input: 'discountRate', values: [0.06, 6] }] },
  },
]
