import { replicates, type Run } from './plan.ts'

/** Trials that are worked on together: their columns stay in the first-level cache. A power of two. */
export const blockSize = 128

/**
 * Cuts trials from..to-1 into pieces that neither cross from one replicate to the next nor out of an aligned
 * block of their replicate. Where the cuts fall changes no trial.
 */
export function forEachPiece(run: Run, from: number, to: number, work: (piece: Piece) => void): void {
  for (const [replicate, { start, end }] of replicatesOf(run).entries()) {
    let trial = Math.max(start, from)
    while (trial < Math.min(end, to)) {
      const first = trial - start
      const toBlockEnd = blockSize - (first % blockSize)
      const count = Math.min(toBlockEnd, Math.min(end, to) - trial)
      work({ replicate, first, count, trial, length: end - start })
      trial += count
    }
  }
}

/** The trials start..end-1 of each independent randomisation of a run; of plain random trials there is one. */
export function replicatesOf({ method, trials }: Pick<Run, 'method' | 'trials'>): Replicate[] {
  const count = method === 'random' ? 1 : replicates
  return Array.from({ length: count }, (_, index) => ({
    start: Math.floor((index * trials) / count),
    end: Math.floor(((index + 1) * trials) / count),
  }))
}

/** `count` trials from number `trial` on, which are numbers first.. of their replicate of `length` trials. */
export type Piece = Readonly<{
  replicate: number
  first: number
  count: number
  trial: number
  length: number
}>

export type Replicate = Readonly<{ start: number; end: number }>
