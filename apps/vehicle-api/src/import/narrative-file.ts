import { ImportError } from '@hearth/chassis/importing/import-error'
import { closeSync, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  notWritten,
  piecesOf,
  type KeptNarratives,
  type NarrativeTarget,
  type Shelf,
} from './narrative-shelves.ts'
import { stated } from './stated.ts'

/**
 * The narratives of the complaints that are being read, in a temporary file, so that they need not be read back from
 * the database in another order to be mined. All complaints of a model lie on one of its shelves.
 */
export type NarrativeFile = {
  /** Where threads write to: see keepNarratives(). */
  readonly target: NarrativeTarget
  /** Notes what has been written. */
  readonly add: (kept: KeptNarratives) => void
  /** The complaints of these ODI numbers are not meant as far as they have been noted: others replace them. */
  readonly replaceBefore: (odis: readonly string[]) => void
  readonly shelf: (shelf: number) => Shelf
  /** Gives the room on the disk back. */
  readonly close: () => void
}

/**
 * Opens an empty one in the directory for temporary files. It has no name there: when the process ends, however that
 * happens, it is gone.
 *
 * @throws ImportError when the directory cannot be written to
 */
export function openNarrativeFile(): NarrativeFile {
  const descriptor = openNameless()
  const end = new BigInt64Array(new SharedArrayBuffer(8))
  return narrativesIn({ descriptor, end }, () => closeSync(descriptor))
}

/** The same in memory: for few, and for this thread alone. It needs no place to write to. */
export function narrativesInMemory(): NarrativeFile {
  const parts: Buffer[] = []
  return narrativesIn({ parts }, () => parts.splice(0))
}

function narrativesIn(target: NarrativeTarget, close: () => void): NarrativeFile {
  const kept: KeptNarratives[] = []
  let [replaced, replacedIn] = [sharedNumbers([]), 0]
  return {
    target,
    add: (some) => kept.push(some),
    replaceBefore: (odis) => {
      replaced = sharedNumbers(odis).sort()
      replacedIn = kept.length
    },
    shelf: (shelf) => ({ ...{ target, replaced, replacedIn }, pieces: piecesOf(shelf, kept) }),
    close,
  }
}

/** An error of who wrote to it, as a reason for the operator where it is one. */
export function toldOfWriting(error: unknown): unknown {
  const reason =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : ''
  if (!reason.startsWith(notWritten)) return error
  return new ImportError(
    `${reason}. The whole complaint file takes 1.5 GB there; TMPDIR names another directory.`,
  )
}

function openNameless(): number {
  try {
    const directory = mkdtempSync(join(tmpdir(), 'hearth-import-'))
    const path = join(directory, 'narratives')
    const descriptor = openSync(path, 'wx+')
    unlinkSync(path)
    rmdirSync(directory)
    return descriptor
  } catch (error) {
    throw new ImportError(
      `No file can be made in the directory for temporary files: ${stated(error)}. TMPDIR names another.`,
    )
  }
}

function sharedNumbers(odis: readonly string[]): Uint32Array<SharedArrayBuffer> {
  const numbers = new Uint32Array(new SharedArrayBuffer(4 * odis.length))
  for (const [at, odi] of odis.entries()) numbers[at] = Number(odi)
  return numbers
}
