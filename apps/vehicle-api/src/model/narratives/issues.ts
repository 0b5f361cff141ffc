import { createHash } from 'node:crypto'
import { averageCost } from '../average-cost.ts'
import { categories, type Category } from '../category.ts'
import { isUnspecific } from '../components.ts'
import { sorted } from '../order-statistics.ts'
import type { ModelContext, Narrative } from './analyse-model.ts'
import type { Background } from './background.ts'
import { keysOf, mergeGroups } from './merge-groups.ts'
import { phraseOf, wordsOf, type Phrase, type ReadWords } from './quotation.ts'
import { tellingSentence } from './sentence.ts'
import { distinctiveTerms, groupByTerm, minimumReports } from './term-groups.ts'
import { termsOf, type TermIndex } from './term-index.ts'
import { singular } from './words.ts'

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
 * The ten most frequent issues of a model year: groups of complaints that share a category and a phrase; those counted
 * under `other` join the same phrase of a category that says more. Complaints without a narrative are grouped by
 * component, unless that says nothing, and so are all where narratives show no issue.
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
  const found = [...fromTexts, ...issuesFromComponents(rest)].sort(bySize)
  return largest(found)
    .sort(bySize)
    .map((issue, rank) => issueRow(issue, { year, rank: rank + 1, of: complaints.length }, context))
}

/** Complaints about the same thing. */
type FoundIssue = {
  readonly category: Category
  /** Decides between issues with equally many reports. */
  readonly key: string
  readonly words: () => Told
  readonly reports: readonly Narrative[]
}

type Told = Omit<Phrase, 'isDenied'> & { readonly sentence: string }

/** An issue that has been put into words. */
type ToldIssue = Omit<FoundIssue, 'words'> & { readonly told: Told }

/**
 * The largest ones. Those that read the same, such as the component `Engine` and what texts tell of the engine, are one
 * if they are of one category, or one of them of `other`.
 * @param found the largest first
 */
function largest(found: readonly FoundIssue[]): ToldIssue[] {
  const kept: ToldIssue[] = []
  for (const { words, ...issue } of found) {
    const told = words()
    const same = kept.findIndex((other) => isSame(other, { ...issue, told }))
    const [first] = same < 0 ? [] : kept.splice(same, 1)
    if (first !== undefined) {
      const named = first.category === 'other' ? { ...issue, told } : first
      kept.push({ ...named, reports: [...first.reports, ...issue.reports] })
    } else if (kept.push({ ...issue, told }) === mostIssues) break
  }
  return kept
}

function isSame(a: ToldIssue, b: ToldIssue): boolean {
  if (a.category !== b.category && a.category !== 'other' && b.category !== 'other') return false
  const keys = keysOf(wordsIn(a.told.shown))
  return keysOf(wordsIn(b.told.shown)).some((key) => keys.includes(key))
}

function wordsIn(phrase: string): string[] {
  return phrase
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map(singular)
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
  const hashOf = (term: number) => index.hashes[term] ?? 0
  const textOf = (text: number) => byText.get(text)?.text ?? ''
  const groups = mergeGroups(groupByTerm(texts, index, terms), ({ term, texts: own }) =>
    wordsOf(hashOf(term), own.map(textOf), readWords),
  )
  return groups.map(({ category, term, texts: numbers }) => {
    const words = () => {
      const hash = hashOf(term)
      const told = numbers.filter((text) => termsOf(text, index).includes(term)).map(textOf)
      const phrase = phraseOf(hash, told, readWords)
      const sentence = tellingSentence({ hash, isDenied: phrase.isDenied }, told, weights, readWords)
      return { ...phrase, sentence }
    }
    return {
      category,
      key: String(hashOf(term)),
      words,
      reports: numbers.flatMap((text) => byText.get(text) ?? []),
    }
  })
}

function issuesFromComponents(complaints: readonly Narrative[]): FoundIssue[] {
  const groups = Map.groupBy(complaints, ({ category, component }) => `${category} ${component}`)
  return [...groups.values()].flatMap((reports) => {
    const [first] = reports
    if (first === undefined || reports.length < minimumReports || isUnspecific(first.component)) return []
    const { category, component } = first
    const words = () => ({ canonical: component.toLowerCase(), shown: component, sentence: '' })
    return [{ category, key: component, words, reports }]
  })
}

function issueRow(
  { category, told, reports }: ToldIssue,
  { year, rank, of }: { year: number; rank: number; of: number },
  { make, model, categoryCosts }: ModelContext,
): Issue {
  const costs = sorted(reports.flatMap(({ repairCost }) => repairCost ?? []))
  const { average, estimated } = averageCost(costs, categoryCosts[category] ?? null)
  const { canonical, shown, sentence } = told
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

type Sized = Pick<FoundIssue, 'category' | 'key' | 'reports'>

/** The largest first. */
function bySize(a: Sized, b: Sized): number {
  return b.reports.length - a.reports.length || order(a, b)
}

function order(a: Sized, b: Sized): number {
  return categories.indexOf(a.category) - categories.indexOf(b.category) || (a.key < b.key ? -1 : 1)
}

const mostIssues = 10
