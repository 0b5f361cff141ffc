import type { Background } from './background.ts'

/** Weight of the prior in terms: how many terms of average text are added to either side. */
export const priorTerms = 500

/**
 * How distinctive a term is of some texts against all others: the log-odds ratio with an informative Dirichlet
 * prior, in standard deviations (Monroe, Colaresi and Quinn, Fightin' Words, Political Analysis 16, 2008). The
 * prior is the distribution of terms over all texts.
 * @param own texts with the term
 * @param ownTerms terms of these texts, each counted once per text
 * @param hash of the term
 */
export function distinctiveness(own: number, ownTerms: number, hash: number, background: Background): number {
  const allTerms = background.total()
  // The texts themselves are part of the background, as far as the sample has them.
  const sampled = Math.max(own / background.every, background.countOf(hash))
  const rest = sampled - own / background.every
  const restTerms = allTerms - ownTerms / background.every
  const prior = (priorTerms * (sampled + 0.5)) / (allTerms + 1)
  return (
    (logOdds(own + prior, ownTerms + priorTerms) - logOdds(rest + prior, restTerms + priorTerms)) /
    Math.sqrt(1 / (own + prior) + 1 / (rest + prior))
  )
}

function logOdds(part: number, whole: number): number {
  return Math.log(part / (whole - part))
}
