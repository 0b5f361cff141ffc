import type { Category } from '../category.ts'
import type { Background } from './background.ts'
import { withoutFormulas } from './formulas.ts'
import { issuesOf, type Issue } from './issues.ts'
import { similarTexts, type Similar } from './similar.ts'
import { boilerplate, makes, stopWords, wordHashes } from './stop-words.ts'
import { indexTerms } from './term-index.ts'
import { createWordReader } from './words.ts'

/** What is mined of a complaint. */
export type Narrative = {
  readonly id: string
  readonly year: number
  /** The category it is counted under. */
  readonly category: Category
  readonly component: string
  /** Empty where unknown. */
  readonly text: string
  /** US dollars. */
  readonly repairCost: number | null
}

export type ModelContext = {
  /** Keys of make and model. */
  readonly make: string
  readonly model: string
  /** Make and model in all their spellings: their words say nothing about a defect. */
  readonly names: readonly string[]
  readonly background: Background
  /** Median repair cost of each category over all vehicles, US dollars. */
  readonly categoryCosts: Readonly<Partial<Record<Category, number>>>
}

/**
 * What the narratives of one make and model tell: its common issues by model year, and which complaints resemble
 * which.
 * @param complaints all of them, ordered by id
 * @returns issues by year and rank; similar complaints in the order of the complaints
 */
export function analyseModel(
  complaints: readonly Narrative[],
  context: ModelContext,
): { issues: Issue[]; similar: Similar[] } {
  const told = complaints
    .filter(({ text }) => text !== '')
    .map((complaint) => ({ ...complaint, text: withoutFormulas(complaint.text) }))
  const readWords = createWordReader(stopWords, boilerplate, makes, wordHashes(context.names))
  const index = indexTerms(
    told.map(({ text }) => text),
    readWords,
  )
  let texts = 0
  const indexed = complaints.map((complaint) => {
    if (complaint.text === '') return { ...complaint, indexed: null }
    return { ...(told[texts] ?? complaint), indexed: texts++ }
  })
  const years = [...Map.groupBy(indexed, ({ year }) => year)].sort(([a], [b]) => a - b)
  return {
    issues: years.flatMap(([year, own]) => issuesOf(year, own, index, context, readWords)),
    similar: similarTexts(told, index),
  }
}
