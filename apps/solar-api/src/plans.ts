import { accountProblems, type Plans } from '@hearth/account'
import { HttpError } from '@hearth/chassis/errors'

const paid = ['monteCarlo', 'savedCalculations']

/** The plans of the solar deployment: requests per UTC day and UTC month, and what they open. */
export const plans: Plans = {
  free: { name: 'Free', daily: 50, monthly: 1_500, features: [] },
  pro: { name: 'Pro', daily: 500, monthly: 15_000, features: paid },
  developer: { name: 'Developer', daily: 1_000, monthly: 30_000, features: paid },
  api_starter: { name: 'API Starter', daily: 1_000, monthly: 30_000, features: paid },
  api_business: { name: 'API Business', daily: 10_000, monthly: 300_000, features: paid },
}

/** The most trials that a plan may ask for in one run. */
export const trialsOfPlan: Readonly<Record<string, number>> = {
  pro: 10_000,
  developer: 100_000,
  api_starter: 100_000,
  api_business: 1_000_000,
}

/** @throws HttpError plan_upgrade_required, naming the plans whose runs may be as large */
export function requireTrials(plan: string, trials: number): void {
  const most = trialsOfPlan[plan] ?? 0
  if (trials <= most) return
  const requiredPlans = Object.keys(trialsOfPlan).filter((id) => trials <= (trialsOfPlan[id] ?? 0))
  throw new HttpError(
    accountProblems.plan_upgrade_required,
    `A run on plan ${plan} has at most ${count(most)} trials; ${count(trials)} were asked for. Ask for fewer, or change to a plan that runs as many: ${requiredPlans.join(', ')}.`,
    { members: { plan, requiredPlans } },
  )
}

function count(trials: number): string {
  return trials.toLocaleString('en-US')
}
