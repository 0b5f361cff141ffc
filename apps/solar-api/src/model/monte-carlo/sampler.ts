import { fillStrata, permutationSeeds } from './latin-hypercube.ts'
import { philoxBlock } from './philox-block.ts'
import { blockSize, type Piece } from './pieces.ts'
import { replicates, type Run } from './plan.ts'
import { fillSobol, scrambledDirections, wordsPerDimension } from './sobol.ts'
import { streams } from './streams.ts'
import { dimensions } from './uncertain-inputs.ts'

/**
 * A function that draws the random words of a piece of the trials: that of input i and trial piece.trial + t goes
 * to words[i * blockSize + t]. What it draws depends on the run and the number of the trial alone. Inputs that do
 * not vary may be left out.
 */
export function planDraw(run: Run, words: Uint32Array): (piece: Piece) => void {
  const plan = { sobol: planSobol, random: planRandom, lhs: planStrata }[run.method]
  return plan(run, words, activeOf(run))
}

/** The inputs that vary. */
export function activeOf({ varies }: Run): number[] {
  return varies.flatMap((isActive, dimension) => (isActive ? [dimension] : []))
}

function planSobol(run: Run, words: Uint32Array, active: readonly number[]): (piece: Piece) => void {
  const directions = scrambledDirections(run.seed, streams.sobolTrials, dimensions, replicates)
  return ({ replicate, first, count }) => {
    for (const dimension of active) {
      const at = (replicate * dimensions + dimension) * wordsPerDimension
      fillSobol(directions, at, first, count, words, dimension * blockSize)
    }
  }
}

function planRandom(run: Run, words: Uint32Array, active: readonly number[]): (piece: Piece) => void {
  return ({ trial, count }) => drawWords(run, active, streams.trials, trial, count, words)
}

function planStrata(run: Run, words: Uint32Array, active: readonly number[]): (piece: Piece) => void {
  const seeds = permutationSeeds(run.seed, streams.strata, replicates * dimensions)
  return ({ replicate, first, count, length, trial }) => {
    drawWords(run, active, streams.withinStrata, trial, count, words)
    for (const dimension of active) {
      const seed = seeds[replicate * dimensions + dimension] ?? 0
      fillStrata(length, seed, first, count, words, dimension * blockSize)
    }
  }
}

/** Four inputs share the words of one block of the generator. */
function drawWords(
  run: Run,
  active: readonly number[],
  stream: number,
  trial: number,
  count: number,
  words: Uint32Array,
): void {
  for (let block = 0; 4 * block < dimensions; block++) {
    if (!active.some((dimension) => dimension >>> 2 === block)) continue
    philoxBlock(run.seed, trial, count, block, stream, words, 4 * block * blockSize)
  }
}
