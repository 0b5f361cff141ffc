import { eachTerm } from './terms.ts'
import type { Words } from './words.ts'

/** The terms of texts, each of which is a number from 0 on. */
export type TermIndex = {
  /** How many terms there are. */
  readonly size: number
  /** By term: its hash, in how many texts it occurs, 1 where it is a pair of words. */
  readonly hashes: Int32Array
  readonly texts: Int32Array
  readonly isPair: Uint8Array
  /** The terms of text i, each once: termsOf[from[i]] to termsOf[from[i + 1] - 1]. */
  readonly terms: Int32Array
  readonly from: Int32Array
  /** Room for a number for each term, 0 for all between uses: making it anew each time is slow. */
  readonly tally: Int32Array
}

/** Numbers the terms of texts: see eachTerm. */
export function indexTerms(texts: readonly string[], readWords: (text: string) => Words): TermIndex {
  const table = emptyTable(1 << 12)
  const from = new Int32Array(texts.length + 1)
  let terms = new Int32Array(1 << 12)
  let length = 0
  for (const [text, content] of texts.entries()) {
    const words = readWords(content)
    // Each word gives two terms at most.
    if (length + 2 * words.count > terms.length) terms = grown(terms, length + 2 * words.count)
    eachTerm(words, (hash, isPair) => {
      const term = numberOf(table, hash, isPair)
      if (isNewIn(table, term, text)) terms[length++] = term
    })
    from[text + 1] = length
  }
  const { size, hashes, texts: counts, isPair, lastText: tally } = table
  return { size, hashes, texts: counts, isPair, terms: terms.subarray(0, length), from, tally: tally.fill(0) }
}

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
  /** The last text that a term was counted for. */
  lastText: Int32Array
}

function emptyTable(most: number): TermTable {
  return {
    ...{ slots: new Int32Array(2 * most).fill(-1), size: 0, hashes: new Int32Array(most) },
    ...{ texts: new Int32Array(most), isPair: new Uint8Array(most), lastText: new Int32Array(most) },
  }
}

function numberOf(table: TermTable, hash: number, isPair: boolean): number {
  const slot = slotOf(table, hash)
  const known = table.slots[slot] ?? -1
  if (known >= 0) return known
  const term = table.size++
  table.slots[slot] = term
  table.hashes[term] = hash
  table.isPair[term] = isPair ? 1 : 0
  table.lastText[term] = -1
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
  const { size, hashes, texts, isPair, lastText } = table
  Object.assign(table, emptyTable(2 * hashes.length), { size })
  table.hashes.set(hashes)
  table.texts.set(texts)
  table.isPair.set(isPair)
  table.lastText.set(lastText)
  for (let term = 0; term < size; term++) table.slots[slotOf(table, hashes[term] ?? 0)] = term
}

/** Counts a text for a term; false when it was counted already. */
function isNewIn({ lastText, texts }: TermTable, term: number, text: number): boolean {
  if (lastText[term] === text) return false
  lastText[term] = text
  texts[term] = (texts[term] ?? 0) + 1
  return true
}

function grown(array: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(least, 2 * array.length))
  larger.set(array)
  return larger
}
