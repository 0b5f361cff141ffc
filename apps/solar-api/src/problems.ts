import { problemKinds } from '@hearth/chassis/errors'

/** The problems of saved calculations. */
export const solarProblems = problemKinds({
  calculation_not_found: [
    404,
    'There is no such calculation',
    'The account has no saved calculation with this id, or the calculation has no such revision. `GET /v1/calculations` lists the calculations of the account.',
  ],
})
