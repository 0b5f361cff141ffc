import { fillStrata, permutationSeeds } from './latin-hypercube.ts'
import { tailRoom, toNormalScores } from './normal.ts'
import { philox } from './philox.ts'
import { blockSize, type Piece } from './pieces.ts'
import { replicates, type Run } from './plan.ts'
import { blockOffsets, fillSobol, scrambledDirections, wordsPerDimension } from './sobol.ts'
import { streams } from './streams.ts'
import { dimensions } from './uncertain-inputs.ts'

/**
 * A function that draws the independent normal scores of a piece of the trials: the score of input i and
 * trial piece.trial + t goes to scores[i * blockSize + t]. What it draws depends on the run and the number of
 * the trial alone. Inputs that do not vary are left out.
 */
export function planDraw(run: Run, scores: Float64Array): (piece: Piece) => void {
  const active = run.varies.flatMap((varies, dimension) => (varies ? [dimension] : []))
  const plan = { sobol: planSobolFill, random: planRandomFill, lhs: planStrataFill }[run.method]
  const fill = plan(run, active, scores)
  const tails = tailRoom(blockSize)
  return (piece) => {
    fill(piece)
    for (const dimension of active) {
      const at = dimension * blockSize
      toNormalScores(scores, at, at + piece.count, tails)
    }
  }
}

function planSobolFill(run: Run, active: readonly number[], scores: Float64Array): Fill {
  const directions = scrambledDirections(run.seed, streams.sobolTrials, dimensions, replicates)
  let current = -1
  let offsets: Uint32Array[] = []
  return ({ replicate, first, count }) => {
    const at = (dimension: number): number => (replicate * dimensions + dimension) * wordsPerDimension
    if (replicate !== current) {
      current = replicate
      offsets = active.map((dimension) => blockOffsets(directions, at(dimension), blockSize))
    }
    for (const [index, dimension] of active.entries()) {
      const own = offsets[index]
      if (own) fillSobol(directions, at(dimension), first, count, own, scores, dimension * blockSize)
    }
  }
}

function planRandomFill(run: Run, active: readonly number[], scores: Float64Array): Fill {
  return wordwise(run, active, streams.trials, ({ count }, words, dimension) => {
    const at = dimension * blockSize
    const lane = dimension & 3
    for (let index = 0; index < count; index++) {
      scores[at + index] = ((words[4 * index + lane] ?? 0) + 0.5) / 4294967296
    }
  })
}

function planStrataFill(run: Run, active: readonly number[], scores: Float64Array): Fill {
  const seeds = permutationSeeds(run.seed, streams.strata, replicates * dimensions)
  return wordwise(run, active, streams.withinStrata, (piece, words, dimension) => {
    const { replicate, first, count, length } = piece
    const seed = seeds[replicate * dimensions + dimension] ?? 0
    fillStrata(length, seed, first, count, words, dimension & 3, scores, dimension * blockSize)
  })
}

/** Draws four words per trial for every four inputs, and lets `fillColumn` make a column of them. */
function wordwise(
  run: Run,
  active: readonly number[],
  stream: number,
  fillColumn: (piece: Piece, words: Uint32Array, dimension: number) => void,
): Fill {
  const blocks = [...new Set(active.map((dimension) => dimension >>> 2))]
  const words = new Uint32Array(4 * blockSize)
  return (piece) => {
    for (const block of blocks) {
      for (let index = 0; index < piece.count; index++) {
        philox(run.seed, piece.trial + index, 0, block, stream, words, 4 * index)
      }
      for (const dimension of active) if (dimension >>> 2 === block) fillColumn(piece, words, dimension)
    }
  }
}

/** Fills columns with numbers strictly between 0 and 1. */
type Fill = (piece: Piece) => void
