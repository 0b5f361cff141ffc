import type { SetResult } from './hardening.ts'
import type { HardeningInput } from './input.ts'
import { measures, type MeasureId } from './measures.ts'
import { evaluate, idsOf, type Scenario } from './scenario.ts'

/**
 * The answer in words. "Pays back" is always for everyone together; the sentence about the household follows.
 * @param bundle the best one within the budget
 * @param unlimited the best set without a budget
 */
export function verdictOn(
  input: HardeningInput,
  central: Scenario,
  bundle: SetResult,
  unlimited: number,
): Verdict {
  if (central.options.length === 0) {
    return {
      code: 'nothing_left',
      message: 'The home has every measure of the catalogue already; there is nothing left to add.',
    }
  }
  if (bundle.measures.length > 0) return bundleVerdict(input, bundle)
  const years = yearsOf(input)
  if (unlimited !== 0) {
    const ids = idsOf(central, unlimited)
    const price = dollars(evaluate(central, unlimited).upfrontCost)
    return {
      code: 'budget_too_small',
      message: `Nothing that pays back within ${years} fits the budget of ${dollars(input.budget ?? 0)}. Without that limit, the best choice costs ${price}: ${namesOf(ids)}.`,
    }
  }
  return {
    code: 'nothing_pays_back',
    message: `Nothing here pays back: within ${years}, no measure and no combination of measures avoids more loss than it costs. Fire is too unlikely here, or the work too expensive, for money alone to be the reason.`,
  }
}

function bundleVerdict(input: HardeningInput, bundle: SetResult): Verdict {
  const { central, pessimistic } = bundle
  const isRobust = pessimistic.societal.npv > 0
  const gain = dollars(central.societal.npv)
  const doubt = isRobust
    ? 'It does so even with pessimistic assumptions.'
    : `With pessimistic assumptions it would cost ${dollars(-pessimistic.societal.npv)} more than it avoids.`
  const own = central.household.npv
  const household =
    own > 0
      ? `The household itself gains ${dollars(own)}, from premiums and from losses that no insurance pays.`
      : `The household itself, which pays for the work but has most of its losses insured, is left ${dollars(-own)} short.`
  return {
    code: isRobust ? 'pays_back' : 'may_pay_back',
    message: `The best choice costs ${dollars(central.upfrontCost)} and, within ${yearsOf(input)}, avoids ${gain} more loss than it costs, in money of today and for everyone together: ${namesOf(bundle.measures)}. ${doubt} ${household}`,
  }
}

function yearsOf({ horizonYears }: HardeningInput): string {
  return horizonYears === 1 ? '1 year' : `${horizonYears} years`
}

function namesOf(ids: readonly MeasureId[]): string {
  return measures
    .filter(({ id }) => ids.includes(id))
    .map(({ name }) => name)
    .join('; ')
}

/** Whole dollars with thousands separators. */
function dollars(usd: number): string {
  return `$${Math.round(usd)
    .toFixed(0)
    .replace(/\B(?=(?:\d{3})+$)/g, ',')}`
}

/** The closed list of verdicts. `pays_back` holds in the pessimistic case too, `may_pay_back` only in the central one. */
export type VerdictCode =
  'pays_back' | 'may_pay_back' | 'nothing_pays_back' | 'budget_too_small' | 'nothing_left'

/** message is one or more full sentences for people; code is for programs. */
export type Verdict = Readonly<{ code: VerdictCode; message: string }>
