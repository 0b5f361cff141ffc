/**
 * What the draws of a run are for: the last word of the Philox counter. Seeded results depend on these.
 */
export const streams = Object.freeze({
  /** trials of method `random` */
  trials: 0,
  /** scrambles of the Sobol points of the trials */
  sobolTrials: 1,
  /** permutations of the strata of method `lhs` */
  strata: 2,
  /** places within the strata */
  withinStrata: 3,
  /** scrambles of the Sobol points of the sensitivity indices */
  sobolIndices: 4,
})
