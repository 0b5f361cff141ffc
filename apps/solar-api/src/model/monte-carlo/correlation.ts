import { dimensions, uncertainInputs, type UncertainInput } from './uncertain-inputs.ts'

/**
 * The lower Cholesky factor of the correlation matrix of the eight normal scores, row by row: a Gaussian
 * copula. The coefficient is that of the scores; that of the values differs a little where they are not normal.
 * Pairs not named keep the default, 0.3 between cost and O&M and 0 elsewhere.
 * @param varies whether each input is random: a pair with a fixed one has no correlation to honour
 * @returns undefined where no set of inputs can be correlated like this: the matrix is not positive definite
 */
export function correlationFactor(
  correlations: readonly Correlation[],
  varies: readonly boolean[],
): Float64Array | undefined {
  return cholesky(correlationMatrix(correlations, varies))
}

/** What is wrong with a list of correlations, apart from their not fitting together. */
export function checkCorrelations(correlations: readonly Correlation[]): CorrelationProblem[] {
  const pairs = correlations.map(({ inputs }) => [...inputs].sort().join(' and '))
  return correlations.flatMap((correlation, index) => {
    const detail = problemOf(correlation, pairs.indexOf(pairs[index] ?? '') < index)
    return detail === undefined ? [] : [{ index, detail }]
  })
}

function problemOf({ inputs, coefficient }: Correlation, isRepeated: boolean): string | undefined {
  const names: readonly string[] = uncertainInputs.map(({ name }) => name)
  const given: readonly string[] = inputs
  if (given.length !== 2 || inputs[0] === inputs[1] || !inputs.every((name) => names.includes(name))) {
    return `A correlation is between two different inputs out of ${names.join(', ')}.`
  }
  if (!(Math.abs(coefficient) < 1)) return 'A correlation coefficient has to lie between -1 and 1.'
  return isRepeated ? 'This pair is listed twice; list each pair of inputs once.' : undefined
}

function correlationMatrix(correlations: readonly Correlation[], varies: readonly boolean[]): Float64Array {
  const names: readonly string[] = uncertainInputs.map(({ name }) => name)
  const matrix = new Float64Array(dimensions * dimensions)
  for (let row = 0; row < dimensions; row++) matrix[row * dimensions + row] = 1
  for (const { inputs, coefficient } of [...defaultCorrelations, ...correlations]) {
    const [row = 0, column = 0] = inputs.map((name) => names.indexOf(name))
    if (!varies[row] || !varies[column]) continue
    matrix[row * dimensions + column] = coefficient
    matrix[column * dimensions + row] = coefficient
  }
  return matrix
}

function cholesky(matrix: Float64Array): Float64Array | undefined {
  const factor = new Float64Array(matrix.length)
  for (let row = 0; row < dimensions; row++) {
    for (let column = 0; column <= row; column++) {
      let rest = matrix[row * dimensions + column] ?? 0
      for (let term = 0; term < column; term++) {
        rest -= (factor[row * dimensions + term] ?? 0) * (factor[column * dimensions + term] ?? 0)
      }
      if (row === column && !(rest > smallestPivot)) return undefined
      const pivot = factor[column * dimensions + column] ?? 0
      factor[row * dimensions + column] = row === column ? Math.sqrt(rest) : rest / pivot
    }
  }
  return factor
}

/** Below this a matrix is singular but for rounding. */
const smallestPivot = 1e-10

/** Large installers and difficult roofs are dear to build and dear to maintain. */
const defaultCorrelations: readonly Correlation[] = [{ inputs: ['cost', 'om'], coefficient: 0.3 }]

/** The correlation of the normal scores of two inputs. */
export type Correlation = Readonly<{
  inputs: readonly [UncertainInput, UncertainInput]
  /** strictly between -1 and 1 */
  coefficient: number
}>

/** detail is a full sentence about the correlation with that index. */
export type CorrelationProblem = Readonly<{ index: number; detail: string }>
