import type { Response } from 'express'
import type { Tally } from './tallies.ts'

/** Who makes a request. `selector` and `key` are empty for a session. */
export type Caller = {
  readonly tag: string
  readonly selector: string
  readonly key: string
  /** What the ledger remembers of the account. */
  readonly tally: Tally
}

/** The caller of an authenticated request. @throws Error when the endpoint is not mounted behind the meter */
export function callerOf(res: Response): Caller {
  const { caller } = res.locals
  if (caller === undefined) throw new Error('This endpoint is mounted without the meter.')
  return caller
}
