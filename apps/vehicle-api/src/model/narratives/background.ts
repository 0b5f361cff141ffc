import { boilerplate, makes, stopWords } from './stop-words.ts'
import { textHash } from './term-hash.ts'
import { eachTerm } from './terms.ts'
import { createWordReader } from './words.ts'

/** How often terms (words and pairs of words) occur in the complaints about all vehicles. */
export type Background = {
  /** Complaints of the sample that have the term; rarely a few more, because counters are shared. */
  readonly countOf: (term: number) => number
  /** Sum of the counts of all terms. */
  readonly total: () => number
  /** One complaint in so many is in the sample. */
  readonly every: number
}

/** A background that is being counted. */
export type GrowingBackground = Background & {
  /** Counts each term of a complaint once, if the complaint belongs to the sample; its id decides. */
  readonly add: (id: string, text: string) => void
  /** What it has counted, in memory that threads share. */
  readonly counts: () => TermCounts
}

/** What {@link backgroundOf} makes a background from. */
export type TermCounts = {
  readonly every: number
  readonly total: number
  readonly rows: readonly [Uint32Array, Uint32Array]
}

/** The background that another thread has counted. */
export function backgroundOf({ every, total, rows }: TermCounts): Background {
  return {
    every,
    total: () => total,
    countOf: (term) => Math.min(rows[0][term & mask] ?? 0, rows[1][secondPlace(term)] ?? 0),
  }
}

/**
 * Counts in bounded memory (12 MB), whatever the number of complaints: a count-min sketch of two rows with
 * conservative update (Cormode and Muthukrishnan, Journal of Algorithms 55, 2005; Estan and Varghese, ACM TOCS 21,
 * 2003).
 * @param complaints how many there will be, more or less: of more than 200,000 a sample is taken
 */
export function createBackground(complaints: number): GrowingBackground {
  const every = Math.max(1, Math.round(complaints / largestSample))
  const rows = [sharedCounters(), sharedCounters()] as const
  const lastText = new Int32Array(counters)
  const readWords = createWordReader(stopWords, boilerplate, makes)
  let texts = 0
  let total = 0

  function count(term: number): void {
    const first = term & mask
    if (lastText[first] === texts) return
    lastText[first] = texts
    total++
    const second = secondPlace(term)
    const [a, b] = [rows[0][first] ?? 0, rows[1][second] ?? 0]
    if (a <= b) rows[0][first] = a + 1
    if (b <= a) rows[1][second] = b + 1
  }

  return {
    ...backgroundOf({ every, total, rows }),
    total: () => total,
    counts: () => ({ every, total, rows }),
    add: (id, text) => {
      if (text === '' || (every > 1 && (textHash(id) >>> 0) % every !== 0)) return
      texts++
      eachTerm(readWords(text), count)
    },
  }
}

const largestSample = 200_000
const counters = 1 << 20
const mask = counters - 1

function sharedCounters(): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(4 * counters))
}

function secondPlace(term: number): number {
  return Math.imul(term, 0x9e3779b1) >>> 12
}
