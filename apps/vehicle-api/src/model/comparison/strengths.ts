import type { Category } from '../category.ts'
import { sum } from '../order-statistics.ts'
import type { BasisFit } from '../reliability-fit.ts'
import { roundTo } from '../rounding.ts'
import { shareAbove, shareBelow } from '../score-shares.ts'
import type { Contender } from './compare-vehicles.ts'

/**
 * At most three, the greatest lead first: categories clearly better than usual and than the others compared.
 * @param fit that of the basis they are compared on
 */
export function strengthsOf(
  contender: Contender,
  all: readonly Contender[],
  only: readonly Category[],
  fit: BasisFit,
): string[] {
  return leadsOf(contender, all, only)
    .map((lead) => ({ ...lead, share: shareBelow(lead.score, fit.categories[lead.category]) }))
    .filter(
      ({ score, lead, share }) => score >= strongFrom && lead >= clear && (share ?? Infinity) >= mostFrom,
    )
    .sort((a, b) => b.lead - a.lead)
    .slice(0, 3)
    .map(({ category, share, lead }) => {
      return `${category}: better than ${vehicles(share)}, ${points(lead)} above the others compared`
    })
}

/**
 * The same in the other direction, with complaints enough that it is more than an incident; after an open recall
 * that says not to drive.
 */
export function weaknessesOf(
  contender: Contender,
  all: readonly Contender[],
  only: readonly Category[],
  fit: BasisFit,
): string[] {
  const weak = leadsOf(contender, all, only)
    .filter(({ category }) => (contender.categoryComplaints[category] ?? 0) >= fewest)
    .map((lead) => ({ ...lead, share: shareAbove(lead.score, fit.categories[lead.category]) }))
    .filter(
      ({ score, lead, share }) => score <= weakUpTo && lead <= -clear && (share ?? Infinity) >= mostFrom,
    )
    .sort((a, b) => a.lead - b.lead)
    .slice(0, 3)
    .map(({ category, share, lead }) => {
      return `${category}: worse than ${vehicles(share)}, ${points(-lead)} below the others compared`
    })
  return contender.doNotDrive ? ['recall: an open recall says not to drive it', ...weak] : weak
}

/** How far each category lies above the mean of the other vehicles; nothing for a vehicle without a score. */
function leadsOf(contender: Contender, all: readonly Contender[], only: readonly Category[]) {
  const others = all.filter((other) => other !== contender && other.isScored)
  if (!contender.isScored || others.length === 0) return []
  return only.map((category) => {
    const score = contender.measure.categoryScores[category]
    const mean = sum(others.map(({ measure }) => measure.categoryScores[category])) / others.length
    return { category, score, lead: score - mean }
  })
}

/** Where the data were imported before shares were counted, the score tells that much. */
function vehicles(share: number | null): string {
  return share === null ? 'the median vehicle' : `${share} % of the reference vehicles`
}

function points(lead: number): string {
  const rounded = roundTo(lead, 0)
  return rounded === 1 ? '1 point' : `${rounded} points`
}

export const strongFrom = 60
export const weakUpTo = 40

/** Per cent of vehicles: what most are alike in is neither a strength nor a weakness. */
export const mostFrom = 60

/** Complaints of a category; one or two are incidents, and it takes as many for a common issue. */
export const fewest = 3

/** Points by which a vehicle must differ from the others. */
export const clear = 10
