import { hints, hintsOf } from './hints.ts'

/**
 * Whether somebody has repaired the vehicle or tried to, as far as the narrative says so: `THE VEHICLE WAS NOT
 * REPAIRED`, `THE DEALER REPLACED THE MODULE TWICE`. What should, could or has to be repaired says nothing.
 *
 * @returns null when it does not say
 */
export function repairAttempted(text: string): boolean | null {
  const hinted = hintsOf(text)
  if ((hinted & (hints.mended | hints.refused)) === 0) return null
  const lower = text.toLowerCase()
  let isDenied = false
  for (const { index } of lower.matchAll(mended)) {
    const before = lower.slice(Math.max(0, index - 60), index)
    const clause = before.slice(before.search(lastClause))
    if (denied.test(clause)) isDenied = true
    else if (!wished.test(clause) && said.test(clause)) return true
  }
  return isDenied || ((hinted & hints.refused) !== 0 && refused.test(lower)) ? false : null
}

const mended = /\b(?:repaired|replaced|fixed|rebuilt|reprogrammed|reflashed)\b/g

/** What stands behind the last end of a sentence. */
const lastClause = /[^.!?;]*$/

/** `was not diagnosed or`, `has never been`, `had yet to be`, `could not be` */
const denied =
  /(?:\bnot|n['’]t|\b(?:did|does|do|was|is|has|have|had|could|would|ca|wo)nt|\bnever|\byet to|\bunable to|\bwithout|\bcannot|\bnor)\b(?:\s+\w+){0,5}\s*$/

/** `needs to be`, `should have been`, `until it gets`, `to be inspected, diagnosed and` */
const wished =
  /\b(?:to (?:be|get|have)|be|should|would|could|will|might|may|must|can|if|until|unless|needs?|needed|want\w*|like|gets?|getting)\b(?:,?\s+\w+){0,4}\s*$/

/** `was`, `has been`, `I`, `the dealer has`, `they`, `had the pump` */
const said =
  /\b(?:(?:was|were|been|being|had|has|have|got|i|we|he|she|they|dealer\w*|mechanic|shop|technician|contact|who|service|ford|manufacturer|husband|wife|and|then|also|it|them)(?:\s+(?:all|already|also|again|finally|just|recently|since|later|then|both|it|them|twice|once|successfully))*|(?:had|having)(?:\s+\w+){1,5})\s+$/

const refused = /\brefus\w+\s+to\s+(?:repair|replace|fix)\b|\bno\s+repairs?\s+(?:was|were|has|have|had)\b/
