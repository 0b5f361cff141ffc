import type { Plans } from '@hearth/account'

/** The plans of the vehicle deployment: requests per UTC day and UTC month. All open the same. */
export const plans: Plans = {
  free: { name: 'Free', daily: 100, monthly: 3_000, features: [] },
  pro: { name: 'Pro', daily: 1_000, monthly: 30_000, features: [] },
  business: { name: 'Business', daily: 10_000, monthly: 300_000, features: [] },
}
