import { quickSet } from './quick-set.ts'
import { weakWords } from './stop-words.ts'
import { pairHash, textHash } from './term-hash.ts'
import type { Words } from './words.ts'

/** So many skipped words may lie within a pair. */
const widestGap = 2

/** Every word that is not weak, and every pair of words: see {@link isPair}. */
export function eachTerm(words: Words, visit: (term: number, isPair: boolean) => void): void {
  const { count, hashes } = words
  for (let index = 0; index < count; index++) {
    const hash = hashes[index] ?? 0
    if (!isWeak(hash)) visit(hash, false)
    if (isPair(words, index)) visit(pairHash(hashes[index - 1] ?? 0, hash), true)
  }
}

/**
 * Whether a word makes a pair with the one before it: at most two skipped words lie between them. A word and the same
 * again is none, nor is one with a `not` behind it, which belongs to what follows.
 */
export function isPair({ hashes, gaps }: Words, index: number): boolean {
  if (index === 0 || (gaps[index] ?? 0) > widestGap) return false
  const hash = hashes[index] ?? 0
  return hash !== hashes[index - 1] && hash !== not
}

const not = textHash('not')
const isWeak = quickSet(weakWords)
