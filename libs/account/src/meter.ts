import type { HttpError } from '@hearth/chassis/errors'
import type { Requirement } from '@hearth/chassis/routes'
import type { RequestHandler, Response } from 'express'
import { admit, noteUse, type AdmissionOptions } from './admission.ts'
import type { Caller } from './caller.ts'
import type { Charge, Standing } from './gate.ts'
import type { Plans } from './plans.ts'
import { burstWindow, requireFeature, takeFromAddress, windowsOf } from './limits.ts'
import { turns } from './turns.ts'
import { bindingWindow, limitHeaders, type ShownWindow } from './windows.ts'

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express types its locals by this namespace
  namespace Express {
    interface Locals {
      caller?: Caller
      standing?: Standing
      charge?: Charge | undefined
      /** Why a success may not be answered: the quota is used up, but what the caller has may still be right (304). */
      unpaid?: HttpError
      /** The window that an answer shows in place of the caller's address window. */
      shown?: ShownWindow
    }
  }
}

/** The meter and its hooks into every answer. */
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
  /** Gives the unit back unless the answer is a success. @throws HttpError when there is no unit left for a success */
  readonly settle: (res: Response, status: number) => Promise<void> | undefined
  /** Lets only plans with a feature pass. */
  readonly requireFeature: (feature: string) => Requirement
}

export function createMeter(options: AdmissionOptions): Meter {
  const inTurn = turns()
  return {
    meter(req, res, next) {
      const access = res.locals.operation?.access ?? accessWithoutOperation(req.path, res)
      if (access === 'public' && req.path.startsWith('/v1/')) {
        takeFromAddress(options, req, res)
        // Signups and sign-ins, which anybody can send: however many, those who have a key go in between.
        inTurn(next)
      } else if (access === 'public') {
        next()
      } else {
        admit(options, req, res, access).then(() => {
          next()
        }, next)
      }
    },
    limitHeaders: (res) => headersOf(options, res),
    limitHeadersFor: (address) => headersForAddress(options, address),
    settle: (res, status) => settle(options, res, status),
    requireFeature: (feature) => Object.assign(middlewareFor(options.plans, feature), { requires: feature }),
  }
}

/**
 * An operation that says nothing is metered. Paths that do not exist are for key holders to ask about; on existing
 * public paths anybody may be told 405.
 */
function accessWithoutOperation(path: string, res: Response): 'public' | 'account' | 'metered' {
  const { operation, allow } = res.locals
  if (operation !== undefined) return 'metered'
  if (!path.startsWith('/v1/')) return 'public'
  return allow !== undefined && publicPaths.has(path) ? 'public' : 'account'
}

const publicPaths = new Set(['/v1/signup', '/v1/account/sessions'])

function headersOf(options: AdmissionOptions, res: Response): readonly string[] {
  const { plans, burst } = options
  const { standing, shown } = res.locals
  if (shown !== undefined) return limitHeaders([shown.window], shown.window, shown.now)
  if (standing === undefined) return headersForAddress(options, res.req.ip ?? '')
  const now = standing.now / 1000
  const quotas = windowsOf(plans, standing)
  const all = burst.perSecond === 0 ? quotas : [...quotas, burstWindow(burst, standing.burstRemaining, now)]
  return limitHeaders(all, bindingWindow(quotas), now)
}

function headersForAddress({ addresses, clock }: AdmissionOptions, address: string): readonly string[] {
  const window = addresses.peek(address)
  return limitHeaders([window], window, clock() / 1000)
}

function settle(options: AdmissionOptions, res: Response, status: number): Promise<void> | undefined {
  const { gate, log } = options
  const { charge, caller, standing, unpaid } = res.locals
  if (unpaid !== undefined && status >= 200 && status < 300) throw unpaid
  if (charge === undefined || standing === undefined || caller === undefined) return undefined
  res.locals.charge = undefined
  const isSuccess = status >= 200 && status < 300
  noteUse(options, res, isSuccess ? 1 : 0)
  if (isSuccess) return undefined
  res.locals.standing = { ...standing, usedToday: standing.usedToday - 1 }
  return gate.refund(charge).catch((error: unknown) => {
    log.error({ err: error, account: caller.tag }, 'a unit could not be given back')
  })
}

function middlewareFor(plans: Plans, feature: string): RequestHandler {
  return (_req, res, next) => {
    requireFeature(plans, feature, res.locals.standing?.plan ?? '')
    next()
  }
}
