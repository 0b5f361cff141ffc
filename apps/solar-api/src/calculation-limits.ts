import { accountProblems } from '@hearth/account'
import { HttpError } from '@hearth/chassis/errors'
import { invalid } from '@hearth/chassis/validate'

/** How many calculations a plan keeps. */
export const keptOfPlan: Readonly<Record<string, number>> = {
  pro: 50,
  developer: 500,
  api_starter: 500,
  api_business: 5_000,
}

/** How many calculations may be there for another one to be saved; 0 for plans that keep none. */
export function capacityOf(plan: string): number {
  return keptOfPlan[plan] ?? 0
}

/** The answer when a plan keeps no more: 403 where another plan would, else 400. */
export function noRoom(plan: string): HttpError {
  const most = capacityOf(plan)
  const full = `Plan ${plan} keeps ${most.toLocaleString('en-US')} calculations, and as many are saved. Delete one that is no longer needed`
  const requiredPlans = Object.keys(keptOfPlan).filter((id) => capacityOf(id) > most)
  if (requiredPlans.length === 0) return invalid([{ pointer: '', code: 'too_many', detail: `${full}.` }])
  return new HttpError(
    accountProblems.plan_upgrade_required,
    `${full}, or change to a plan that keeps more: ${requiredPlans.join(', ')}.`,
    { members: { plan, requiredPlans } },
  )
}
