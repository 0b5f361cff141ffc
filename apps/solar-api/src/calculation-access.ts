import { callerOf, type Accounts } from '@hearth/account'
import { HttpError } from '@hearth/chassis/errors'
import type { RequestHandler } from 'express'
import { countCalculations } from './calculation-rows.ts'
import type { SolarDatabase } from './database.ts'
import { solarProblems } from './problems.ts'

/**
 * Lets through the plans that can save calculations, and every account that has saved some: whoever has gone to a
 * smaller plan can still see, export and delete what is theirs.
 */
export function ownsCalculations(
  { requireFeature }: Pick<Accounts, 'requireFeature'>,
  db: SolarDatabase,
): RequestHandler {
  const require = requireFeature('savedCalculations')
  return async (req, res, next) => {
    const refusal = refusalOf(() => require(req, res, () => undefined))
    if (refusal !== undefined && (await countCalculations(db, callerOf(res).tag)) === 0) throw refusal
    next()
  }
}

function refusalOf(check: () => unknown): HttpError | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}

/** The 404 of a calculation: the same for one that does not exist and one of somebody else. */
export function noSuchCalculation(): HttpError {
  return new HttpError(
    solarProblems.calculation_not_found,
    'The account has no saved calculation with this id and revision. GET /v1/calculations lists its calculations.',
  )
}
