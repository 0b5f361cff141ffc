/** Start of the hash of a word: see {@link mixLetter}. */
export const emptyHash = 0x811c9dc5 | 0

/** FNV-1a, one character code on. */
export function mixLetter(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

/** Spreads a hash over all its 32 bits (the finaliser of MurmurHash3). */
export function finishHash(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** Hash of two words that follow one another. */
export function pairHash(first: number, second: number): number {
  return finishHash(Math.imul(first, 31) + second)
}

/** Hash of a word in lower case, or of any other text. */
export function textHash(text: string): number {
  let hash = emptyHash
  for (let index = 0; index < text.length; index++) hash = mixLetter(hash, text.charCodeAt(index))
  return finishHash(hash)
}
