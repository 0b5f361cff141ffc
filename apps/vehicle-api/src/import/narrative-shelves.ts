import { reasonOf } from '@hearth/chassis/importing/import-error'
import { readSync, writeSync } from 'node:fs'
import type { Category } from '../model/category.ts'
import type { ComplaintRecord } from '../model/complaint-record.ts'
import type { Narrative } from '../model/narratives/analyse-model.ts'
import { textHash } from '../model/narratives/term-hash.ts'
import { memoise } from '../model/memo.ts'
import { byteWriter } from './byte-writer.ts'

/** A file that several threads of this process write to, or memory of the one that does it all. */
export type NarrativeTarget =
  | {
      readonly descriptor: number
      /** Where the next may write, in memory that they share. */
      readonly end: BigInt64Array
    }
  | { readonly parts: Buffer[] }

/** Narratives that have been written together. */
export type KeptNarratives = {
  /** Where they lie in the file. */
  readonly position: number
  /** Where those of each shelf end, counted from there. */
  readonly ends: Uint32Array
}

/** What is kept of a complaint. */
export type KeptComplaint = Pick<
  ComplaintRecord,
  'odi' | 'make' | 'model' | 'year' | 'category' | 'component' | 'repairCost' | 'description'
>

/** The complaints of a model, without its text as long as nobody asks for it. */
export type ShelvedModel = {
  readonly make: string
  readonly model: string
  /** Reads them, in the order of their ids. */
  readonly narratives: () => Narrative[]
}

/** Of the official file each has about 20 MB, which is what a thread has in memory at once. */
export const shelves = 64

/** The shelf of a model, which `make/model` names. */
export const shelfOf: (key: string) => number = memoise((key) => (textHash(key) >>> 0) % shelves, 20_000)

/** Gathers narratives and writes them to a file, shelf by shelf. */
export type Keeper = {
  readonly add: (complaint: KeptComplaint, id: string) => void
  /** Writes what has been added since the last time. Several threads may do so at once. */
  readonly writeTo: (target: NarrativeTarget) => KeptNarratives
}

export function keeper(): Keeper {
  const writer = byteWriter()
  let entries: Entry[] = []
  return {
    add: (complaint, id) => {
      const { odi, make, model, year, category, component, repairCost, description } = complaint
      const key = `${make}/${model}`
      const cost = repairCost ?? ''
      const start = writer.add(`${key}\t${odi}\t${id}\t${year}\t${category}\t${cost}\t${component}`)
      const textStart = writer.add(description)
      entries.push({ shelf: shelfOf(key), start, textStart, end: writer.length() })
    },
    writeTo: (target) => {
      const { bytes, ends } = byShelf(Buffer.from(writer.take().buffer), entries)
      entries = []
      if ('parts' in target) return { position: partBytes * (target.parts.push(bytes) - 1), ends }
      const position = Number(Atomics.add(target.end, 0, BigInt(bytes.length)))
      writeAll(target.descriptor, bytes, position)
      return { position, ends }
    },
  }
}

/** A complaint among bytes: what is told of it, then its text. */
type Entry = {
  readonly shelf: number
  readonly start: number
  readonly textStart: number
  readonly end: number
}

/** The entries in the order of their shelves, with the lengths of their two parts before each. */
function byShelf(from: Buffer, entries: readonly Entry[]): { bytes: Buffer; ends: Uint32Array } {
  const bytes = Buffer.allocUnsafeSlow(from.length + lengthsBytes * entries.length)
  const ends = new Uint32Array(shelves)
  for (const { shelf, start, end } of entries) {
    ends[shelf] = (ends[shelf] ?? 0) + lengthsBytes + end - start
  }
  const next = new Uint32Array(shelves)
  for (let shelf = 1; shelf < shelves; shelf++) {
    next[shelf] = ends[shelf - 1] ?? 0
    ends[shelf] = (ends[shelf] ?? 0) + (next[shelf] ?? 0)
  }
  for (const { shelf, start, textStart, end } of entries) {
    const at = next[shelf] ?? 0
    bytes.writeUInt32LE(textStart - start, at)
    bytes.writeUInt32LE(end - textStart, at + 4)
    from.copy(bytes, at + lengthsBytes, start, end)
    next[shelf] = at + lengthsBytes + end - start
  }
  return { bytes, ends }
}

const lengthsBytes = 8
/** Positions in memory: each part begins at a multiple of this, which is more than any has. */
const partBytes = 2 ** 40

function writeAll(descriptor: number, bytes: Buffer, position: number): void {
  try {
    let written = 0
    while (written < bytes.length) {
      written += writeSync(descriptor, bytes, written, bytes.length - written, position + written)
    }
  } catch (error) {
    throw new Error(`${notWritten}: ${reasonOf(error)}`, { cause: error })
  }
}

/** How the message of an error begins where a narrative file cannot be written; of an error's class threads say nothing. */
export const notWritten = 'The narratives cannot be written to a temporary file'

/** Where the narratives of a shelf lie in a file. */
export type Shelf = {
  readonly target: NarrativeTarget
  /** Position and length of each piece. */
  readonly pieces: Float64Array
  /** ODI numbers in ascending order whose complaints in the first pieces are not meant: later ones replace them. */
  readonly replaced: Uint32Array
  /** How many pieces these are. */
  readonly replacedIn: number
}

/** The pieces of a shelf, those of `kept` in their order. */
export function piecesOf(shelf: number, kept: readonly KeptNarratives[]): Float64Array {
  const pieces = new Float64Array(2 * kept.length)
  for (const [at, { position, ends }] of kept.entries()) {
    const start = shelf === 0 ? 0 : (ends[shelf - 1] ?? 0)
    pieces[2 * at] = position + start
    pieces[2 * at + 1] = (ends[shelf] ?? 0) - start
  }
  return pieces
}

type Place = { readonly head: string; readonly start: number; readonly end: number; readonly id: string }

/** The models of a shelf. */
export function readShelf(shelf: Shelf): ShelvedModel[] {
  const bytes = bytesOf(shelf)
  const { pieces, replaced, replacedIn } = shelf
  const places = new Map<string, Place[]>()
  let start = 0
  for (let piece = 0; 2 * piece < pieces.length; piece++) {
    const stop = start + (pieces[2 * piece + 1] ?? 0)
    while (start < stop) {
      const headStart = start + lengthsBytes
      const textStart = headStart + bytes.readUInt32LE(start)
      const end = textStart + bytes.readUInt32LE(start + 4)
      const head = bytes.toString('utf8', headStart, textStart)
      start = end
      const [key = '', odi = '', id = ''] = head.split('\t', 3)
      if (piece < replacedIn && isAmong(replaced, Number(odi))) continue
      const place = { ...{ head, id, end }, start: textStart }
      const own = places.get(key)
      if (own === undefined) places.set(key, [place])
      else own.push(place)
    }
  }
  return [...places].map(([key, own]) => {
    const [make = '', model = ''] = key.split('/')
    const narratives = () => own.sort(byId).map((place) => narrativeOf(place, bytes))
    return { make, model, narratives }
  })
}

function bytesOf({ target, pieces }: Shelf): Buffer {
  let length = 0
  for (let at = 1; at < pieces.length; at += 2) length += pieces[at] ?? 0
  const bytes = Buffer.allocUnsafeSlow(length)
  let start = 0
  for (let at = 0; at < pieces.length; at += 2) {
    const end = start + (pieces[at + 1] ?? 0)
    const shift = (pieces[at] ?? 0) - start
    while (start < end) {
      const read = readFrom(target, bytes.subarray(start, end), start + shift)
      if (read === 0)
        throw new Error('The temporary file of the narratives is shorter than what was written.')
      start += read
    }
  }
  return bytes
}

/** @returns number of bytes that were read */
function readFrom(target: NarrativeTarget, into: Buffer, position: number): number {
  if (!('parts' in target)) return readSync(target.descriptor, into, 0, into.length, position)
  const start = position % partBytes
  return target.parts[Math.floor(position / partBytes)]?.copy(into, 0, start, start + into.length) ?? 0
}

/** @param numbers in ascending order */
function isAmong(numbers: Uint32Array, number: number): boolean {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return numbers[low] === number
}

/** Ids are ASCII: it is the order of the database, too. */
function byId(a: Place, b: Place): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

function narrativeOf({ head, start, end, id }: Place, bytes: Buffer): Narrative {
  const [, , , year = '', category = '', cost = '', component = ''] = head.split('\t')
  return {
    ...{ id, year: Number(year), category: category as Category, component },
    text: bytes.toString('utf8', start, end),
    repairCost: cost === '' ? null : Number(cost),
  }
}
