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
  const lists = texts.map(({ text }) => termsOf(text, index))
  const total = lists.reduce((sum, { length }) => sum + length, 0)
  const found = new Map<number, { z: number; count: number }>()
  for (const [term, count] of countsOf(lists)) {
    if (count < minimumReports) continue
    const z = distinctiveness(count, total, index.hashes[term] ?? 0, background)
    if (z >= (index.isPair[term] === 1 ? leastPair : leastWord)) found.set(term, { z, count })
  }
  return found
}

/**
 * Parts texts of a vehicle into groups: in each category the most distinctive term takes all texts that have it,
 * then the most distinctive one of the texts that are left, and so on, so that no text is counted twice.
 */
export function groupByTerm(texts: readonly Text[], index: TermIndex, terms: DistinctiveTerms): TermGroup[] {
  return categories.flatMap((category) => {
    const own = texts.filter((text) => text.category === category)
    return own.length < minimumReports ? [] : groupsOf(category, own, index, terms)
  })
}

function groupsOf(
  category: Category,
  texts: readonly Text[],
  index: TermIndex,
  terms: DistinctiveTerms,
): TermGroup[] {
  const groups: TermGroup[] = []
  let left = texts.map(({ text }) => ({
    text,
    terms: termsOf(text, index).filter((term) => terms.has(term)),
  }))
  const counts = countsOf(left.map((entry) => entry.terms))
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
