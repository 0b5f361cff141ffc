import { homeQuantities } from './geometry.ts'
import type { Hazard } from './hazard.ts'
import { bareParts, type HardeningInput } from './input.ts'
import { measures, type CaseName, type Measure, type MeasureId } from './measures.ts'
import { bareLogOdds, destructionProbability, weightOf } from './vulnerability.ts'
import { annuity, presentCost, worthOf, type Worth } from './worth.ts'

/**
 * A home in one case: what it loses today and what each measure it lacks would cost and change. Sets of those
 * measures are bit masks: bit i is options[i].
 */
export function openScenario(input: HardeningInput, hazard: Hazard, caseName: CaseName): Scenario {
  const missing = missingMeasures(input)
  const value = input.replacementCost * (1 + input.contentsRatio + input.aleRatio)
  const startWeight = measures.reduce(
    (sum, measure) => (missing.includes(measure) ? sum : sum + weightOf(measure, caseName)),
    0,
  )
  const bareOdds = bareLogOdds(hazard.d0, caseName)
  return {
    options: missing.map((measure) => optionOf(measure, missing, input, caseName)),
    p: Math.min(1, hazard.p * Math.exp(hazardShift[caseName])),
    value,
    // What is not insured and the deductible cannot come to more than the whole loss.
    ownValue: Math.min(value, input.deductible + input.uninsuredShare * value),
    bareOdds,
    startWeight,
    startProbability: destructionProbability(bareOdds, startWeight),
    annualPremium: input.annualPremium,
    annuity: annuity(input.discountRate, input.horizonYears),
  }
}

/** What a set of measures costs and brings. Nothing is rounded. */
export function evaluate(scenario: Scenario, set: number): Evaluation {
  const chosen = scenario.options.filter((_, index) => set & (1 << index))
  const total = (pick: (option: Option) => number, from = 0) =>
    chosen.reduce((sum, option) => sum + pick(option), from)
  const cost = {
    upfrontCost: total((option) => option.upfrontCost),
    upkeep: total((option) => option.upkeep),
    pvCost: total((option) => option.pvCost),
  }
  const weight = total((option) => option.weight, scenario.startWeight)
  const probability = destructionProbability(scenario.bareOdds, weight)
  const avoided = scenario.p * (scenario.startProbability - probability)
  const discount = 1 - chosen.reduce((kept, option) => kept * (1 - option.discount), 1)
  const premiumSaving = scenario.annualPremium * Math.min(largestDiscount, discount)
  const ownAvoidedLoss = avoided * scenario.ownValue
  return {
    ...cost,
    destructionProbability: probability,
    riskReduction: 1 - probability / scenario.startProbability,
    avoidedAnnualLoss: avoided * scenario.value,
    societal: worthOf(avoided * scenario.value, cost, scenario.annuity),
    household: {
      ...worthOf(premiumSaving + ownAvoidedLoss, cost, scenario.annuity),
      premiumSaving,
      ownAvoidedLoss,
    },
  }
}

/** The ids of a set, in catalogue order. */
export function idsOf(scenario: Scenario, set: number): MeasureId[] {
  return scenario.options.filter((_, index) => set & (1 << index)).map(({ id }) => id)
}

/** The set of all measures that the home lacks. */
export function wholeSet(scenario: Scenario): number {
  return (1 << scenario.options.length) - 1
}

/** The measures that a home lacks, in catalogue order. */
export function missingMeasures(input: HardeningInput): readonly Measure[] {
  const inPlace: ReadonlySet<MeasureId> = new Set([...input.existingMeasures, ...bareParts(input)])
  return measures.filter(({ id }) => !inPlace.has(id))
}

/** Share of the premium that is counted for a measure: what the request says, else the catalogue's in California. */
export function discountOf(
  { id, discount }: Measure,
  { premiumDiscounts, state }: HardeningInput,
  caseName: CaseName,
): number {
  return premiumDiscounts[id] ?? (state === 'CA' ? discount[caseName] : 0)
}

function optionOf(
  measure: Measure,
  missing: readonly Measure[],
  input: HardeningInput,
  caseName: CaseName,
): Option {
  const upfrontCost = measure.unitCost[caseName] * homeQuantities(input)[measure.quantity]
  const outlay = { upfrontCost, upkeep: measure.upkeep, lifeYears: measure.lifeYears }
  const bits = missing.map(({ id }, index) => (measure.requires.includes(id) ? 1 << index : 0))
  return {
    id: measure.id,
    upfrontCost,
    upkeep: measure.upkeep,
    pvCost: presentCost(outlay, input.discountRate, input.horizonYears),
    weight: weightOf(measure, caseName),
    discount: discountOf(measure, input, caseName),
    requires: bits.reduce((mask, bit) => mask | bit, 0),
  }
}

/** ln of the factor on the burn probability: about a third more or a quarter less. */
const hazardShift: Readonly<Record<CaseName, number>> = { optimistic: 0.3, central: 0, pessimistic: -0.3 }

/** Most of the premium that discounts take off together. */
const largestDiscount = 0.2

export type Scenario = Readonly<{
  /** the measures that the home lacks, in catalogue order */
  options: readonly Option[]
  /** annual probability that fire arrives */
  p: number
  /** USD that a destroyed home costs: building, contents, living elsewhere */
  value: number
  /** USD of that which the household bears itself */
  ownValue: number
  /** log-odds of destruction with nothing in place */
  bareOdds: number
  /** weight of what is in place today */
  startWeight: number
  /** probability of destruction today, given that fire arrives */
  startProbability: number
  /** USD */
  annualPremium: number
  /** value today of one dollar a year over the horizon */
  annuity: number
}>

/** A measure at this home, in this case; USD. */
export type Option = Readonly<{
  id: MeasureId
  upfrontCost: number
  /** a year */
  upkeep: number
  pvCost: number
  weight: number
  /** share of the premium */
  discount: number
  /** set of the options that must be taken with it */
  requires: number
}>

/** USD unless said otherwise. */
export type Evaluation = Readonly<{
  upfrontCost: number
  /** a year */
  upkeep: number
  /** value today of price, replacements and upkeep */
  pvCost: number
  /** with the set in place, given that fire arrives */
  destructionProbability: number
  /** share of today's expected loss that the set avoids */
  riskReduction: number
  /** a year, whoever bears it */
  avoidedAnnualLoss: number
  /** for everyone together, insurers included */
  societal: Worth
  /** for the household alone */
  household: Worth & Readonly<{ premiumSaving: number; ownAvoidedLoss: number }>
}>
