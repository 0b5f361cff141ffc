import { philox, type Key } from './philox.ts'

// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { ceil, clz32, floor, imul, round } = Math

/**
 * The place of `index` in a random permutation of 0..length-1: a permutation of the next power of two by
 * invertible steps, walked until it lands inside. After Kensler, "Correlated multi-jittered sampling" (Pixar
 * technical memo 13-01). No table is kept, so any trial finds its stratum on its own.
 * @param length 1..2^31
 * @param seed a random word: which permutation
 */
export function permute(index: number, length: number, seed: number): number {
  const mask = length > 1 ? 0xffffffff >>> clz32(length - 1) : 0
  let place = index
  do place = shuffle(place, mask, seed)
  while (place >= length)
  return (place + (seed >>> 0)) % length
}

/**
 * Moves the random words of `count` trials from `first` on, in one dimension of one hypercube, to their strata: one
 * trial in each of `length` equal parts of 0..2^32. The words are words[at ..]; where they were among all words says
 * where they are within the stratum.
 */
export function fillStrata(
  length: number,
  seed: number,
  first: number,
  count: number,
  words: Uint32Array,
  at: number,
): void {
  const perStratum = 4294967296 / length
  for (let index = 0; index < count; index++) {
    const stratum = permute(first + index, length, seed)
    // Rounded, so that word + 0.5 lies inside for any length.
    const start = round(stratum * perStratum)
    const size = round((stratum + 1) * perStratum) - start
    words[at + index] = start + floor(((words[at + index] ?? 0) * size) / 4294967296)
  }
}

/** A random word for the permutation of each of `count` units. */
export function permutationSeeds(key: Key, stream: number, count: number): Uint32Array {
  const seeds = new Uint32Array(4 * ceil(count / 4))
  for (let at = 0; at < count; at += 4) philox(key, at >>> 2, 0, 0, stream, seeds, at)
  return seeds.subarray(0, count)
}

function shuffle(place: number, mask: number, seed: number): number {
  let word = place ^ seed
  word = imul(word, 0xe170893d)
  word ^= seed >>> 16
  word ^= (word & mask) >>> 4
  word ^= seed >>> 8
  word = imul(word, 0x0929eb3f)
  word ^= seed >>> 23
  word ^= (word & mask) >>> 1
  word = imul(word, 1 | (seed >>> 27))
  word = imul(word, 0x6935fa69)
  word ^= (word & mask) >>> 11
  word = imul(word, 0x74dcb303)
  word ^= (word & mask) >>> 2
  word = imul(word, 0x9e501cc3)
  word ^= (word & mask) >>> 2
  word = imul(word, 0xc860a3df)
  word &= mask
  return (word ^ (word >>> 5)) >>> 0
}
