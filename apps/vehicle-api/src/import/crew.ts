import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Piscina } from 'piscina'
import * as steps from '../import-worker.ts'
import type { ModelContext } from '../model/narratives/analyse-model.ts'
import type { TermCounts } from '../model/narratives/background.ts'
import type { CopyBatch } from './batch.ts'
import type { PartContent } from './complaint-file.ts'
import type { KeptNarratives, NarrativeTarget, Shelf } from './narrative-shelves.ts'

/** Who does the work of an import that needs no database. */
export type Crew = {
  /** How many tasks it works on at once. */
  readonly hands: number
  /** The bytes belong to it then. */
  readonly read: (task: ReadTask) => Promise<ReadLines>
  readonly mine: (task: MineTask) => Promise<MinedLines>
  /** Ends the threads; what they are at is given up. */
  readonly close: () => Promise<void>
}

/** A part of a complaint file: see cutParts(). */
export type ReadTask = {
  readonly bytes: Uint8Array
  readonly currentYear: number
  /** Where its narratives go. */
  readonly target: NarrativeTarget
}

/** Its complaints as lines for COPY, in UTF-8. */
export type ReadLines = CopyBatch &
  Pick<PartContent, 'runs' | 'several'> & { readonly text: Uint8Array; readonly kept: KeptNarratives }

/** The narratives of a shelf, and what all of them are compared with. */
export type MineTask = Pick<ModelContext, 'categoryCosts'> & {
  readonly shelf: Shelf
  /** Every way that make and model are written, by `make/model`. */
  readonly names: ReadonlyMap<string, readonly string[]>
  readonly background: TermCounts
}

/** Their issues and similar complaints as lines for COPY, in UTF-8. */
export type MinedLines = {
  readonly complaints: number
  readonly issues: Uint8Array
  readonly similar: Uint8Array
}

/** Whether files of so many bytes are not worth the start of threads. */
export function isSmall(bytes: number): boolean {
  return bytes < leastBytes
}

/** @param bytes size of the files */
export function openCrew(bytes: number): Crew {
  return isSmall(bytes) ? inlineCrew() : threadCrew(Math.min(mostThreads, availableParallelism()))
}

const leastBytes = 8 * 2 ** 20
/** The database has as much work as four threads. */
const mostThreads = 4

/** Works in this thread. */
export function inlineCrew(): Crew {
  return {
    hands: 1,
    read: async (task) => steps.read(task),
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
    read: (task) => pool.run(task, { name: 'read', transferList: ownMemory(task) }) as Promise<ReadLines>,
    mine: (task) => pool.run(task, { name: 'mine' }) as Promise<MinedLines>,
    close: () => pool.destroy(),
  }
}

/** What a thread takes over instead of a copy: the memory of bytes that share it with no others. */
function ownMemory({ bytes: { buffer, byteLength } }: ReadTask): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && byteLength > buffer.byteLength / 2 && byteLength > Buffer.poolSize
    ? [buffer]
    : []
}

/** Beside the folder of this file in the sources, beside main.js in the bundle. */
function workerFile(): URL {
  const extension = extname(import.meta.url)
  return new URL(`${extension === '.ts' ? '..' : '.'}/import-worker${extension}`, import.meta.url)
}
