import { sentencesOf } from './formulas.ts'
import { isDenied, mentionsOf } from './mentions.ts'
import type { ReadWords } from './quotation.ts'
import { pairHash } from './term-hash.ts'
import { isPair } from './terms.ts'

/**
 * The sentence that tells most of an issue: it has the term and denies it as the issue does, or does not, and of such
 * sentences has most of what is distinctive of the vehicle for its length. Cut after 200 characters; empty where there
 * is none.
 * @param texts that have the term; the first twenty are looked at
 * @param weights of terms, by hash
 */
export function tellingSentence(
  { hash, isDenied: denies }: { readonly hash: number; readonly isDenied: boolean },
  texts: readonly string[],
  weights: ReadonlyMap<number, number>,
  readWords: ReadWords,
): string {
  let best = { sentence: '', worth: -Infinity }
  for (const text of texts.slice(0, 20)) {
    for (const sentence of sentencesOf(text)) {
      if (sentence.length < shortest || sentence.length > 2 * longest) continue
      const worth = worthOf(hash, sentence, weights, readWords)
      if (worth <= best.worth || isDenied(mentionsOf(hash, sentence, readWords)) !== denies) continue
      best = { sentence, worth }
    }
  }
  return shortened(readable(best.sentence))
}

function worthOf(
  hash: number,
  sentence: string,
  weights: ReadonlyMap<number, number>,
  readWords: ReadWords,
): number {
  const words = readWords(sentence)
  const { count, hashes } = words
  let hasTerm = false
  let worth = 0
  for (let index = 0; index < count; index++) {
    const word = hashes[index] ?? 0
    const hasPair = isPair(words, index)
    const pair = hasPair ? pairHash(hashes[index - 1] ?? 0, word) : word
    hasTerm ||= word === hash || pair === hash
    worth += (weights.get(word) ?? 0) + (hasPair ? (weights.get(pair) ?? 0) : 0)
  }
  if (!hasTerm) return -Infinity
  // Sentences that must be cut come last.
  return worth / Math.sqrt(sentence.length + 40) - (sentence.length > longest ? 1e6 : 0)
}

/** Without the shouting of capital letters. */
function readable(sentence: string): string {
  const text = sentence.replaceAll(/\s+/g, ' ').trim()
  const isShouted = text.replaceAll(/[^A-Z]/g, '').length > text.replaceAll(/[^a-z]/g, '').length
  const calm = isShouted ? text.toLowerCase().replaceAll(/\bi\b/g, 'I') : text
  return calm.charAt(0).toUpperCase() + calm.slice(1)
}

function shortened(text: string): string {
  if (text.length <= longest) return text
  return `${text.slice(0, text.lastIndexOf(' ', longest - 1))}…`
}

const shortest = 25
const longest = 200
