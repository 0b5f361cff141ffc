import type { LoanInput, SolarInput } from './input.ts'
import { roundSummary } from './rounding.ts'
import { summariseSolar, type SolarResult } from './solar.ts'
import type { WarningCode } from './warnings.ts'

/**
 * What a calculation comes to when inputs are given other values; every number is the one that
 * calculateSolar() and roundResult() give for the same inputs.
 */
export function evaluateCell(input: SolarInput, metrics: readonly Metric[]): Cell {
  const { warnings, ...result } = roundSummary(summariseSolar(input))
  const values = metrics.map((metric) => metricOf(result, metric))
  const gaps = metrics.flatMap((metric, index) => {
    if (values[index] !== null) return []
    const reason = warnings.find(({ code }) => reasons[metric].includes(code))
    if (!reason) throw new Error(`There is no ${metric} and no reason for it.`)
    return [{ metric, code: reason.code, message: reason.message }]
  })
  return { values, gaps }
}

/** The input with one value in place of its own. A value of a loan needs an input with a loan. */
export function withInput(input: SolarInput, name: VariableInput, value: number): SolarInput {
  if (!name.startsWith('loan.')) return { ...input, [name]: value }
  if (!input.loan) throw new RangeError(`${name} needs a loan.`)
  return { ...input, loan: { ...input.loan, [name.slice('loan.'.length)]: value } }
}

/** The value of an input; null where it is not given. */
export function inputValue(input: SolarInput, name: VariableInput): number | null {
  const values: object = name.startsWith('loan.') ? (input.loan ?? {}) : input
  const value: unknown = values[name.replace('loan.', '') as keyof typeof values]
  return typeof value === 'number' ? value : null
}

/**
 * `steps` values from `from` to `to`, both included, at equal distances; 12 significant digits, so that they are
 * what one would type.
 * @param steps whole, >= 2
 */
export function evenlySpaced(from: number, to: number, steps: number): number[] {
  const last = steps - 1
  return Array.from({ length: steps }, (_, step) => {
    if (step === 0) return from
    return step === last ? to : Number((from + ((to - from) * step) / last).toPrecision(12))
  })
}

/** Names of the axes along which nothing that was asked for changes. `grid` has rows of cells. */
export function axesWithoutEffect(
  axes: readonly VariableInput[],
  grid: readonly (readonly Cell[])[],
): VariableInput[] {
  const same = (one: Cell | undefined, other: Cell | undefined) =>
    one?.values.every((value, index) => value === other?.values[index]) === true
  const [firstRow = []] = grid
  const isFlat = [
    grid.every((row) => row.every((cell, column) => same(cell, firstRow[column]))),
    grid.every((row) => row.every((cell) => same(cell, row[0]))),
  ]
  return axes.filter((_, index) => isFlat[index])
}

/** The lowest and the highest value of a metric; null where it has none at all. */
export function rangeOf(values: readonly (number | null)[]): Range | null {
  const numbers = values.filter((value) => value !== null)
  return numbers.length === 0 ? null : { min: Math.min(...numbers), max: Math.max(...numbers) }
}

function metricOf(
  { metrics, savings }: Pick<SolarResult, 'metrics' | 'savings'>,
  metric: Metric,
): number | null {
  return metric === 'lifetimeNetSavings' ? savings.lifetimeNetSavings : metrics[metric]
}

const withoutSystem: readonly WarningCode[] = ['NO_CONSUMPTION', 'NO_SYSTEM']

/** The warnings that say why a metric is null. */
const reasons: Readonly<Record<Metric, readonly WarningCode[]>> = {
  npv: [],
  lifetimeNetSavings: [],
  paybackYears: [...withoutSystem, 'NEVER_PAYS_BACK'],
  irr: [...withoutSystem, 'IRR_UNDEFINED'],
  lcoePerKWh: [...withoutSystem, 'LCOE_UNDEFINED'],
}

/** What can be asked for. */
export const metricNames = ['npv', 'paybackYears', 'lifetimeNetSavings', 'irr', 'lcoePerKWh'] as const
export type Metric = (typeof metricNames)[number]

/** An input that has one number: its name, or `loan.` and that of a loan's. */
export type VariableInput =
  Exclude<keyof SolarInput, 'loan' | 'inverterReplacementYears'> | `loan.${keyof LoanInput}`

/** The metrics in the order in which they were asked for, rounded; null where they cannot be computed. */
export type Cell = Readonly<{ values: readonly (number | null)[]; gaps: readonly Gap[] }>

/** Why a metric is null: message is one or more full sentences for people; code is for programs. */
export type Gap = Readonly<{ metric: Metric; code: WarningCode; message: string }>

export type Range = Readonly<{ min: number; max: number }>
