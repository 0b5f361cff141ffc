/** A plan: its quotas per UTC calendar day and UTC calendar month (null: unlimited), and the features it opens. */
export type Plan = {
  readonly name: string
  readonly daily: number
  readonly monthly: number | null
  readonly features: readonly string[]
}

/** The plans of one deployment by id. `free` is what a new account gets. */
export type Plans = Readonly<Record<string, Plan>> & { readonly free: Plan }

/**
 * Checks a plan table at start-up.
 *
 * @throws Error when an id, a quota or a feature is malformed
 */
export function checkPlans(plans: Plans): Plans {
  for (const [id, plan] of Object.entries(plans)) {
    if (!/^[a-z][a-z_]{0,31}$/.test(id))
      throw new Error(`Plan id ${id} must be lower-case words joined by _.`)
    const quotas = plan.monthly === null ? [plan.daily] : [plan.daily, plan.monthly]
    if (!quotas.every((quota) => Number.isSafeInteger(quota) && quota > 0 && quota < 2 ** 31)) {
      throw new Error(`The quotas of plan ${id} must be positive integers below 2^31.`)
    }
  }
  return plans
}

/** The plan with an id; an id that is no longer in the table counts as free. */
export function planOf(plans: Plans, id: string): Plan {
  return plans[id] ?? plans.free
}

/** Ids of the plans that have a feature, in the order of the table. */
export function plansWith(plans: Plans, feature: string): string[] {
  return Object.keys(plans).filter((id) => plans[id]?.features.includes(feature))
}
