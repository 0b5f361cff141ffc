import { quickSet } from './quick-set.ts'
import { weakWords } from './stop-words.ts'
import { pairHash } from './term-hash.ts'
import type { Words } from './words.ts'

/** So many skipped words may lie within a pair. */
export const widestGap = 2

/** Every word that is not weak, and every pair of words with at most two skipped ones between them. */
export function eachTerm(words: Words, visit: (term: number, isPair: boolean) => void): void {
  const { count, hashes, gaps } = words
  let before = 0
  for (let index = 0; index < count; index++) {
    const hash = hashes[index] ?? 0
    if (!isWeak(hash)) visit(hash, false)
    if ((gaps[index] ?? 0) <= widestGap) visit(pairHash(before, hash), true)
    before = hash
  }
}

const isWeak = quickSet(weakWords)
