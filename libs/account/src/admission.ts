import { HttpError } from '@hearth/chassis/errors'
import type { Request, Response } from 'express'
import type { Logger } from 'pino'
import { addressBucket, type AddressLimits } from './address-limits.ts'
import type { BurstLimiter } from './burst-limiter.ts'
import {
  badKey,
  readCredentials,
  readName,
  sessionNeeded,
  unauthorized,
  type Credentials,
  type Deployment,
} from './credentials.ts'
import type { Caller } from './caller.ts'
import type { AccountDatabase } from './database.ts'
import type { Burst, Gate, Refused } from './gate.ts'
import { digestKey } from './keys.ts'
import { fingerprintOf, type KnownKey, type KnownKeys } from './known-keys.ts'
import type { Ledger } from './ledger.ts'
import { limitReached, requireFeature, takeFromAddress } from './limits.ts'
import type { Plans } from './plans.ts'
import { accountProblems } from './problems.ts'
import type { Sessions } from './sessions.ts'

/** What admission works with. */
export type AdmissionOptions = {
  readonly deployment: Deployment
  readonly plans: Plans
  readonly peppers: readonly string[]
  readonly burst: Burst
  readonly gate: Gate
  readonly ledger: Ledger
  readonly addresses: AddressLimits
  readonly known: KnownKeys
  /** Look-ups of unknown keys from addresses over their limit. */
  readonly strangers: BurstLimiter
  readonly sessions: Sessions
  readonly db: AccountDatabase
  readonly log: Logger
  /** Unix milliseconds. */
  readonly clock: () => number
}

/**
 * Decides whether a request may go on, and charges for it. Leaves the caller, where the account stands and what was
 * charged in `res.locals`.
 *
 * @throws HttpError 400, 401, 403 or 429
 */
export async function admit(
  options: AdmissionOptions,
  req: Request,
  res: Response,
  access: string,
): Promise<void> {
  const { known, gate, plans, burst } = options
  const presented = identify(options, req, res, access)
  const caller = presented instanceof Promise ? await presented : presented
  const { tag, selector, key, tally } = caller
  const digests = caller.known?.digests ?? digestsOfStranger(options, req, res, key)
  const verdict = await gate.check({ tag, selector, digests, cost: access === 'metered' ? 1 : 0, tally })
  res.locals.logFields = { account: `acc_${tag}`, key: selector }
  res.locals.caller = caller
  if (!('plan' in verdict)) {
    if (verdict.outcome !== 'suspended') known.forget(caller.fingerprint)
    if (!isRepeatedRotation(req, res, verdict)) throw refused(options, req, res, verdict)
    takeFromAddress(options, req, res)
    return
  }
  res.locals.standing = verdict
  if (verdict.outcome === 'ok') res.locals.charge = verdict.charge
  if (caller.known === undefined) remember(known, caller, digests)
  // Whoever lacks the plan is told so first: a new day would not help.
  for (const feature of res.locals.operation?.requires ?? []) requireFeature(plans, feature, verdict.plan)
  if (verdict.outcome !== 'ok') {
    const error = limitReached(plans, burst, res, verdict)
    // What the caller already has can be confirmed without a unit; settle() refuses anything more.
    if (verdict.outcome === 'burst' || !isConditionalRead(req)) throw error
    res.locals.unpaid = error
    return
  }
  // What is charged is noted when it is settled.
  if (verdict.charge === undefined) noteUse(options, res, 0)
}

/**
 * Notes what the key of a request was used for; of a session nothing.
 *
 * @param calls 1 when it was a call that counts, and is answered with success
 */
export function noteUse({ ledger }: AdmissionOptions, res: Response, calls: 0 | 1): void {
  const { caller, standing, operation } = res.locals
  if (caller === undefined || standing === undefined || caller.selector === '') return
  const { day, now: at } = standing
  // What does not count is no call of an endpoint: else free requests would make rows without end.
  const endpoint = calls === 1 ? (operation?.name ?? '') : ''
  ledger.used(caller.tally, { selector: caller.selector, day, endpoint, at, calls })
}

/** Remembers a key that has turned out to be good; nothing for a session. */
function remember(
  known: KnownKeys,
  { key, fingerprint, tag, selector, tally }: Presented,
  digests: string,
): void {
  if (key !== '') known.add(fingerprint, { tag, selector, digests, tally })
}

function isConditionalRead({ method, headers }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && headers['if-none-match'] !== undefined
}

/**
 * From an address that has sent too many bad keys only a few keys a second are looked up, so that guessing costs us
 * next to nothing; a key that was good when it was last seen always is, so that nobody is shut out by neighbours.
 *
 * @returns what is stored of the key under each pepper; nothing for a session
 * @throws HttpError rate_limited
 */
function digestsOfStranger(options: AdmissionOptions, req: Request, res: Response, key: string): string {
  const { addresses, strangers, peppers } = options
  if (key === '') return ''
  const address = req.ip ?? ''
  if (addresses.peek(address).remaining === 0) {
    if (strangers.take(addressBucket(address), performance.now()).wait > 0) takeFromAddress(options, req, res)
  }
  return peppers.map((pepper) => digestKey(key, pepper)).join(' ')
}

/** A caller, and the key as it was found among those that are known. */
type Presented = Caller & { readonly known: KnownKey | undefined; readonly fingerprint: string }

/** @throws HttpError when the credentials are missing, malformed, or of the wrong kind for this access */
function identify(
  options: AdmissionOptions,
  req: Request,
  res: Response,
  access: string,
): Presented | Promise<Presented> {
  const refuse = (error: unknown): never => {
    if (error instanceof HttpError) takeFromAddress(options, req, res)
    throw error
  }
  try {
    const credentials = readCredentials(options.deployment, req)
    const wanted = access === 'session' ? sessionIn(options.deployment, credentials) : credentials
    if (wanted.kind === 'key') return callerWithKey(options, wanted.text, access)
    return callerWithSession(options, wanted.token, access).catch(refuse)
  } catch (error) {
    return refuse(error)
  }
}

/** Clients that send their key with every request may send a session beside it; it has to be a key all the same. */
function sessionIn(deployment: Deployment, credentials: Credentials): Credentials {
  if (credentials.kind === 'session' || credentials.session === undefined) return credentials
  readName(deployment, credentials.text)
  return { kind: 'session', token: credentials.session }
}

function callerWithKey(
  { deployment, known, ledger }: AdmissionOptions,
  key: string,
  access: string,
): Presented {
  const fingerprint = fingerprintOf(key)
  const found = known.find(fingerprint)
  const { tag, selector } = found ?? readName(deployment, key)
  if (access === 'session') throw sessionNeeded(deployment, 'This needs a session, not a key')
  if (found === undefined) return { tag, selector, key, tally: ledger.of(tag), known: found, fingerprint }
  if (!found.tally.isKept) found.tally = ledger.of(tag)
  return { tag, selector, key, tally: found.tally, known: found, fingerprint }
}

async function callerWithSession(
  options: AdmissionOptions,
  token: string,
  access: string,
): Promise<Presented> {
  const { deployment, ledger } = options
  if (access === 'metered' || access === 'key') {
    throw unauthorized(
      deployment,
      accountProblems.missing_api_key,
      `A session opens the account endpoints only; this request needs an API key in the header ${deployment.keyHeader}.`,
    )
  }
  const tag = await accountOfSession(options, token)
  if (tag !== undefined) {
    return { tag, selector: '', key: '', tally: ledger.of(tag), known: undefined, fingerprint: '' }
  }
  throw sessionNeeded(
    deployment,
    'The session token is not valid, has expired, or was ended by a change of the password',
  )
}

async function accountOfSession(
  { sessions, db }: AdmissionOptions,
  token: string,
): Promise<string | undefined> {
  const session = sessions.read(token)
  if (session === undefined) return undefined
  const account = await db
    .selectFrom('account')
    .select('tag')
    .where('tag', '=', session.tag)
    .where('session_version', '=', session.version)
    .executeTakeFirst()
  return account?.tag
}

/** The answer to a rotation can be had again with the key that it revoked; the endpoint itself checks for how long. */
function isRepeatedRotation(req: Request, res: Response, { outcome }: Refused): boolean {
  const { operation } = res.locals
  return outcome === 'revoked' && operation?.access === 'key' && req.headers['idempotency-key'] !== undefined
}

function refused(options: AdmissionOptions, req: Request, res: Response, { outcome }: Refused): HttpError {
  takeFromAddress(options, req, res)
  if (outcome === 'suspended') {
    return new HttpError(
      accountProblems.account_suspended,
      'The account is suspended by the operator of the service; its keys work again when it is resumed.',
    )
  }
  return badKey(options.deployment, outcome)
}
