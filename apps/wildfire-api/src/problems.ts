import { problemKinds } from '@hearth/chassis/errors'

/** The problems of county data. */
export const wildfireProblems = problemKinds({
  county_not_found: [
    404,
    'There is no such county',
    'No county has this code. Codes are the five digits of FIPS: two of the state, three of the county. The member `supersededBy` names the counties that took the place of a retired one, `suggestions` codes that are near.',
  ],
})
