import type { Category } from '../category.ts'
import { sum } from '../order-statistics.ts'
import { roundTo } from '../rounding.ts'
import type { Contender } from './compare-vehicles.ts'

/** At most three, the greatest lead first: categories clearly better than usual and than the others compared. */
export function strengthsOf(
  contender: Contender,
  all: readonly Contender[],
  only: readonly Category[],
): string[] {
  return leadsOf(contender, all, only)
    .filter(({ score, lead }) => score >= strongFrom && lead >= clear)
    .sort((a, b) => b.lead - a.lead)
    .slice(0, 3)
    .map(({ category, score, lead }) => {
      return `${category}: better than ${share(score)} of all vehicles, ${points(lead)} above the others compared`
    })
}

/** The same in the other direction, after an open recall that says not to drive. */
export function weaknessesOf(
  contender: Contender,
  all: readonly Contender[],
  only: readonly Category[],
): string[] {
  const weak = leadsOf(contender, all, only)
    .filter(({ score, lead }) => score <= weakUpTo && lead <= -clear)
    .sort((a, b) => a.lead - b.lead)
    .slice(0, 3)
    .map(({ category, score, lead }) => {
      return `${category}: worse than ${share(100 - score)} of all vehicles, ${points(-lead)} below the others compared`
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

/** A category score is the share of vehicles that are worse. */
function share(score: number): string {
  return `${Math.round(score)} %`
}

function points(lead: number): string {
  const rounded = roundTo(lead, 0)
  return rounded === 1 ? '1 point' : `${rounded} points`
}

const strongFrom = 60
const weakUpTo = 40

/** Points by which a vehicle must differ from the others. */
const clear = 10
