import { columnsOf, dependsOn, fillValues, type Columns } from './copula.ts'
import { evaluateValues } from './economics.ts'
import { fillScores } from './normal-scores.ts'
import { inverseNormal } from './normal.ts'
import { blockSize } from './pieces.ts'
import type { Run } from './plan.ts'
import { activeOf } from './sampler.ts'
import { fillSobol, scrambledDirections, wordsPerDimension } from './sobol.ts'
import { streams } from './streams.ts'
import { dimensions, uncertainInputs, type UncertainInput } from './uncertain-inputs.ts'

/**
 * The net present value with one random dimension at its P10 and at its P90 and all others at their medians,
 * USD, the one that moves it most first. A dimension takes the inputs that are correlated with its own and
 * come after it in the order of the inputs along; what these have on top is their own dimension.
 */
export function tornado(run: Run): { medianNpv: number; rows: TornadoRow[] } {
  const columns = columnsOf(run)
  const { scores, values } = columns
  for (let dimension = 0; dimension < dimensions; dimension++) {
    scores[dimension * blockSize + 2 * dimension] = inverseNormal(0.1)
    scores[dimension * blockSize + 2 * dimension + 1] = inverseNormal(0.9)
  }
  const npv = new Float64Array(blockSize)
  evaluate(run, columns, run.varies, npv, 0)
  const end = (dimension: number, row: number): TornadoRow['p10'] => ({
    value: values[dimension * blockSize + row] ?? NaN,
    npv: npv[row] ?? NaN,
  })
  const rows = uncertainInputs.map(({ name }, dimension) => {
    const p10 = end(dimension, 2 * dimension)
    const p90 = end(dimension, 2 * dimension + 1)
    return { input: name, p10, p90, swing: Math.abs(p90.npv - p10.npv) }
  })
  return { medianNpv: npv[2 * dimensions] ?? NaN, rows: rows.sort((a, b) => b.swing - a.swing) }
}

/**
 * First-order and total Sobol indices of the net present value: the share of its variance that an input
 * explains alone, and with its interactions. Estimators of Saltelli et al. (2010) and Jansen (1999) on
 * `points` * (inputs + 2) evaluations of Sobol points. The variance that correlated inputs share is that of
 * the first of them in the order of the inputs. Null where the net present value does not vary.
 * @param points a power of two
 */
export function sobolIndices(run: Run, points: number): SobolIndex[] {
  const samples = evaluateSamples(run, points)
  const { mean, variance } = momentsOf(samples.a, samples.b)
  return uncertainInputs.map(({ name }, dimension) => {
    const exchanged = samples.exchanged[dimension]
    if (!(variance > 0)) return { input: name, first: null, total: null }
    if (exchanged === undefined) return { input: name, first: 0, total: 0 }
    let first = 0
    let total = 0
    for (let point = 0; point < points; point++) {
      const a = samples.a[point] ?? 0
      const b = samples.b[point] ?? 0
      const ab = exchanged[point] ?? 0
      first += (b - mean) * (ab - a)
      total += (a - ab) * (a - ab)
    }
    // Estimates scatter around 0 for inputs of no influence.
    return {
      input: name,
      first: Math.max(0, first / points / variance),
      total: total / points / 2 / variance,
    }
  })
}

/** How many points the indices of a run of so many trials are worth. */
export function indexPoints(trials: number): number {
  return Math.min(8192, Math.max(1024, 1 << (28 - Math.clz32(trials))))
}

/** The net present values of two independent samples, and of the first with one column of the second. */
function evaluateSamples(run: Run, points: number): Samples {
  const columns = columnsOf(run)
  const second = new Float64Array(dimensions * blockSize)
  const draw = planDraw(run, columns.scores, second)
  const npv = (): Float64Array => new Float64Array(points)
  const samples = { a: npv(), b: npv(), exchanged: run.varies.map((varies) => (varies ? npv() : undefined)) }
  const affected = run.varies.map((_, dimension) =>
    run.varies.map((varies, other) => varies && dependsOn(run, other, dimension)),
  )
  const first = columns.scores.slice()
  const values = columns.values.slice() // of the first sample: cheaper to copy back than to work out again
  for (let start = 0; start < points; start += blockSize) {
    draw(start)
    first.set(columns.scores)
    evaluate(run, columns, run.varies, samples.a, start)
    values.set(columns.values)
    // By number, not by entries(): once, under load, all inputs were answered the indices of the last one, as they
    // would be where optimised code takes a stale position from an iterator.
    for (let dimension = 0; dimension < dimensions; dimension++) {
      const out = samples.exchanged[dimension]
      if (out === undefined) continue
      const from = dimension * blockSize
      columns.scores.set(second.subarray(from, from + blockSize), from)
      evaluate(run, columns, affected[dimension] ?? [], out, start)
      columns.scores.set(first.subarray(from, from + blockSize), from)
      columns.values.set(values)
    }
    columns.scores.set(second)
    evaluate(run, columns, run.varies, samples.b, start)
  }
  return samples
}

function evaluate(
  run: Run,
  columns: Columns,
  changed: readonly boolean[],
  out: Float64Array,
  at: number,
): void {
  for (let dimension = 0; dimension < dimensions; dimension++) {
    if (changed[dimension] === true) fillValues(run, dimension, columns, blockSize)
  }
  evaluateValues(run.economics, columns, blockSize, out, out, at)
}

/** Draws one block of points of twice the dimensions: the first half and the second half of their scores. */
function planDraw(run: Run, first: Float64Array, second: Float64Array): (start: number) => void {
  const directions = scrambledDirections(run.seed, streams.sobolIndices, 2 * dimensions, 1)
  const words = new Uint32Array(dimensions * blockSize)
  const active = activeOf(run)
  return (start) => {
    for (let half = 0; half < 2; half++) {
      for (const dimension of active) {
        const at = (half * dimensions + dimension) * wordsPerDimension
        fillSobol(directions, at, start, blockSize, words, dimension * blockSize)
      }
      fillScores(words, words.length, half === 0 ? first : second)
    }
  }
}

function momentsOf(a: Float64Array, b: Float64Array): { mean: number; variance: number } {
  const count = a.length + b.length
  let sum = 0
  for (let point = 0; point < a.length; point++) sum += (a[point] ?? 0) + (b[point] ?? 0)
  const mean = sum / count
  let squares = 0
  for (let point = 0; point < a.length; point++) {
    const fromA = (a[point] ?? 0) - mean
    const fromB = (b[point] ?? 0) - mean
    squares += fromA * fromA + fromB * fromB
  }
  // Below the rounding of the mean there is nothing to explain.
  const isFlat = squares / count <= 1e-24 * mean * mean
  return { mean, variance: isFlat ? 0 : squares / count }
}

/** Amounts in USD; value is in the unit of the input. */
export type TornadoRow = Readonly<{
  input: UncertainInput
  p10: Readonly<{ value: number; npv: number }>
  p90: Readonly<{ value: number; npv: number }>
  /** how far apart the two net present values are */
  swing: number
}>

/** Shares of the variance of the net present value; first is at most total, but for the error of estimation. */
export type SobolIndex = Readonly<{ input: UncertainInput; first: number | null; total: number | null }>

type Samples = Readonly<{
  a: Float64Array
  b: Float64Array
  exchanged: readonly (Float64Array | undefined)[]
}>
