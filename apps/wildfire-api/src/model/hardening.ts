import { bestBundle, greedyOrder, type GreedyStep } from './bundle.ts'
import type { Hazard } from './hazard.ts'
import { bareParts, type HardeningInput } from './input.ts'
import { caseNames, measureIds, type CaseName, type MeasureId } from './measures.ts'
import { evaluate, idsOf, openScenario, wholeSet, type Evaluation, type Scenario } from './scenario.ts'
import { verdictOn, type Verdict } from './verdict.ts'
import { warningsFor, type Warning } from './warnings.ts'

/** The name of this model, answered with every result: a changed formula gets a new name. */
export const hardeningModel = 'hardening-v1'

/**
 * What hardening a home costs and brings, measure by measure and for the best bundle within the budget; nothing is
 * rounded. Expected loss is p x d x value: fire arrives, it destroys the home, the home costs this much. Measures
 * act on the log-odds of d. Every number is finite; what cannot be computed is null.
 * @param input checked by the caller: within the ranges of HardeningInput
 */
export function calculateHardening(input: HardeningInput, hazard: Hazard): HardeningResult {
  const scenarios = byCase((name) => openScenario(input, hazard, name))
  const { central } = scenarios
  const best = bestBundle(central, input.budget ?? Infinity)
  const bundle = setResult(scenarios, best)
  const isLimited = input.budget !== undefined && best === 0
  return {
    hazard,
    baseline: {
      destructionProbability: central.startProbability,
      expectedAnnualLoss: central.p * central.startProbability * central.value,
      valueAtRisk: central.value,
    },
    allMeasures: setResult(scenarios, wholeSet(central)),
    bestBundle: { ...bundle, sensitivity: atHigherRate(input, hazard, best) },
    measures: measureResults(scenarios),
    notConsidered: notConsidered(input),
    verdict: verdictOn(input, central, bundle, isLimited ? bestBundle(central, Infinity) : best),
    warnings: warningsFor(input, hazard),
  }
}

function setResult(scenarios: Record<CaseName, Scenario>, set: number): SetResult {
  return {
    measures: idsOf(scenarios.central, set),
    ...byCase((name) => evaluate(scenarios[name], set)),
  }
}

/** The bundle at the rate that public agencies long used for such projects. */
function atHigherRate(input: HardeningInput, hazard: Hazard, set: number): Sensitivity {
  const { societal } = evaluate(openScenario({ ...input, discountRate: 0.07 }, hazard, 'central'), set)
  return { discountRate: 0.07, npv: societal.npv, bcr: societal.bcr }
}

function measureResults(scenarios: Record<CaseName, Scenario>): MeasureResult[] {
  const { central } = scenarios
  const order = greedyOrder(central)
  return order
    .map((step, rank) => ({ step, rank: rank + 1 }))
    .toSorted((a, b) => a.step.index - b.step.index)
    .flatMap(({ step, rank }) => {
      const option = central.options[step.index]
      if (option === undefined) return []
      const set = 1 << step.index
      return [
        {
          id: option.id,
          requires: idsOf(central, option.requires),
          // What is missing a requirement is nothing that could be done alone.
          alone: option.requires === 0 ? byCase((name) => evaluate(scenarios[name], set)) : null,
          upfrontCost: option.upfrontCost,
          pvCost: option.pvCost,
          marginal: { ...step, rank },
        },
      ]
    })
}

function notConsidered(input: HardeningInput): HardeningResult['notConsidered'] {
  const bare = bareParts(input)
  return measureIds
    .filter((id) => bare.includes(id) || input.existingMeasures.includes(id))
    .map((id) => ({ id, reason: bare.includes(id) ? 'nothing_to_harden' : 'already_in_place' }))
}

function byCase<T>(valueOf: (name: CaseName) => T): Record<CaseName, T> {
  return Object.fromEntries(caseNames.map((name) => [name, valueOf(name)])) as Record<CaseName, T> // one per name
}

/** Money in USD. */
export type HardeningResult = Readonly<{
  hazard: Hazard
  /** the home as it is */
  baseline: Readonly<{
    /** given that fire arrives */
    destructionProbability: number
    /** a year */
    expectedAnnualLoss: number
    /** building, contents and living elsewhere */
    valueAtRisk: number
  }>
  /** all measures that the home lacks */
  allMeasures: SetResult
  /** the set with the highest central societal net present value within the budget; it may be empty */
  bestBundle: SetResult & Readonly<{ sensitivity: Sensitivity }>
  /** one per measure that the home lacks, in catalogue order */
  measures: readonly MeasureResult[]
  /** the other measures of the catalogue */
  notConsidered: readonly Readonly<{ id: MeasureId; reason: 'already_in_place' | 'nothing_to_harden' }>[]
  verdict: Verdict
  warnings: readonly Warning[]
}>

/** A set of measures in each case. */
export type SetResult = Readonly<{ measures: readonly MeasureId[] } & Record<CaseName, Evaluation>>

/** The best bundle at another discount rate. */
export type Sensitivity = Readonly<{ discountRate: number; npv: number; bcr: number | null }>

/** Values alone and values on top of others; they do not add up to each other. */
export type MeasureResult = Readonly<{
  id: MeasureId
  /** measures that the home lacks and that must be in place with this one */
  requires: readonly MeasureId[]
  /** added to the home as it is; null while `requires` is not empty */
  alone: Readonly<Record<CaseName, Evaluation>> | null
  upfrontCost: number
  pvCost: number
  /** added to the home and all measures of lower rank */
  marginal: GreedyStep & Readonly<{ /** 1, 2, ... */ rank: number }>
}>
