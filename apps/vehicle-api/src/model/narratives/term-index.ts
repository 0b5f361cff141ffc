import { eachTerm } from './terms.ts'
import type { Words } from './words.ts'

/** The terms of texts, each of which is a number from 0 on. */
export type TermIndex = {
  /** How many terms have a number. */
  readonly size: number
  /** By term: its hash, in how many texts it occurs, 1 where it is a pair of words. */
  readonly hashes: Int32Array
  readonly texts: Int32Array
  readonly isPair: Uint8Array
  /** The terms of text i, each once: termsOf[from[i]] to termsOf[from[i + 1] - 1]. */
  readonly terms: Int32Array
  readonly from: Int32Array
  /** How many different terms text i has, those without a number among them. */
  readonly distinct: Int32Array
  /** Room for a number for each term, 0 for all between uses: making it anew each time is slow. */
  readonly tally: Int32Array
}

/**
 * Numbers the terms of texts (see eachTerm) that occur in three of them or more; of those that are rarer, which are
 * most, next to none.
 */
export function indexTerms(texts: readonly string[], readWords: (text: string) => Words): TermIndex {
  const met = meetTerms(texts, readWords)
  const { terms, isPair, from, distinct } = met
  const isFrequent = frequentOf(terms.subarray(0, from[texts.length]))
  const table = emptyTable(1 << 12)
  let length = 0
  let start = 0
  for (let text = 0; text < texts.length; text++) {
    const end = from[text + 1] ?? 0
    for (let entry = start; entry < end; entry++) {
      const hash = terms[entry] ?? 0
      if (!isFrequent(hash)) continue
      const term = numberOf(table, hash, isPair[entry] ?? 0)
      table.texts[term] = (table.texts[term] ?? 0) + 1
      // The numbers take the places of the hashes, of which there are as many or more.
      terms[length++] = term
    }
    start = end
    from[text + 1] = length
  }
  const { size, hashes, texts: counts, isPair: ofPairs } = table
  const tally = new Int32Array(hashes.length)
  return {
    size,
    hashes,
    texts: counts,
    isPair: ofPairs,
    terms: terms.subarray(0, length),
    from,
    distinct,
    tally,
  }
}

/** The terms of texts as they are met, each once for a text: of text i from[i] to from[i + 1] - 1. */
type MetTerms = Pick<TermIndex, 'isPair' | 'from' | 'distinct'> & {
  /** Their hashes. */
  readonly terms: Int32Array
}

function meetTerms(texts: readonly string[], readWords: (text: string) => Words): MetTerms {
  const from = new Int32Array(texts.length + 1)
  const distinct = new Int32Array(texts.length)
  const isNew = newInText()
  let terms = new Int32Array(1 << 12)
  let isPair = new Uint8Array(1 << 12)
  let length = 0
  const add = (hash: number, ofPair: boolean) => {
    if (!isNew(hash)) return
    isPair[length] = ofPair ? 1 : 0
    terms[length++] = hash
  }
  for (const [text, content] of texts.entries()) {
    const words = readWords(content)
    // Each word gives two terms at most.
    const most = length + 2 * words.count
    if (most > terms.length) [terms, isPair] = [grown(terms, most), grownFlags(isPair, most)]
    isNew.start(2 * words.count)
    eachTerm(words, add)
    from[text + 1] = length
    distinct[text] = length - (from[text] ?? 0)
  }
  return { terms, isPair, from, distinct }
}

/** Whether a hash is met for the first time in a text: open addressing, a quarter full at most. */
function newInText(): ((hash: number) => boolean) & { readonly start: (most: number) => void } {
  let hashes = new Int32Array(1 << 10)
  /** The text that each slot was last filled for. */
  let filledFor = new Int32Array(1 << 10)
  let text = 0
  const isNew = (hash: number) => {
    const mask = hashes.length - 1
    let slot = hash & mask
    for (; filledFor[slot] === text; slot = (slot + 1) & mask) if (hashes[slot] === hash) return false
    filledFor[slot] = text
    hashes[slot] = hash
    return true
  }
  const start = (most: number) => {
    text++
    if (4 * most <= hashes.length) return
    let size = hashes.length
    while (size < 4 * most) size *= 2
    hashes = new Int32Array(size)
    filledFor = new Int32Array(size)
  }
  return Object.assign(isNew, { start })
}

/** Which hashes are there three times or more, and a few others, because counters are shared. */
function frequentOf(hashes: Int32Array): (hash: number) => boolean {
  let size = 1 << 10
  while (size < hashes.length && size < mostCounters) size *= 2
  const mask = size - 1
  const counters = new Uint8Array(size)
  for (const hash of hashes) {
    const count = counters[hash & mask] ?? 0
    if (count < fewestTexts) counters[hash & mask] = count + 1
  }
  return (hash) => counters[hash & mask] === fewestTexts
}

/** Neither issues nor similar complaints rest on rarer terms. */
const fewestTexts = 3
/** What a processor has close by. */
const mostCounters = 1 << 20

/** The terms of a text, each once, in the order in which they are met. */
export function termsOf(text: number, { terms, from }: TermIndex): Int32Array {
  return terms.subarray(from[text], from[text + 1])
}

/** Terms numbered as they are met, found by their hashes: open addressing, never more than half full. */
type TermTable = {
  /** Number of the term in each slot, -1 where empty. */
  slots: Int32Array
  size: number
  hashes: Int32Array
  texts: Int32Array
  isPair: Uint8Array
}

function emptyTable(most: number): TermTable {
  return {
    ...{ slots: new Int32Array(2 * most).fill(-1), size: 0, hashes: new Int32Array(most) },
    ...{ texts: new Int32Array(most), isPair: new Uint8Array(most) },
  }
}

function numberOf(table: TermTable, hash: number, isPair: number): number {
  const slot = slotOf(table, hash)
  const known = table.slots[slot] ?? -1
  if (known >= 0) return known
  const term = table.size++
  table.slots[slot] = term
  table.hashes[term] = hash
  table.isPair[term] = isPair
  if (table.size === table.hashes.length) enlarge(table)
  return term
}

/** The slot of a term, or the empty one where it belongs. */
function slotOf({ slots, hashes }: TermTable, hash: number): number {
  const mask = slots.length - 1
  let slot = hash & mask
  for (let term = slots[slot] ?? -1; term >= 0 && hashes[term] !== hash; term = slots[slot] ?? -1) {
    slot = (slot + 1) & mask
  }
  return slot
}

function enlarge(table: TermTable): void {
  const { size, hashes, texts, isPair } = table
  Object.assign(table, emptyTable(2 * hashes.length), { size })
  table.hashes.set(hashes)
  table.texts.set(texts)
  table.isPair.set(isPair)
  for (let term = 0; term < size; term++) table.slots[slotOf(table, hashes[term] ?? 0)] = term
}

function grown(array: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(least, 2 * array.length))
  larger.set(array)
  return larger
}

function grownFlags(array: Uint8Array, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(least, 2 * array.length))
  larger.set(array)
  return larger
}
