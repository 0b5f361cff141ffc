import type { Category } from '../category.ts'
import type { TermIndex } from './term-index.ts'

/** How many complaints resemble a complaint: a row of table `similar`. */
export type Similar = {
  readonly id: string
  readonly count: number
  /** The most similar ones, at most ten, the most similar first. */
  readonly ids: readonly string[]
}

/** What is compared of a complaint. */
export type ComparedText = { readonly id: string; readonly year: number; readonly category: Category }

/**
 * Complaints that resemble one another: of the same category, at most two model years apart, cosine of their vectors
 * 0.25 or more. The vector of a text has the inverse document frequency of its words, ln(texts of the model / texts
 * with the word), for its 24 rarest words; words in fewer than three texts, or in less than 0.4 %, are not counted.
 * (The cut at 24 words leaves what is found nearly unchanged and bounds the work; the lower limit keeps misspelled
 * words out.)
 * @param texts of one model in the order of the index
 * @returns those that resemble at least one other, in the same order
 */
export function similarTexts(texts: readonly ComparedText[], index: TermIndex): Similar[] {
  const found = texts.map((): Neighbours => ({ count: 0, best: [] }))
  const numbered = texts.map(({ year, category }, text) => ({ text, year, category }))
  const heads = new Int32Array(index.size)
  for (const own of Map.groupBy(numbered, ({ category }) => category).values()) {
    const byYear = own.toSorted((a, b) => a.year - b.year || a.text - b.text)
    compare(byYear, vectorsOf(byYear, index), heads.fill(0), (a, b, cosine) => {
      note(found[a], b, cosine)
      note(found[b], a, cosine)
    })
  }
  return found.flatMap(({ count, best }, text) => {
    const ids = best.map(({ other }) => texts[other]?.id ?? '')
    return count === 0 ? [] : [{ id: texts[text]?.id ?? '', count, ids }]
  })
}

/** The texts that resemble a text. */
type Neighbours = { count: number; best: { other: number; cosine: number }[] }

/** Number of a text in the index, and its model year. */
type Numbered = { readonly text: number; readonly year: number }

/** Vectors of unit length: of the text at place i, entries i * width to i * width + lengths[i] - 1. */
type Vectors = {
  readonly terms: Int32Array
  readonly weights: Float64Array
  readonly lengths: Uint8Array
}

function vectorsOf(own: readonly Numbered[], index: TermIndex): Vectors {
  const terms = new Int32Array(own.length * width)
  const weights = new Float64Array(own.length * width)
  const lengths = new Uint8Array(own.length)
  for (let place = 0; place < own.length; place++) {
    const start = place * width
    const end = start + rarestWords(own[place]?.text ?? 0, index, terms, start)
    let square = 0
    for (let entry = start; entry < end; entry++) {
      const idf = Math.log(textsIn(index) / (index.texts[terms[entry] ?? 0] ?? 1))
      weights[entry] = idf
      square += idf * idf
    }
    const norm = Math.sqrt(square)
    for (let entry = start; entry < end; entry++) weights[entry] = (weights[entry] ?? 0) / norm
    lengths[place] = end - start
  }
  return { terms, weights, lengths }
}

/** Puts the rarest words of a text into `into` from `start` on, the rarest first. @returns how many, at most 24 */
function rarestWords(text: number, index: TermIndex, into: Int32Array, start: number): number {
  const { texts, hashes, isPair, terms, from } = index
  const all = textsIn(index)
  const fewest = Math.max(fewestTexts, all * smallestShare)
  const end = from[text + 1] ?? 0
  let found = 0
  for (let entry = from[text] ?? 0; entry < end; entry++) {
    const term = terms[entry] ?? 0
    const count = texts[term] ?? 0
    if (isPair[term] !== 0 || count < fewest || count >= all) continue
    const hash = hashes[term] ?? 0
    let place = start + found
    for (; place > start; place--) {
      const before = into[place - 1] ?? 0
      const countBefore = texts[before] ?? 0
      // Of equally rare ones the order must not depend on the other texts.
      if (countBefore < count || (countBefore === count && (hashes[before] ?? 0) < hash)) break
      if (place < start + width) into[place] = before
    }
    if (place < start + width) into[place] = term
    if (found < width) found++
  }
  return found
}

function textsIn({ from }: TermIndex): number {
  return from.length - 1
}

/**
 * Compares each text with those before it that are close enough in years. The texts with a term are chained from
 * the last to the first: heads[term] is one more than the entry of the last, next[entry] that of the one before.
 * @param texts in ascending order of years
 * @param heads zero for each term
 */
function compare(
  texts: readonly Numbered[],
  { terms, weights, lengths }: Vectors,
  heads: Int32Array,
  report: (a: number, b: number, cosine: number) => void,
): void {
  const next = new Int32Array(weights.length)
  const cosines = new Float64Array(texts.length)
  const touched = new Int32Array(texts.length)
  let start = 0
  for (const [place, { text, year }] of texts.entries()) {
    while ((texts[start]?.year ?? year) < year - mostYears) start++
    let count = 0
    const end = place * width + (lengths[place] ?? 0)
    for (let own = place * width; own < end; own++) {
      const term = terms[own] ?? 0
      const weight = weights[own] ?? 0
      const head = heads[term] ?? 0
      for (let entry = head; entry > start * width; entry = next[entry - 1] ?? 0) {
        const other = ((entry - 1) / width) | 0
        // No weight is 0, so that a text is touched once.
        if (cosines[other] === 0) touched[count++] = other
        cosines[other] = (cosines[other] ?? 0) + weight * (weights[entry - 1] ?? 0)
      }
      next[own] = head
      heads[term] = own + 1
    }
    for (let index = 0; index < count; index++) {
      const other = touched[index] ?? 0
      const cosine = cosines[other] ?? 0
      cosines[other] = 0
      if (cosine >= leastCosine) report(text, texts[other]?.text ?? 0, cosine)
    }
  }
}

/** Counts a neighbour and keeps it if it is among the most similar; of equally similar ones the first in order. */
function note(neighbours: Neighbours | undefined, other: number, cosine: number): void {
  if (neighbours === undefined) return
  neighbours.count++
  const { best } = neighbours
  const last = best.at(mostIds - 1)
  if (last !== undefined && last.cosine > cosine) return
  const place = best.findLastIndex((a) => a.cosine > cosine || (a.cosine === cosine && a.other < other)) + 1
  best.splice(place, 0, { other, cosine })
  if (best.length > mostIds) best.pop()
}

const width = 24
const fewestTexts = 3
const smallestShare = 0.004
const mostYears = 2
const leastCosine = 0.25
const mostIds = 10
