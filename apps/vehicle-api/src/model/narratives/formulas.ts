/**
 * A narrative without the sentences that stand in complaints about anything, because hotline and web form put them there,
 * and without those about a recall: they name its component, whatever has failed.
 */
export function withoutFormulas(text: string): string {
  if (!mayHaveFormula.test(text)) return text
  const sentences = sentencesOf(text)
  const telling = sentences.filter((sentence) => !formulas.test(sentence))
  return telling.length === sentences.length ? text : telling.join('')
}

/** The sentences of a text, each with its end; a point within a number or an address ends none. */
export function sentencesOf(text: string): readonly string[] {
  return text.match(/[^.!?]+(?:[.!?]+(?!\s|$)[^.!?]+)*[.!?]*/g) ?? []
}

/** Quick to look for, and in every text that has one of {@link formulas}. */
const mayHaveFormula =
  /contact|consumer|unknown|available|invalid|known|provided|included|mileage|campaign|nhtsa|manufacturer|warning|recall|remember|attached|\d[vetc]-?\d|what component|how was|has the|was the/i

const formulas = new RegExp(
  [
    // The contact owns a 2013 Ford C-Max Hybrid.
    String.raw`^\W*(?:tl\*\s*)?the (?:contact|consumer) (?:owns|owned|leases|leased|rents|rented)\b[^,;]{0,80}$`,
    // The VIN, engine size and number of cylinders were unknown. The part was not available.
    String.raw`\b(?:unknown|unavailable|invalid|not (?:available|known|provided|included))\W*$`,
    String.raw`\b(?:failure|current) mileages?\b`,
    // He received notification of NHTSA campaign number: 23V905000 (Engine and Engine Cooling).
    String.raw`\bcampaign (?:\w+ )?(?:id )?numbers?\b|\bnhtsa (?:action|campaign)\b|\b\d\d[vetc]-?\d{3}(?:000)?\b`,
    // So near that a long text of nothing else is still searched in linear time.
    String.raw`\bmanufacturer\b.{0,300}\b(?:notified|contacted|informed|aware|assist|assistance)\b`,
    // There were no warning lights illuminated.
    String.raw`\bno (?:\w+ )?warning (?:light|indicator|lamp|message)`,
    String.raw`\b(?:do|did|can)(?: ?not|n['’]?t|['’]t) (?:recall|remember)\b`,
    String.raw`^\W*(?:please )?(?:(?:see|find) )?(?:the )?attached\b`,
    // The questions of the web form, which some answer one by one.
    String.raw`^\W*(?:what component or system|how was your safety|has the (?:problem|vehicle|component)\b.*\?|were there any warning)`,
  ].join('|'),
  'is',
)
