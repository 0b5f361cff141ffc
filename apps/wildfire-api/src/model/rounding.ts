import type { GreedyStep } from './bundle.ts'
import type { HardeningResult, MeasureResult, SetResult } from './hardening.ts'
import type { Evaluation } from './scenario.ts'
import { finiteOrNull, type Worth } from './worth.ts'

/**
 * Nearest decimal with `places` digits after the point, ties away from zero; never -0. Exact by definition of
 * toFixed for values below 1e21.
 * @param places whole, 0..9
 */
export function roundTo(x: number, places: number): number {
  return Number(x.toFixed(places)) + 0
}

/** What was found, as it is answered: USD to cents, probabilities and shares to their last meaningful digits. */
export function roundResult(result: HardeningResult): RoundedResult {
  const { hazard, baseline, allMeasures, bestBundle } = result
  return {
    hazard: {
      p: roundTo(hazard.p, 9),
      d0: probability(hazard.d0),
      source: hazard.source,
      d0Source: hazard.d0Source,
    },
    baseline: {
      destructionProbability: probability(baseline.destructionProbability),
      expectedAnnualLoss: money(baseline.expectedAnnualLoss),
      valueAtRisk: money(baseline.valueAtRisk),
    },
    societal: { allMeasures: societalView(allMeasures), bestBundle: societalView(bestBundle) },
    household: { allMeasures: householdView(allMeasures), bestBundle: householdView(bestBundle) },
    measures: result.measures.map(roundMeasure),
    notConsidered: result.notConsidered,
    bestBundle: roundBundle(bestBundle),
    verdict: result.verdict,
  }
}

function societalView(set: SetResult) {
  const { central } = set
  return {
    ...roundWorth(central.societal),
    upfrontCost: money(central.upfrontCost),
    pvCost: money(central.pvCost),
    range: range(set, ({ societal }) => roundNpv(societal)),
  }
}

function householdView(set: SetResult) {
  const { central } = set
  const { premiumSaving, ownAvoidedLoss, ...worth } = central.household
  return {
    premiumSaving: money(premiumSaving),
    ownAvoidedLoss: money(ownAvoidedLoss),
    ...roundWorth(worth),
    upfrontCost: money(central.upfrontCost),
    pvCost: money(central.pvCost),
    range: range(set, ({ household }) => roundNpv(household)),
  }
}

function roundBundle(bundle: HardeningResult['bestBundle']) {
  const { central, sensitivity } = bundle
  const { npv, bcr, paybackYears } = roundWorth(central.societal)
  return {
    measures: bundle.measures,
    upfrontCost: money(central.upfrontCost),
    avoidedAnnualLoss: money(central.avoidedAnnualLoss),
    pvCost: money(central.pvCost),
    ...{ npv, bcr, paybackYears },
    destructionProbability: probability(central.destructionProbability),
    riskReduction: probability(central.riskReduction),
    range: range(bundle, aloneView),
    sensitivity: {
      discountRate: sensitivity.discountRate,
      npv: money(sensitivity.npv),
      bcr: orNull(ratio, sensitivity.bcr),
    },
  }
}

function roundMeasure(measure: MeasureResult) {
  const { alone } = measure
  const central = alone === null ? null : aloneView(alone.central)
  return {
    id: measure.id,
    upfrontCost: money(measure.upfrontCost),
    avoidedAnnualLoss: central?.avoidedAnnualLoss ?? null,
    pvCost: money(measure.pvCost),
    npv: central?.npv ?? null,
    bcr: central?.bcr ?? null,
    paybackYears: central?.paybackYears ?? null,
    requires: measure.requires,
    marginal: roundMarginal(measure.marginal),
    range: alone === null ? null : range(alone, aloneView),
  }
}

function roundMarginal(step: GreedyStep & { readonly rank: number }) {
  const { cumulative } = step
  return {
    rank: step.rank,
    avoidedAnnualLoss: money(step.avoidedAnnualLoss),
    npv: money(step.npv),
    npvPerPvCost: orNull(ratio, finiteOrNull(step.npvPerPvCost)),
    stop: step.npv <= 0,
    cumulative: {
      upfrontCost: money(cumulative.upfrontCost),
      npv: money(cumulative.societal.npv),
      destructionProbability: probability(cumulative.destructionProbability),
    },
  }
}

function aloneView(evaluation: Evaluation) {
  const { npv, bcr, paybackYears } = roundWorth(evaluation.societal)
  return {
    upfrontCost: money(evaluation.upfrontCost),
    avoidedAnnualLoss: money(evaluation.avoidedAnnualLoss),
    pvCost: money(evaluation.pvCost),
    ...{ npv, bcr, paybackYears },
  }
}

function range<T>(
  set: Readonly<{ optimistic: Evaluation; pessimistic: Evaluation }>,
  view: (e: Evaluation) => T,
) {
  return { optimistic: view(set.optimistic), pessimistic: view(set.pessimistic) }
}

function roundWorth(worth: Worth): Worth {
  return {
    annualBenefit: money(worth.annualBenefit),
    pvBenefit: money(worth.pvBenefit),
    npv: money(worth.npv),
    bcr: orNull(ratio, worth.bcr),
    paybackYears: orNull(years, worth.paybackYears),
  }
}

function roundNpv(worth: Worth): Pick<Worth, 'npv' | 'bcr'> {
  const { npv, bcr } = roundWorth(worth)
  return { npv, bcr }
}

const money = (usd: number): number => roundTo(usd, 2)
const probability = (x: number): number => roundTo(x, 6)
const ratio = (x: number): number => roundTo(x, 4)
const years = (x: number): number => roundTo(x, 2)

function orNull(round: (x: number) => number, x: number | null): number | null {
  return x === null ? null : round(x)
}

/** A result as it is answered; field by field as in the description of the answer. */
export type RoundedResult = Readonly<{
  hazard: Pick<HardeningResult['hazard'], 'p' | 'd0' | 'source' | 'd0Source'>
  baseline: HardeningResult['baseline']
  societal: Readonly<Record<'allMeasures' | 'bestBundle', ReturnType<typeof societalView>>>
  household: Readonly<Record<'allMeasures' | 'bestBundle', ReturnType<typeof householdView>>>
  measures: readonly ReturnType<typeof roundMeasure>[]
  notConsidered: HardeningResult['notConsidered']
  bestBundle: ReturnType<typeof roundBundle>
  verdict: HardeningResult['verdict']
}>
