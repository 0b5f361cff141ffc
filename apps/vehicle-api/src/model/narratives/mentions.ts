import { sentenceBefore } from '../sentence-before.ts'
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

/** Where a text has a term, known by its hash. */
export function mentionsOf(hash: number, text: string, readWords: ReadWords): Mention[] {
  const found: Mention[] = []
  for (const { start, end } of placesOf(hash, readWords(text))) {
    found.push({ start, end, deniedFrom: denialBefore(text, start) ?? denialWithin(text, start, end) ?? -1 })
  }
  return found
}

function denialBefore(text: string, start: number): number | null {
  const found = deniedBefore.exec(sentenceBefore(text, start, longestDenial))
  return found === null ? null : start - found[0].length
}

/** `bags failed to deploy` */
function denialWithin(text: string, start: number, end: number): number | null {
  return deniedWithin.test(text.slice(start, end)) ? start : null
}

/** Whether a text has a term only to say that it is not so; null where it does not have it. */
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

const longestDenial = 60

const denial = String.raw`\b(?:no|none|neither|never|not|cannot|[a-z]+n['’]t|(?:ca|wo|do|does|did|is|are|was|were|has|have|had|would|could|should)nt|fail(?:s|ed|ing|ure)? to|unable to|should(?:['’]ve| have))\s+`

/** Words after which a denial does not reach what follows: `for no reason`, `not only`, `do not know why`. */
const barriers = String.raw`(?:and|but|or|because|if|when|that|which|so|until|since|while|only|just|one|know|sure|why|how|what|believe|think|understand|want|reason|idea|apparent|obvious|known|warning)\b`

/** `none of the`, `did not`, `failed to` */
const deniedBefore = new RegExp(String.raw`${denial}(?:(?!${barriers})[\w'’]+\s+){0,4}$`, 'i')
/** Not at its start: a term that is a denial, such as `not start`, is what is told. */
const deniedWithin = new RegExp(String.raw`\s${denial}`, 'i')
