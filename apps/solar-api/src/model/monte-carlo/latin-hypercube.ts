import { philox, type Key } from './philox.ts'

// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { ceil, clz32, imul } = Math

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
 * Writes the coordinates of `count` trials from `first` on, in one dimension of one hypercube, to a column,
 * strictly between 0 and 1: one trial in each of `length` strata.
 * @param words four random words per trial, of which number `lane` places it within its stratum
 * @param row of the column for the first of them
 */
export function fillStrata(
  length: number,
  seed: number,
  first: number,
  count: number,
  words: Uint32Array,
  lane: number,
  column: Float64Array,
  row: number,
): void {
  const perStratum = 1 / length
  for (let index = 0; index < count; index++) {
    // 24 bits: more would round to 1 in the last stratum of the longest runs.
    const within = (((words[4 * index + lane] ?? 0) >>> 8) + 0.5) / 16777216
    column[row + index] = (permute(first + index, length, seed) + within) * perStratum
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
