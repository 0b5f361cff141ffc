import { categories, type Category } from '../category.ts'
import type { Background } from './background.ts'
import { distinctiveness } from './log-odds.ts'
import { termsOf, type TermIndex } from './term-index.ts'

/** Fewer reports are no issue. */
export const minimumReports = 3

/** Texts of one category that share a term, which is distinctive of the vehicle. */
export type TermGroup = {
  readonly category: Category
  readonly term: number
  /** Numbers of the texts in the index, ascending. */
  readonly texts: readonly number[]
}

/** By term: how distinctive of the vehicle it is, in standard deviations, and how many of its texts have it. */
export type DistinctiveTerms = ReadonlyMap<number, { readonly z: number; readonly count: number }>

/** A text of the index and the category of its complaint. */
export type Text = { readonly text: number; readonly category: Category }

/** The terms that occur in three texts of a vehicle or more, and there more often than elsewhere. */
export function distinctiveTerms(
  texts: readonly Text[],
  index: TermIndex,
  background: Background,
): DistinctiveTerms {
  const found = new Map<number, { z: number; count: number }>()
  if (texts.length < minimumReports) return found
  const { tally: counts, hashes, isPair } = index
  const frequent: number[] = []
  let total = 0
  eachEntry(texts, index, (term) => {
    const count = (counts[term] ?? 0) + 1
    counts[term] = count
    if (count === minimumReports) frequent.push(term)
  })
  for (const { text } of texts) total += index.distinct[text] ?? 0
  for (const term of frequent) {
    const count = counts[term] ?? 0
    const z = distinctiveness(count, total, hashes[term] ?? 0, background)
    if (z >= (isPair[term] === 1 ? leastPair : leastWord)) found.set(term, { z, count })
  }
  eachEntry(texts, index, (term) => {
    counts[term] = 0
  })
  return found
}

function eachEntry(texts: readonly Text[], { terms, from }: TermIndex, visit: (term: number) => void): void {
  for (const { text } of texts) {
    const end = from[text + 1] ?? 0
    for (let entry = from[text] ?? 0; entry < end; entry++) visit(terms[entry] ?? 0)
  }
}

/**
 * Parts texts of a vehicle into groups: in each category the most distinctive term takes all texts that have it,
 * then the most distinctive one of the texts that are left, and so on, so that no text is counted twice.
 */
export function groupByTerm(texts: readonly Text[], index: TermIndex, terms: DistinctiveTerms): TermGroup[] {
  if (terms.size === 0) return []
  const { tally: isTelling } = index
  for (const term of terms.keys()) isTelling[term] = 1
  const groups = categories.flatMap((category) => {
    const own = texts.filter((text) => text.category === category)
    if (own.length < minimumReports) return []
    const telling = own.map(({ text }) => ({
      text,
      terms: termsOf(text, index).filter((term) => isTelling[term] === 1),
    }))
    return groupsOf(category, telling, terms)
  })
  for (const term of terms.keys()) isTelling[term] = 0
  return groups
}

function groupsOf(
  category: Category,
  texts: readonly { readonly text: number; readonly terms: Int32Array }[],
  terms: DistinctiveTerms,
): TermGroup[] {
  const groups: TermGroup[] = []
  let left = texts
  const counts = countsOf(texts.map((entry) => entry.terms))
  for (;;) {
    const term = strongest(counts, terms)
    if (term === undefined) return groups
    const own = left.filter((entry) => entry.terms.includes(term))
    left = left.filter((entry) => !entry.terms.includes(term))
    for (const entry of own) for (const gone of entry.terms) counts.set(gone, (counts.get(gone) ?? 0) - 1)
    groups.push({ category, term, texts: own.map(({ text }) => text) })
  }
}

/** Standard deviations grow with the root of the number of texts: this is what they are for the texts left. */
function strongest(counts: ReadonlyMap<number, number>, terms: DistinctiveTerms): number | undefined {
  let best: number | undefined
  let most = 0
  for (const [term, left] of counts) {
    const { z, count } = terms.get(term) ?? { z: 0, count: 1 }
    const weight = z * Math.sqrt(left / count)
    if (left < minimumReports || weight <= most) continue
    best = term
    most = weight
  }
  return best
}

function countsOf(lists: readonly Int32Array[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const list of lists) for (const term of list) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** In standard deviations. Two words together say more than one, of which some stand out by chance. */
const leastPair = 2
const leastWord = 3.5
