import { blockSize } from './pieces.ts'
import type { Run } from './plan.ts'
import { applyTransform } from './transform.ts'
import { dimensions } from './uncertain-inputs.ts'

/**
 * Values of one input for rows 0..count-1 of a block, from the independent scores of all: mixed by the row of
 * the correlation factor, then transformed. Writes to values[dimension * blockSize ..].
 */
export function fillValues(
  run: Run,
  dimension: number,
  { scores, values, mixed }: Columns,
  count: number,
): void {
  const transform = run.transforms[dimension]
  if (!transform) return
  const at = dimension * blockSize
  if (!isMixed(run, dimension)) {
    applyTransform(transform, scores, at, at + count, values, 0)
    return
  }
  mixed.fill(0, 0, count)
  for (let source = 0; source <= dimension; source++) {
    const weight = run.factor[dimension * dimensions + source] ?? 0
    if (weight !== 0) addScaled(weight, scores, source * blockSize, count, mixed)
  }
  applyTransform(transform, mixed, 0, count, values, at)
}

/** Whether the independent score `source` has a part in the values of input `dimension`. */
export function dependsOn(run: Run, dimension: number, source: number): boolean {
  return run.factor[dimension * dimensions + source] !== 0
}

/** Columns for one block of trials; those of fixed inputs are filled for good. */
export function columnsOf(run: Run): Columns {
  const columns = {
    words: new Uint32Array(dimensions * blockSize),
    scores: new Float64Array(dimensions * blockSize),
    mixed: new Float64Array(blockSize),
    values: new Float64Array(dimensions * blockSize),
    stride: blockSize,
  }
  for (let dimension = 0; dimension < dimensions; dimension++) {
    if (run.varies[dimension] !== true) fillValues(run, dimension, columns, blockSize)
  }
  return columns
}

function isMixed(run: Run, dimension: number): boolean {
  return run.factor[dimension * dimensions + dimension] !== 1
}

function addScaled(
  weight: number,
  scores: Float64Array,
  at: number,
  count: number,
  sums: Float64Array,
): void {
  for (let index = 0; index < count; index++) {
    sums[index] = (sums[index] ?? 0) + weight * (scores[at + index] ?? 0)
  }
}

/** What becomes of a block of trials; that of input i and trial t is at i * stride + t. */
export type Columns = Readonly<{
  /** random */
  words: Uint32Array
  /** independent and normal */
  scores: Float64Array
  /** room for the correlated scores of one input */
  mixed: Float64Array
  /** in the units of the inputs */
  values: Float64Array
  stride: number
}>
