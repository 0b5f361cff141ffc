import type { Tally } from './tallies.ts'

/** A question to the gate: may this key (or this session's account) make a call that costs so much? */
export type GateRequest = {
  readonly tag: string
  /** Selector of the presented key; empty for a caller who is already authenticated by a session. */
  readonly selector: string
  /** Digests of the presented key under every pepper in use, separated by spaces. */
  readonly digests: string
  /** 0 checks without charging. */
  readonly cost: 0 | 1
  /** What the ledger remembers of the account, where the asker has found it already. */
  readonly tally?: Tally
}

/** The answer. Only `ok` with a cost has changed a counter. */
export type Verdict = Allowed | Limited | Refused

/** The call may go on. */
export type Allowed = Standing & { readonly outcome: 'ok'; readonly charge: Charge | undefined }

/** The key is good, but a limit is reached. */
export type Limited = Standing & {
  readonly outcome: 'over' | 'burst'
  /** Milliseconds until the burst limit allows the next call; 0 when a quota is what is reached. */
  readonly waitMs: number
}

/** The key is not good. `revoked`, `expired` and `suspended` are only said to who has shown the whole key. */
export type Refused = { readonly outcome: 'unknown' | 'revoked' | 'expired' | 'suspended' }

/** Where an account stands after the decision. */
export type Standing = {
  readonly plan: string
  /** Unix milliseconds, by the clock that decided. */
  readonly now: number
  /** Day number (days since 1970-01-01 UTC) of the decision. */
  readonly day: number
  /** Units used on that day, this call included. */
  readonly usedToday: number
  /** Units used on the earlier days of the month. */
  readonly usedBefore: number
  /** Calls that the burst limit of the key still allows at once. */
  readonly burstRemaining: number
}

/** A unit that was charged and can be given back. */
export type Charge = { readonly tag: string; readonly day: number; readonly by: 'redis' | 'postgres' }

/** A gate: exact over all instances that ask it. */
export type Gate = {
  /** @throws when its store does not answer */
  readonly check: (request: GateRequest) => Promise<Verdict>
  /** Gives a unit back. @throws when its store does not answer */
  readonly refund: (charge: Charge) => Promise<void>
}

/** Calls per second that a key may make in the long run, and at once; rate 0 means no limit. */
export type Burst = { readonly perSecond: number; readonly size: number }

/** The burst limit for a rate: twice the rate at once. */
export function burstOf(perSecond: number): Burst {
  return { perSecond, size: perSecond * 2 }
}
