import { quickSet } from './quick-set.ts'
import { emptyHash, finishHash, mixLetter } from './term-hash.ts'

/** The words of a text that may matter, in order. The arrays are filled anew for every text. */
export type Words = {
  count: number
  /** Hash of each word in lower case, without apostrophes. */
  hashes: Int32Array
  /** Where it starts and ends in the text. */
  starts: Int32Array
  ends: Int32Array
  /** How many skipped words lie between it and the one before; `apart` where something else parts them. */
  gaps: Uint8Array
}

/** A gap across which no phrase is read: the start, the end of a sentence or clause, a number. */
export const apart = 255

/**
 * Reads texts word by word. A word is a run of letters; words with digits in them or of fewer than three letters and the
 * words to skip are left out. Case, apostrophes and hyphens make no difference.
 * @param skipped hashes of words
 */
export function createWordReader(...skipped: readonly ReadonlySet<number>[]): (text: string) => Words {
  const isSkipped = quickSet(skipped.flatMap((hashes) => [...hashes]))
  const words = roomFor(1024)
  return (text) => {
    if (text.length >= 4 * words.hashes.length) Object.assign(words, roomFor(text.length))
    return readWords(text, isSkipped, words)
  }
}

/** A word without its plural s, as it is hashed. */
export function singular(word: string): string {
  return word.length > shortest && /[^s]s$/.test(word) ? word.slice(0, -1) : word
}

function readWords(text: string, isSkipped: (hash: number) => boolean, words: Words): Words {
  const { hashes, starts, ends, gaps } = words
  let count = 0
  let gap = apart
  let [hash, start, letters, hasDigit] = [emptyHash, 0, 0, false]
  let [hashBefore, last, lastBefore] = [emptyHash, 0, 0]
  // One step past the end closes the last word.
  for (let index = 0; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : space
    const kind = code < 128 ? (kinds[code] ?? 0) : kindOfOther(code)
    if (kind === letter) {
      if (letters++ === 0 && !hasDigit) start = index
      hashBefore = hash
      lastBefore = last
      last = code < 128 ? code | 32 : lower(code)
      hash = mixLetter(hash, last)
      continue
    }
    if (kind === digit) hasDigit = true
    if (kind === digit || kind === apostrophe) continue
    if (hasDigit) gap = apart
    else if (letters >= shortest) {
      const isPlural = last === letterS && lastBefore !== letterS && letters > shortest
      const finished = finishHash(isPlural ? hashBefore : hash)
      if (isSkipped(finished)) gap += gap < apart - 1 ? 1 : 0
      else {
        hashes[count] = finished
        starts[count] = start
        ends[count] = index
        gaps[count++] = gap
        gap = 0
      }
    }
    if (kind === stop) gap = apart
    hash = emptyHash
    letters = 0
    hasDigit = false
  }
  words.count = count
  return words
}

function roomFor(length: number): Words {
  // A word has three letters or more and something after it.
  const most = Math.ceil(length / 4) + 1
  return {
    ...{ count: 0, hashes: new Int32Array(most), starts: new Int32Array(most), ends: new Int32Array(most) },
    gaps: new Uint8Array(most),
  }
}

function kindOfOther(code: number): number {
  if (code === 0x2019 || code === 0x2018) return apostrophe
  return code >= 0xc0 && code < 0x2000 && code !== 0xd7 && code !== 0xf7 ? letter : between
}

function lower(code: number): number {
  return String.fromCharCode(code).toLowerCase().charCodeAt(0)
}

/** Shorter words are mostly initials and states. */
const shortest = 3
const space = 32
const letterS = 115
const [between, letter, digit, apostrophe, stop] = [0, 1, 2, 3, 4]
const kinds = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ') kinds[char.charCodeAt(0)] = letter
for (const char of '0123456789') kinds[char.charCodeAt(0)] = digit
for (const char of "'`") kinds[char.charCodeAt(0)] = apostrophe
for (const char of '.,;:!?()[]"*') kinds[char.charCodeAt(0)] = stop
