import { unavailable } from '@hearth/chassis/errors'
import { inTime, LateError } from '@hearth/chassis/in-time'
import type { Charge, Verdict } from './gate.ts'

/**
 * Several steps that are each answered in time may together take too long. Then no further step is begun.
 *
 * @throws HttpError 503 then; a unit that is charged all the same is given back
 */
export async function inBudget<T extends Verdict | 'back'>(
  work: (signal: AbortSignal) => Promise<T>,
  giveBack: (charge: Charge) => Promise<void>,
): Promise<T> {
  const giveUp = new AbortController()
  const coming = work(giveUp.signal)
  try {
    return await inTime(budgetMs, coming)
  } catch (error) {
    if (!(error instanceof LateError)) throw error
    giveUp.abort(error)
    coming
      .then(async (verdict) => {
        const charge = chargeOf(verdict)
        if (charge !== undefined) await giveBack(charge)
      })
      .catch(() => undefined) // it was never answered, so nobody counts on it
    throw unavailable('The quota of the account could not be checked in time.', error)
  }
}

/** With what came before (a renewal, the end of trust, and of hope that it goes on) it is 1.2 s at most. */
const budgetMs = 850

function chargeOf(verdict: Verdict | 'back'): Charge | undefined {
  return verdict !== 'back' && verdict.outcome === 'ok' ? verdict.charge : undefined
}
