import { createHash } from 'node:crypto'
import { averageCost } from '../average-cost.ts'
import { categories, type Category } from '../category.ts'
import { sorted } from '../order-statistics.ts'
import type { ModelContext, Narrative } from './analyse-model.ts'
import type { Background } from './background.ts'
import { phraseOf, type Phrase, type ReadWords } from './quotation.ts'
import { tellingSentence } from './sentence.ts'
import { distinctiveTerms, groupByTerm, minimumReports } from './term-groups.ts'
import type { TermIndex } from './term-index.ts'

/** A common issue of a model year: a row of table `issue`. */
export type Issue = {
  readonly year: number
  /** 1, 2, 3: the most frequent first. */
  readonly rank: number
  /** The same for the same issue of all years of a model. */
  readonly id: string
  readonly category: Category
  readonly phrase: string
  readonly description: string
  readonly frequency: Frequency
  readonly reportCount: number
  /** US dollars; null where nothing is known. */
  readonly avgRepairCost: number | null
  /** Whether that is what such repairs cost on all vehicles. */
  readonly costEstimated: boolean
}

export const frequencies = ['very_common', 'common', 'occasional', 'rare'] as const

export type Frequency = (typeof frequencies)[number]

/** A complaint, and the number of its text in the index; null where it has none. */
export type IndexedNarrative = Narrative & { readonly indexed: number | null }

/**
 * The ten most frequent issues of a model year: groups of complaints that share a category and a phrase. Complaints
 * without a narrative are grouped by component, and so are all where narratives show no issue.
 * @param complaints of one model year
 */
export function issuesOf(
  year: number,
  complaints: readonly IndexedNarrative[],
  index: TermIndex,
  context: ModelContext,
  readWords: ReadWords,
): Issue[] {
  const fromTexts = issuesFromTexts(complaints, index, context.background, readWords)
  const rest = fromTexts.length === 0 ? complaints : complaints.filter(({ indexed }) => indexed === null)
  return [...fromTexts, ...issuesFromComponents(rest)]
    .sort((a, b) => b.reports.length - a.reports.length || order(a, b))
    .slice(0, mostIssues)
    .map((issue, rank) => issueRow(issue, { year, rank: rank + 1, of: complaints.length }, context))
}

/** Complaints about the same thing. */
type FoundIssue = {
  readonly category: Category
  /** Decides between issues with equally many reports. */
  readonly key: string
  readonly words: () => Phrase & { readonly sentence: string }
  readonly reports: readonly Narrative[]
}

function issuesFromTexts(
  complaints: readonly IndexedNarrative[],
  index: TermIndex,
  background: Background,
  readWords: ReadWords,
): FoundIssue[] {
  const byText = new Map(
    complaints.flatMap((complaint): [number, Narrative][] =>
      complaint.indexed === null ? [] : [[complaint.indexed, complaint]],
    ),
  )
  const texts = [...byText].map(([text, { category }]) => ({ text, category }))
  const terms = distinctiveTerms(texts, index, background)
  const weights = new Map([...terms].map(([term, { z }]) => [index.hashes[term] ?? 0, z]))
  return groupByTerm(texts, index, terms).map(({ category, term, texts: numbers }) => {
    const reports = numbers.flatMap((number) => byText.get(number) ?? [])
    const told = reports.map(({ text }) => text)
    const hash = index.hashes[term] ?? 0
    const words = () => ({
      ...phraseOf(hash, told, readWords),
      sentence: tellingSentence(hash, told, weights, readWords),
    })
    return { category, key: String(hash), words, reports }
  })
}

function issuesFromComponents(complaints: readonly Narrative[]): FoundIssue[] {
  const groups = Map.groupBy(complaints, ({ category, component }) => `${category} ${component}`)
  return [...groups.values()].flatMap((reports) => {
    const [first] = reports
    if (first === undefined || reports.length < minimumReports) return []
    const { category, component } = first
    const words = () => ({ canonical: component.toLowerCase(), shown: component, sentence: '' })
    return [{ category, key: component, words, reports }]
  })
}

function issueRow(
  { category, words, reports }: FoundIssue,
  { year, rank, of }: { year: number; rank: number; of: number },
  { make, model, categoryCosts }: ModelContext,
): Issue {
  const costs = sorted(reports.flatMap(({ repairCost }) => repairCost ?? []))
  const { average, estimated } = averageCost(costs, categoryCosts[category] ?? null)
  const { canonical, shown, sentence } = words()
  const phrase = shown.charAt(0).toUpperCase() + shown.slice(1)
  return {
    ...{ year, rank, id: issueId(make, model, category, canonical), category, phrase },
    description: `${phrase} (${reports.length} reports)${sentence === '' ? '' : `: ${sentence}`}`,
    frequency: frequencyOf(reports.length / of),
    reportCount: reports.length,
    ...{ avgRepairCost: average, costEstimated: estimated },
  }
}

function issueId(make: string, model: string, category: Category, canonical: string): string {
  const hash = createHash('sha256').update([make, model, category, canonical].join('\n')).digest('hex')
  return `iss_${hash.slice(0, 12)}`
}

function frequencyOf(share: number): Frequency {
  if (share >= 0.25) return 'very_common'
  if (share >= 0.1) return 'common'
  return share >= 0.03 ? 'occasional' : 'rare'
}

function order(a: FoundIssue, b: FoundIssue): number {
  return categories.indexOf(a.category) - categories.indexOf(b.category) || (a.key < b.key ? -1 : 1)
}

const mostIssues = 10
