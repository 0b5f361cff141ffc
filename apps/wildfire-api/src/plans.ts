import type { Plans } from '@hearth/account'

const paid = ['hardeningRoi', 'measureBreakdown']

/** The plans of the wildfire deployment: requests per UTC day and UTC month (null: no limit), and what they open. */
export const plans: Plans = {
  free: { name: 'Free', daily: 1, monthly: 30, features: [] },
  single_report: { name: 'Single Report', daily: 5, monthly: 150, features: paid },
  buyer_pack: { name: 'Buyer Pack', daily: 10, monthly: 300, features: paid },
  pro: { name: 'Pro', daily: 100, monthly: 3_000, features: paid },
  lifetime: { name: 'Lifetime', daily: 100, monthly: null, features: paid },
}
