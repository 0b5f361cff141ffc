import type { ReadWords } from './quotation.ts'
import { pairHash } from './term-hash.ts'
import { isPair } from './terms.ts'
import type { Words } from './words.ts'

/** Where a text has a term: from the start of its first word to the end of its last one. */
export type Mention = {
  readonly start: number
  readonly end: number
  /** Where it starts with its denial, as in `none of the air bags deployed`; -1 where it is not denied. */
  readonly deniedFrom: number
}

/**
 * Where a text tells of a term, known by its hash. Sentences that hotline and web form put into every complaint tell
 * nothing, nor do those about a recall: they name its component, whatever has failed.
 */
export function mentionsOf(hash: number, text: string, readWords: ReadWords): Mention[] {
  const found: Mention[] = []
  for (const { start, end } of placesOf(hash, readWords(text))) {
    const [from, to] = sentenceAround(text, start, end)
    if (isFormula(text.slice(from, to))) continue
    found.push({
      start,
      end,
      deniedFrom: denialBefore(text, from, start) ?? denialWithin(text, start, end) ?? -1,
    })
  }
  return found
}

function denialBefore(text: string, from: number, start: number): number | null {
  const found = deniedBefore.exec(text.slice(Math.max(from, start - longestDenial), start))
  return found === null ? null : start - found[0].length
}

/** `bags failed to deploy` */
function denialWithin(text: string, start: number, end: number): number | null {
  return deniedWithin.test(text.slice(start, end)) ? start : null
}

/** Whether a text tells of a term only to say that it is not so: null where it does not tell of it. */
export function isDenied(mentions: readonly Mention[]): boolean | null {
  return mentions.length === 0 ? null : mentions.every(({ deniedFrom }) => deniedFrom >= 0)
}

function placesOf(hash: number, words: Words): Pick<Mention, 'start' | 'end'>[] {
  const { count, hashes, starts, ends } = words
  const found: Pick<Mention, 'start' | 'end'>[] = []
  for (let index = 0; index < count; index++) {
    const [word, start, end] = [hashes[index] ?? 0, starts[index] ?? 0, ends[index] ?? 0]
    if (word === hash) found.push({ start, end })
    else if (isPair(words, index) && pairHash(hashes[index - 1] ?? 0, word) === hash) {
      found.push({ start: starts[index - 1] ?? 0, end })
    }
  }
  return found
}

/** Where the sentence starts and ends that holds a place, as far as {@link longestSentence} characters to both sides. */
function sentenceAround(text: string, start: number, end: number): [number, number] {
  let [from, to] = [start, end]
  const [first, last] = [Math.max(0, start - longestSentence), Math.min(text.length, end + longestSentence)]
  while (from > first && !isEnd(text, from - 1)) from--
  while (to < last && !isEnd(text, to)) to++
  return [from, to]
}

/** Whether a sentence ends at a character; a point within a number or an address ends none. */
function isEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code !== 46 && code !== 33 && code !== 63) return false
  return at + 1 >= text.length || text.charCodeAt(at + 1) <= 32
}

const longestSentence = 300
const longestDenial = 60

/** Whether a sentence is one of those that stand in complaints about anything. */
export function isFormula(sentence: string): boolean {
  return formulas.test(sentence)
}

const formulas = new RegExp(
  [
    // The contact owns a 2013 Ford C-Max Hybrid.
    String.raw`^\W*(?:tl\*\s*)?the (?:contact|consumer) (?:owns|owned|leases|leased|rents|rented)\b[^,;]{0,80}$`,
    // The VIN, engine size and number of cylinders were unknown. The part was not available.
    String.raw`\b(?:unknown|unavailable|invalid|not (?:available|known|provided|included))\W*$`,
    String.raw`\b(?:failure|current) mileages?\b`,
    // He received notification of NHTSA campaign number: 23V905000 (Engine and Engine Cooling).
    String.raw`\bcampaign (?:\w+ )?(?:id )?numbers?\b|\bnhtsa (?:action|campaign)\b|\b\d\d[vetc]-?\d{3}(?:000)?\b`,
    String.raw`\bmanufacturer\b.*\b(?:notified|contacted|informed|aware|assist|assistance)\b`,
    // There were no warning lights illuminated.
    String.raw`\bno (?:\w+ )?warning (?:light|indicator|lamp|message)`,
    String.raw`\b(?:do|did|can)(?: ?not|n['’]?t|['’]t) (?:recall|remember)\b`,
    String.raw`^\W*(?:please )?(?:(?:see|find) )?(?:the )?attached\b`,
    // The questions of the web form, which some answer one by one.
    String.raw`^\W*(?:what component or system|how was your safety|has the (?:problem|vehicle|component)\b.*\?|were there any warning)`,
  ].join('|'),
  'is',
)

const denial = String.raw`\b(?:no|none|neither|never|not|cannot|[a-z]+n['’]t|(?:ca|wo|do|does|did|is|are|was|were|has|have|had|would|could|should)nt|fail(?:s|ed|ing|ure)? to|unable to)\s+`

/** Words after which a denial does not reach what follows: `for no reason`, `not only`, `do not know why`. */
const barriers = String.raw`(?:and|but|or|because|if|when|that|which|so|until|since|while|only|just|one|know|sure|why|how|what|believe|think|understand|want|reason|idea|apparent|obvious|known|warning)\b`

/** `none of the`, `did not`, `failed to` */
const deniedBefore = new RegExp(String.raw`${denial}(?:(?!${barriers})[\w'’]+\s+){0,3}$`, 'i')
/** Not at its start: a term that is a denial, such as `not start`, is what is told. */
const deniedWithin = new RegExp(String.raw`\s${denial}`, 'i')
