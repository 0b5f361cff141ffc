import { HttpError } from '@hearth/chassis/errors'
import type { Request, Response } from 'express'
import type { AddressLimits } from './address-limits.ts'
import type { Burst, Limited, Standing } from './gate.ts'
import { planOf, plansWith, type Plans } from './plans.ts'
import { accountProblems } from './problems.ts'
import { bindingWindow, isoSeconds, quotaWindows, type ShownWindow, type Window } from './windows.ts'

/** The quota windows of an account as it stands. */
export function windowsOf(plans: Plans, { plan, day, usedToday, usedBefore }: Standing): Window[] {
  return quotaWindows(planOf(plans, plan), day, usedToday, usedBefore + usedToday)
}

/** The burst limit of a key as a window that is full again when nothing is sent. `now` in Unix seconds. */
export function burstWindow({ perSecond, size }: Burst, remaining: number, now: number): Window {
  const resetsAt = now + (size - remaining) / perSecond
  return { name: 'burst', limit: size, remaining, resetsAt, seconds: Math.ceil(size / perSecond) }
}

/**
 * Counts a request that brought no valid key.
 *
 * @throws HttpError rate_limited when its address has had too many
 */
export function takeFromAddress(
  { addresses, clock }: { readonly addresses: AddressLimits; readonly clock: () => number },
  req: Request,
  res: Response,
): void {
  const address = req.ip ?? ''
  if (addresses.take(address) !== undefined) return
  const window = addresses.peek(address)
  const what = 'Too many requests without a valid key came from this address.'
  throw rateLimited({ window, now: clock() / 1000 }, what, res)
}

/** @throws HttpError plan_upgrade_required, naming the plans that have the feature */
export function requireFeature(plans: Plans, feature: string, plan: string): void {
  if (planOf(plans, plan).features.includes(feature)) return
  const requiredPlans = plansWith(plans, feature)
  throw new HttpError(
    accountProblems.plan_upgrade_required,
    `Plan ${plan} does not include ${feature}. The plans that do: ${requiredPlans.join(', ')}.`,
    { members: { plan, requiredPlans } },
  )
}

/** The 429 for a key whose quota or burst limit is reached. */
export function limitReached(plans: Plans, burst: Burst, res: Response, verdict: Limited): HttpError {
  const now = verdict.now / 1000
  if (verdict.outcome === 'over') return quotaExceeded(plans, verdict, now)
  const window = { ...burstWindow(burst, 0, now), resetsAt: now + verdict.waitMs / 1000 }
  const what = `The key makes more than ${burst.perSecond} requests per second.`
  return rateLimited({ window, now }, what, res, verdict.plan)
}

/** A 429 for a short-term limit; the window is what the headers of the answer show. */
export function rateLimited(shown: ShownWindow, what: string, res: Response, plan?: string): HttpError {
  const { window, now } = shown
  const wait = waitSeconds(window, now)
  res.locals.shown = shown
  return new HttpError(
    accountProblems.rate_limited,
    `${what} At most ${window.limit} are allowed in ${window.seconds} s; wait ${wait} s and try again.`,
    {
      headers: ['Retry-After', String(wait)],
      members: {
        'violated-policies': [window.name],
        limit: window.limit,
        resetsAt: new Date(Math.ceil(window.resetsAt * 1000)).toISOString(),
        ...(plan !== undefined && { plan }),
        retryable: true,
      },
    },
  )
}

function quotaExceeded(plans: Plans, verdict: Limited, now: number): HttpError {
  const { plan } = verdict
  const windows = windowsOf(plans, verdict).filter((window) => window.remaining === 0)
  const binding = bindingWindow(windows)
  const requests = binding.limit === 1 ? '1 request' : `${binding.limit} requests`
  const resetsAt = isoSeconds(binding.resetsAt)
  return new HttpError(
    accountProblems.quota_exceeded,
    `The ${binding.name} quota of ${requests} of plan ${plan} is used up. It is full again at ${resetsAt}; nothing was charged for this request.`,
    {
      headers: ['Retry-After', String(waitSeconds(binding, now))],
      members: {
        'violated-policies': windows.map((window) => window.name),
        limit: binding.limit,
        resetsAt,
        plan,
        retryable: false,
      },
    },
  )
}

function waitSeconds(window: Window, now: number): number {
  return Math.max(1, Math.ceil(window.resetsAt - now))
}
