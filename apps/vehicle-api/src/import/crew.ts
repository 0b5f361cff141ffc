import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Piscina } from 'piscina'
import * as steps from '../import-worker.ts'
import type { ModelContext } from '../model/narratives/analyse-model.ts'
import type { TermCounts } from '../model/narratives/background.ts'
import type { CopyBatch } from './batch.ts'
import type { PartContent } from './complaint-file.ts'

/** Who does the work of an import that needs no database. */
export type Crew = {
  /** How many tasks it works on at once. */
  readonly hands: number
  readonly read: (task: ReadTask) => Promise<ReadLines>
  readonly mine: (task: MineTask) => Promise<MinedLines>
  /** Ends the threads; what they are at is given up. */
  readonly close: () => Promise<void>
}

/** A part of a complaint file: see cutParts(). */
export type ReadTask = { readonly bytes: Uint8Array; readonly currentYear: number }

/** Its complaints as lines for COPY, in UTF-8. */
export type ReadLines = CopyBatch & { readonly text: Uint8Array } & Pick<PartContent, 'runs' | 'several'>

/** The narratives of some models, and what all of them are compared with. */
export type MineTask = Pick<ModelContext, 'categoryCosts'> & {
  readonly models: readonly ModelNarratives[]
  readonly background: TermCounts
}

/** All complaints of a model, ordered by id. */
export type ModelNarratives = Pick<ModelContext, 'make' | 'model' | 'names'> & {
  /** Id, model year, category, repair cost, component of each complaint, with tabs between them. */
  readonly heads: readonly string[]
  readonly texts: readonly string[]
}

/** Their issues and similar complaints as lines for COPY, in UTF-8. */
export type MinedLines = {
  readonly complaints: number
  readonly issues: Uint8Array
  readonly similar: Uint8Array
}

/** @param bytes size of the files: for small ones threads are not worth their start */
export function openCrew(bytes: number): Crew {
  return bytes < leastBytes ? inlineCrew() : threadCrew(Math.min(mostThreads, availableParallelism()))
}

const leastBytes = 8 * 2 ** 20
/** The database has as much work as four threads. */
const mostThreads = 4

/** Works in this thread. */
export function inlineCrew(): Crew {
  return {
    hands: 1,
    read: steps.read,
    mine: async (task) => steps.mine(task),
    close: () => Promise.resolve(),
  }
}

/** Works in threads of its own. */
export function threadCrew(threads: number): Crew {
  const pool = new Piscina({
    filename: workerFile().href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 60_000,
    recordTiming: false,
    // Without limits the garbage collector lets each thread take far more memory than it needs.
    resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 1_024 },
  })
  return {
    hands: threads,
    read: (task) => pool.run(task, { name: 'read' }) as Promise<ReadLines>,
    mine: (task) => pool.run(task, { name: 'mine' }) as Promise<MinedLines>,
    close: () => pool.destroy(),
  }
}

/** Beside the folder of this file in the sources, beside main.js in the bundle. */
function workerFile(): URL {
  const extension = extname(import.meta.url)
  return new URL(`${extension === '.ts' ? '..' : '.'}/import-worker${extension}`, import.meta.url)
}
