import { ageOf, minimumAge } from '../age.ts'
import { categories, type Category } from '../category.ts'
import { basisFit, basisOf, isScored, onOneBasis } from '../model-score.ts'
import { median, sum } from '../order-statistics.ts'
import type { ReliabilityFit } from '../reliability-fit.ts'
import { roundTo } from '../rounding.ts'
import type { CategoryCount, Measure, ModelYear } from '../vehicle-score.ts'

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
 */
export function recommend(
  years: readonly ModelYear[],
  counts: readonly CategoryCount[],
  fit: ReliabilityFit,
): Recommendation {
  const measures = onOneBasis(years)
  const all = years.map((year, index) => ({ ...year, measure: measures[index] ?? year.measure }))
  const scored = all.filter(({ measure }) => isScored(measure))
  const scores = scored.map(({ measure }) => measure.score)
  const top = scores.toSorted((a, b) => b - a)[Math.ceil(scores.length / 3) - 1] ?? Infinity
  const typical = median(scores)
  const isPoor = ({ measure: { score } }: ModelYear) => score < poorBelow && score <= typical - farBelow
  const best = scored.filter(({ year, measure, doNotDrive }) => {
    return !doNotDrive && measure.score >= goodFrom && measure.score >= top && isReliable(year, measure, fit)
  })
  const avoid = all.filter((year) => year.doNotDrive || (scored.includes(year) && isPoor(year)))
  return {
    best_years: best.map(({ year }) => year),
    years_to_avoid: avoid.map(({ year }) => year),
    reasoning: reasoning({ scored, best, avoid, excesses: excesses(avoid, counts, fit), all }),
  }
}

/**
 * Whether the confidence is not low; where exposure is guessed from crashes it always is, and there the model years
 * of one model may still be told apart where the guess rests on crashes enough.
 */
function isReliable(year: number, measure: Measure, fit: ReliabilityFit): boolean {
  if (measure.basis !== 'crash_background') return measure.confidence !== 'low'
  const crashes = measure.exposure * fit.kappa - fit.crashOffset
  return crashes >= enoughCrashes && ageOf(year, fit.asOf) >= minimumAge
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

function reasoning({ scored, best, avoid, excesses: found, all }: Reasons): string {
  const sentences = [
    scored.length === 0 && 'No model year has enough complaints for a score.',
    best.length > 0 &&
      `Best: ${listOf(best)}, in the top third of the model and well above the median vehicle.`,
    scored.length > 0 && best.length === 0 && 'No model year stands out as reliable.',
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

function listOf(years: readonly ModelYear[]): string {
  return years.map(({ year, measure }) => `${year} (score ${measure.score.toFixed(1)})`).join(', ')
}

function wordsOf({ category, times }: Excess): string {
  return `${roundTo(times, 1).toFixed(1)} times as many complaints about ${nouns[category]}`
}

const goodFrom = 60
const poorBelow = 40
const farBelow = 10

/** From 25 on the error of a count is a fifth or less. */
const enoughCrashes = 25

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
  readonly best: readonly ModelYear[]
  readonly avoid: readonly ModelYear[]
  readonly excesses: readonly Excess[]
}
