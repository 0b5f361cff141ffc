import type { Plans } from '@hearth/account'

const paid = ['monteCarlo', 'savedCalculations']

/** The plans of the solar deployment: requests per UTC day and UTC month, and what they open. */
export const plans: Plans = {
  free: { name: 'Free', daily: 50, monthly: 1_500, features: [] },
  pro: { name: 'Pro', daily: 500, monthly: 15_000, features: paid },
  developer: { name: 'Developer', daily: 1_000, monthly: 30_000, features: paid },
  api_starter: { name: 'API Starter', daily: 1_000, monthly: 30_000, features: paid },
  api_business: { name: 'API Business', daily: 10_000, monthly: 300_000, features: paid },
}
