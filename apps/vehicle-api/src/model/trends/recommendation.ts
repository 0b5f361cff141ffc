import { ageOf } from '../age.ts'
import { categories, type Category } from '../category.ts'
import { basisFit, basisOf, isScored } from '../model-score.ts'
import { median, sum } from '../order-statistics.ts'
import type { ReliabilityFit } from '../reliability-fit.ts'
import { roundTo } from '../rounding.ts'
import type { CategoryCount, ModelYear } from '../vehicle-score.ts'

/** Which model years to look for and which to leave, in ascending order. */
export type Recommendation = {
  readonly best_years: readonly number[]
  readonly years_to_avoid: readonly number[]
  readonly reasoning: string
}

/**
 * Best are years that score 60 or more and are in the top third of the model, where the score can be relied on. To
 * be avoided are years that score under 40 and 10 points under the model's median, and those with an open recall
 * that says not to drive.
 * @param years on one basis
 */
export function recommend(
  years: readonly ModelYear[],
  counts: readonly CategoryCount[],
  fit: ReliabilityFit,
): Recommendation {
  const scored = years.filter(({ measure }) => isScored(measure))
  const scores = scored.map(({ measure }) => measure.score)
  const top = scores.toSorted((a, b) => b - a)[Math.ceil(scores.length / 3) - 1] ?? Infinity
  const typical = median(scores)
  const isPoor = ({ measure: { score } }: ModelYear) =>
    score < yearRules.poorBelow && score <= typical - yearRules.farBelow
  const good = scored.filter(({ measure, doNotDrive }) => {
    return !doNotDrive && measure.score >= yearRules.goodFrom && measure.score >= top
  })
  const best = good.filter((year) => doubtOf(year, fit) === null)
  const avoid = years.filter((year) => year.doNotDrive || (scored.includes(year) && isPoor(year)))
  const found = excesses(
    avoid.filter(({ measure }) => isScored(measure)),
    counts,
    fit,
  )
  return {
    best_years: best.map(({ year }) => year),
    years_to_avoid: avoid.map(({ year }) => year),
    reasoning: reasoning({ scored, good, best, avoid, excesses: found, all: years, fit }),
  }
}

/**
 * Why a score cannot be relied on, or null: its confidence is low. Where exposure is guessed from crashes it always
 * is; there the model years of one model may still be told apart where the guess rests on crashes enough.
 */
function doubtOf({ year, measure }: ModelYear, fit: ReliabilityFit): string | null {
  if (ageOf(year, fit.asOf) < fit.minimumAge) return `younger than ${fit.minimumAge} years`
  if (measure.basis !== 'crash_background') return measure.confidence === 'low' ? 'low confidence' : null
  const crashes = Math.round(measure.exposure * fit.kappa - fit.crashOffset)
  const { enoughCrashes } = yearRules
  return crashes < enoughCrashes
    ? `exposure guessed from fewer than ${enoughCrashes} crashes or injuries`
    : null
}

/** The categories in which vehicles have most more complaints than the average vehicle, at most two. */
function excesses(years: readonly ModelYear[], counts: readonly CategoryCount[], fit: ReliabilityFit) {
  const { categories: scales } = basisFit(fit, basisOf(years))
  const exposure = sum(years.map(({ measure }) => measure.exposure))
  const chosen = new Set(years.map(({ year }) => year))
  const own = counts.filter(({ year }) => chosen.has(year))
  return categories
    .map((category): Excess => {
      const complaints = sum(own.filter((count) => count.category === category).map((c) => c.complaints))
      const expected = scales[category].mu * exposure
      return { category, more: complaints - expected, times: complaints / expected }
    })
    .filter(({ more, times }) => more > 0 && times >= noteworthy)
    .sort((a, b) => b.more - a.more)
    .slice(0, 2)
}

function reasoning({ scored, good, best, avoid, excesses: found, all, fit }: Reasons): string {
  const doubtful = good.filter((year) => !best.includes(year))
  const sentences = [
    scored.length === 0 && 'No model year has enough complaints for a score.',
    best.length > 0 &&
      `Best: ${listOf(best)}, in the top third of the model and well above the median vehicle.`,
    scored.length > 0 && best.length === 0 && 'No model year stands out as reliable.',
    doubtful.length > 0 &&
      `Not relied on, though the score would do: ${listOf(doubtful, (year) => doubtOf(year, fit))}.`,
    avoid.length > 0 && `Avoid: ${listOf(avoid)}.`,
    found.length > 0 &&
      `They have ${found.map(wordsOf).join(' and ')} as the average vehicle in the same use.`,
    ...avoid
      .filter(({ doNotDrive }) => doNotDrive)
      .map(({ year }) => `An open recall says not to drive the ${year} model.`),
    all.some(({ measure }) => measure.basis === 'crash_background') &&
      'How many vehicles are on the road is guessed from reported crashes, so take this as a hint.',
  ]
  return sentences.filter((sentence) => sentence !== false).join(' ')
}

/** `2016 (score 70.1)`, with a remark on each where one is given. */
function listOf(
  years: readonly ModelYear[],
  remarkOn: (year: ModelYear) => string | null = () => null,
): string {
  return years
    .map((one) => {
      if (!isScored(one.measure)) return `${one.year} (too few complaints for a score)`
      const remark = remarkOn(one)
      return `${one.year} (score ${one.measure.score.toFixed(1)}${remark === null ? '' : `, ${remark}`})`
    })
    .join(', ')
}

function wordsOf({ category, times }: Excess): string {
  return `${roundTo(times, 1).toFixed(1)} times as many complaints about ${nouns[category]}`
}

/** When a model year is recommended, or advised against. */
export const yearRules = {
  goodFrom: 60,
  poorBelow: 40,
  /** Points under the median of the model. */
  farBelow: 10,
  /** From 25 on the error of a count is a fifth or less. */
  enoughCrashes: 25,
} as const

/** Times the average from which an excess is spoken of. */
const noteworthy = 1.2

const nouns: Readonly<Record<Category, string>> = {
  ...{ engine: 'the engine', transmission: 'the transmission', electrical: 'electrics', brakes: 'brakes' },
  ...{ suspension: 'the suspension', steering: 'steering', interior: 'the interior' },
  ...{ exterior: 'the body', safety: 'safety equipment', other: 'other things' },
}

type Excess = { readonly category: Category; readonly more: number; readonly times: number }

type Reasons = {
  readonly all: readonly ModelYear[]
  readonly scored: readonly ModelYear[]
  /** Best, if their scores could all be relied on. */
  readonly good: readonly ModelYear[]
  readonly best: readonly ModelYear[]
  readonly avoid: readonly ModelYear[]
  readonly excesses: readonly Excess[]
  readonly fit: ReliabilityFit
}
