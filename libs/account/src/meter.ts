import { HttpError } from '@hearth/chassis/errors'
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import type { AddressLimits } from './address-limits.ts'
import { readCredentials, unauthorized, type Credentials, type Deployment } from './credentials.ts'
import type { AccountDatabase } from './database.ts'
import type { Burst, Charge, Gate, Limited, Refused, Standing } from './gate.ts'
import { digestKey } from './keys.ts'
import type { Ledger } from './ledger.ts'
import { plansWith, type Plan, type Plans } from './plans.ts'
import { accountProblems } from './problems.ts'
import type { Sessions } from './sessions.ts'
import { bindingWindow, isoSeconds, limitHeaders, quotaWindows, type Window } from './windows.ts'

/** Who makes a request. `selector` and `key` are empty for a session. */
export type Caller = { readonly tag: string; readonly selector: string; readonly key: string }

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express types its locals by this namespace
  namespace Express {
    interface Locals {
      caller?: Caller
      standing?: Standing
      charge?: Charge | undefined
      /** Windows that an answer shows in place of the caller's address window. */
      windows?: readonly Window[]
    }
  }
}

/** What the meter works with. */
export type MeterOptions = {
  readonly deployment: Deployment
  readonly plans: Plans
  readonly peppers: readonly string[]
  readonly burst: Burst
  readonly gate: Gate
  readonly ledger: Ledger
  readonly addresses: AddressLimits
  readonly sessions: Sessions
  readonly db: AccountDatabase
  readonly log: Logger
  readonly clock: () => number
}

/** The meter and its two hooks into every answer. */
export type Meter = {
  /**
   * Checks the credentials of every request under /v1 and charges what its operation costs: one unit unless the
   * operation says otherwise. Mount it before the body parser.
   */
  readonly meter: RequestHandler
  /** The rate-limit headers of an answer: the account's windows, or those of the caller's address. */
  readonly limitHeaders: (res: Response) => readonly string[]
  /** The rate-limit headers for an address that sent no request that could be read. */
  readonly limitHeadersFor: (address: string) => readonly string[]
  /** Gives the unit back unless the answer is a success. */
  readonly settle: (res: Response, status: number) => Promise<void> | undefined
  /** Lets only plans with a feature pass. */
  readonly requireFeature: (feature: string) => RequestHandler
}

export function createMeter(options: MeterOptions): Meter {
  const { deployment, plans, peppers, burst, gate, ledger, addresses, sessions, db, log, clock } = options

  async function admit(req: Request, res: Response, access: string): Promise<void> {
    const credentials = readOrCount(req, res)
    const caller = await identify(req, res, credentials, access)
    const digests = caller.key === '' ? [] : peppers.map((pepper) => digestKey(caller.key, pepper))
    const cost = access === 'metered' ? 1 : 0
    const verdict = await gate.check({ tag: caller.tag, selector: caller.selector, digests, cost })
    res.locals.logFields = { account: `acc_${caller.tag}`, key: caller.selector }
    res.locals.caller = caller
    if (!('plan' in verdict)) {
      if (isRepeatedRotation(req, res, verdict)) return takeFromAddress(req, res)
      throw refuse(req, res, verdict)
    }
    res.locals.standing = verdict
    if (verdict.outcome !== 'ok') throw limited(res, verdict)
    if (caller.selector !== '') ledger.used(caller.tag, caller.selector, verdict.now)
    res.locals.charge = verdict.charge
  }

  function readOrCount(req: Request, res: Response): Credentials {
    try {
      return readCredentials(deployment, req)
    } catch (error) {
      takeFromAddress(req, res)
      throw error
    }
  }

  async function identify(
    req: Request,
    res: Response,
    credentials: Credentials,
    access: string,
  ): Promise<Caller> {
    if (credentials.kind === 'key') {
      if (access !== 'session') return { ...credentials.name, key: credentials.text }
      takeFromAddress(req, res)
      throw sessionNeeded('This needs a session, not a key')
    }
    if (access === 'metered' || access === 'key') {
      takeFromAddress(req, res)
      throw unauthorized(
        deployment,
        accountProblems.missing_api_key,
        `A session opens the account endpoints only; this request needs an API key in the header ${deployment.keyHeader}.`,
      )
    }
    const session = sessions.read(credentials.token)
    const account =
      session &&
      (await db
        .selectFrom('account')
        .select('tag')
        .where('tag', '=', session.tag)
        .where('session_version', '=', session.version)
        .executeTakeFirst())
    if (account !== undefined) return { tag: account.tag, selector: '', key: '' }
    takeFromAddress(req, res)
    throw sessionNeeded(
      'The session token is not valid, has expired, or was ended by a change of the password',
    )
  }

  function sessionNeeded(what: string): HttpError {
    return new HttpError(
      accountProblems.invalid_credentials,
      `${what}. Sign in at POST /v1/account/sessions and send the token as \`Authorization: Bearer TOKEN\`.`,
      { headers: ['WWW-Authenticate', `Bearer realm="${deployment.name}", error="invalid_token"`] },
    )
  }

  function refuse(req: Request, res: Response, { outcome }: Refused): HttpError {
    if (outcome === 'suspended') {
      return new HttpError(
        accountProblems.account_suspended,
        'The account is suspended by the operator of the service; its keys work again when it is resumed.',
      )
    }
    takeFromAddress(req, res)
    const [kind, detail] = refusals[outcome]
    return unauthorized(deployment, kind, detail)
  }

  /** Counts a request that brought no valid key. @throws HttpError rate_limited when its address has had too many */
  function takeFromAddress(req: Request, res: Response): void {
    if (addresses.take(req.ip ?? '') !== undefined) return
    throw rateLimited(
      addresses.peek(req.ip ?? ''),
      clock() / 1000,
      'Too many requests without a valid key came from this address.',
      res,
    )
  }

  function limited(res: Response, verdict: Limited): HttpError {
    const now = verdict.now / 1000
    if (verdict.outcome === 'burst') {
      const window = { ...burstWindow(burst, 0, now), resetsAt: now + verdict.waitMs / 1000 }
      return rateLimited(
        window,
        now,
        `The key makes more than ${burst.perSecond} requests per second.`,
        res,
        verdict.plan,
      )
    }
    const windows = windowsOf(plans, verdict).filter((window) => window.remaining === 0)
    const binding = bindingWindow(windows)
    return new HttpError(
      accountProblems.quota_exceeded,
      `The ${binding.name} quota of ${binding.limit} ${binding.limit === 1 ? 'request' : 'requests'} of plan ${verdict.plan} is used up. It is full again at ${isoSeconds(binding.resetsAt)}; nothing was charged for this request.`,
      {
        headers: ['Retry-After', String(Math.max(1, Math.ceil(binding.resetsAt - now)))],
        members: {
          'violated-policies': windows.map((window) => window.name),
          limit: binding.limit,
          resetsAt: isoSeconds(binding.resetsAt),
          plan: verdict.plan,
          retryable: false,
        },
      },
    )
  }

  function headersOf(res: Response): readonly string[] {
    const { standing, windows } = res.locals
    if (windows !== undefined) return limitHeaders(windows, bindingWindow(windows), clock() / 1000)
    if (standing === undefined) return headersFor(res.req.ip ?? '')
    const now = standing.now / 1000
    const quotas = windowsOf(plans, standing)
    const all = burst.perSecond === 0 ? quotas : [...quotas, burstWindow(burst, standing.burstRemaining, now)]
    return limitHeaders(all, bindingWindow(quotas), now)
  }

  function headersFor(address: string): readonly string[] {
    const window = addresses.peek(address)
    return limitHeaders([window], window, clock() / 1000)
  }

  function settle(res: Response, status: number): Promise<void> | undefined {
    const { charge, caller, standing, operation } = res.locals
    if (charge === undefined || standing === undefined || caller === undefined) return undefined
    res.locals.charge = undefined
    if (status >= 200 && status < 300) {
      const endpoint = `${operation?.method.toUpperCase()} ${operation?.path}`
      ledger.called(caller.tag, charge.day, endpoint)
      return undefined
    }
    res.locals.standing = { ...standing, usedToday: standing.usedToday - 1 }
    return gate.refund(charge).catch((error: unknown) => {
      log.error({ err: error, account: caller.tag }, 'a unit could not be given back')
    })
  }

  return {
    meter(req, res, next) {
      const access = accessOf(req, res)
      if (access === 'public') {
        if (req.path.startsWith('/v1/')) takeFromAddress(req, res)
        next()
      } else {
        admit(req, res, access).then(() => {
          next()
        }, next)
      }
    },
    limitHeaders: headersOf,
    limitHeadersFor: headersFor,
    settle,
    requireFeature: (feature) => (_req, res, next) => {
      requireFeature(plans, feature, res.locals.standing?.plan ?? '')
      next()
    },
  }
}

/** The quota windows of an account as it stands. */
export function windowsOf(plans: Plans, { plan, day, usedToday, usedBefore }: Standing): Window[] {
  return quotaWindows(planOf(plans, plan), day, usedToday, usedBefore + usedToday)
}

/** The plan with an id; an id that is no longer in the table counts as free. */
export function planOf(plans: Plans, id: string): Plan {
  return plans[id] ?? plans.free
}

/** A 429 for a short-term limit; the window is what the headers of the answer show. */
export function rateLimited(
  window: Window,
  now: number,
  what: string,
  res: Response,
  plan?: string,
): HttpError {
  const wait = Math.max(1, Math.ceil(window.resetsAt - now))
  res.locals.windows = [window]
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

/** Paths that do not exist are for key holders to ask about; under existing public paths anybody may be told 405. */
function accessOf(req: Request, res: Response): string {
  const { operation, allow } = res.locals
  if (operation !== undefined) return operation.access ?? 'metered'
  if (!req.path.startsWith('/v1/')) return 'public'
  return allow !== undefined && publicPaths.has(req.path) ? 'public' : 'account'
}

/** The answer to a rotation can be had again with the key that it revoked; the endpoint itself checks for how long. */
function isRepeatedRotation(req: Request, res: Response, { outcome }: Refused): boolean {
  const { operation } = res.locals
  return outcome === 'revoked' && operation?.access === 'key' && req.headers['idempotency-key'] !== undefined
}

const publicPaths = new Set(['/v1/signup', '/v1/account/sessions'])

function burstWindow(burst: Burst, remaining: number, now: number): Window {
  const resetsAt = now + (burst.size - remaining) / burst.perSecond
  return {
    name: 'burst',
    limit: burst.size,
    remaining,
    resetsAt,
    seconds: Math.ceil(burst.size / burst.perSecond),
  }
}

function requireFeature(plans: Plans, feature: string, plan: string): void {
  if (planOf(plans, plan).features.includes(feature)) return
  const requiredPlans = plansWith(plans, feature)
  throw new HttpError(
    accountProblems.plan_upgrade_required,
    `Plan ${plan} does not include ${feature}. The plans that do: ${requiredPlans.join(', ')}.`,
    { members: { plan, requiredPlans } },
  )
}

const refusals = {
  unknown: [
    accountProblems.invalid_api_key,
    'The API key is well formed but is not one of this service. Check that it is whole and of this deployment; a lost key is replaced by signing in.',
  ],
  revoked: [
    accountProblems.revoked_api_key,
    'The API key was revoked by rotation or deletion. Use the key that replaced it, or sign in and make a new one.',
  ],
  expired: [
    accountProblems.expired_api_key,
    'The API key has expired. Use another key, or sign in and make a new one.',
  ],
} as const
