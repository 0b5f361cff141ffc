import { evaluate, type Evaluation, type Scenario } from './scenario.ts'
import { destructionProbability } from './vulnerability.ts'

/**
 * The set of measures with the highest net present value for everyone together, among all sets that respect what
 * measures require of each other and whose price is within the budget. Every set is looked at: effects do not add
 * up, so that a search which takes measures one at a time can miss the best. Of equal sets the one with fewer
 * measures wins, then the one that comes first in catalogue order. The empty set is one of them and worth 0.
 * @param budget USD that may be spent at once, compared to the cent; Infinity: no limit
 */
export function bestBundle(scenario: Scenario, budget: number): number {
  const { options, p, value, annuity, bareOdds, startWeight, startProbability } = scenario
  const limit = budget + halfCent
  let best = { set: 0, npv: 0 }
  addFrom(0, { set: 0, requires: 0, weight: startWeight, upfrontCost: 0, pvCost: 0 })
  return best.set

  /** Takes or leaves each option from `index` on; every set is offered once, when its last measure is added. */
  function addFrom(index: number, before: Partial): void {
    const option = options[index]
    if (option === undefined) return
    const upfrontCost = before.upfrontCost + option.upfrontCost
    if (upfrontCost <= limit) {
      const partial = {
        set: before.set | (1 << index),
        requires: before.requires | option.requires,
        weight: before.weight + option.weight,
        upfrontCost,
        pvCost: before.pvCost + option.pvCost,
      }
      if ((partial.requires & ~partial.set) === 0) offer(partial)
      addFrom(index + 1, partial)
    }
    addFrom(index + 1, before)
  }

  function offer({ set, weight, pvCost }: Partial): void {
    const avoided = p * (startProbability - destructionProbability(bareOdds, weight))
    const npv = avoided * value * annuity - pvCost
    if (npv > best.npv || (npv === best.npv && precedes(set, best.set))) best = { set, npv }
  }
}

/**
 * All measures that the home lacks, one after the other: each time the one that adds the most net present value per
 * dollar of present cost to those before it. Measures wait for what they require; equal ones, see
 * {@link equalRatios}, go in catalogue order.
 */
export function greedyOrder(scenario: Scenario): GreedyStep[] {
  const steps: GreedyStep[] = []
  let before = { set: 0, evaluation: evaluate(scenario, 0) }
  while (steps.length < scenario.options.length) {
    const step = nextStep(scenario, before)
    steps.push(step)
    before = { set: before.set | (1 << step.index), evaluation: step.cumulative }
  }
  return steps
}

function nextStep(scenario: Scenario, before: { set: number; evaluation: Evaluation }): GreedyStep {
  const steps = scenario.options.flatMap((option, index) => {
    const bit = 1 << index
    if (before.set & bit || option.requires & ~before.set) return []
    const cumulative = evaluate(scenario, before.set | bit)
    // From the probabilities: the difference of two long sums of money would have the rounding of both in it.
    const fewer = before.evaluation.destructionProbability - cumulative.destructionProbability
    const avoidedAnnualLoss = scenario.p * fewer * scenario.value
    const npv = avoidedAnnualLoss * scenario.annuity - option.pvCost
    return [{ index, npv, npvPerPvCost: npv / option.pvCost, avoidedAnnualLoss, cumulative }]
  })
  const best = steps.reduce((one, other) => (other.npvPerPvCost > one.npvPerPvCost ? other : one))
  return steps.find(({ npvPerPvCost }) => equalRatios(npvPerPvCost, best.npvPerPvCost)) ?? best
}

/** Whether net present values per dollar are the same but for rounding: they tell of nothing below 1e-9. */
function equalRatios(ratio: number, highest: number): boolean {
  return ratio === highest || highest - ratio <= 1e-9 * Math.max(1, Math.abs(ratio))
}

/** Whether a set of equal worth is preferred: fewer measures, then earlier ones. */
function precedes(set: number, other: number): boolean {
  const fewer = countOf(set) - countOf(other)
  if (fewer !== 0) return fewer < 0
  const lowestDifference = (set ^ other) & -(set ^ other)
  return (set & lowestDifference) !== 0
}

function countOf(set: number): number {
  let count = 0
  for (let rest = set; rest > 0; rest &= rest - 1) count++
  return count
}

/** A budget taken from an answer is rounded to cents; it must still pay for the bundle of that answer. */
const halfCent = 0.005

/** One measure on top of those before it; USD. */
export type GreedyStep = Readonly<{
  /** of the measure among the options */
  index: number
  npv: number
  npvPerPvCost: number
  /** a year */
  avoidedAnnualLoss: number
  /** of this measure and all before it */
  cumulative: Evaluation
}>

type Partial = Readonly<{
  set: number
  requires: number
  weight: number
  upfrontCost: number
  pvCost: number
}>
