// Bound here, because a look-up in the global object per call is slow in the contexts that tests run in.
const { imul } = Math

/**
 * Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3" (SC 2011): four random 32-bit words as a pure function of a counter and a key. Nothing is
 * carried from one draw to the next, so any trial can be drawn by anyone at any time.
 *
 * Writes the four words to out[at .. at + 3]. The counter is c0..c3, least significant word first; here c0 is
 * an index, c2 a block and c3 a stream: one per purpose, so that no two purposes share a draw.
 * @param key 64 bits
 */
export function philox(
  key: Key,
  c0: number,
  c1: number,
  c2: number,
  c3: number,
  out: Uint32Array,
  at: number,
): void {
  let k0 = key.low | 0
  let k1 = key.high | 0
  for (let round = 0; round < rounds; round++) {
    const high0 = multiplyHigh(c0, multiplier0)
    const high1 = multiplyHigh(c2, multiplier1)
    const low0 = imul(c0, multiplier0)
    const low1 = imul(c2, multiplier1)
    c0 = high1 ^ c1 ^ k0
    c1 = low1
    c2 = high0 ^ c3 ^ k1
    c3 = low0
    k0 = (k0 + weyl0) | 0
    k1 = (k1 + weyl1) | 0
  }
  out[at] = c0
  out[at + 1] = c1
  out[at + 2] = c2
  out[at + 3] = c3
}

const rounds = 10
const multiplier0 = 0xd2511f53 | 0
const multiplier1 = 0xcd9e8d57 | 0
const weyl0 = 0x9e3779b9 | 0
const weyl1 = 0xbb67ae85 | 0

/** The upper half of the 64-bit product of two unsigned words, from four products of half words. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff
  const aHigh = a >>> 16
  const bLow = b & 0xffff
  const bHigh = b >>> 16
  const middle1 = imul(aHigh, bLow)
  const middle2 = imul(aLow, bHigh)
  const carry = (imul(aLow, bLow) >>> 16) + (middle1 & 0xffff) + (middle2 & 0xffff)
  return (imul(aHigh, bHigh) + (middle1 >>> 16) + (middle2 >>> 16) + (carry >>> 16)) | 0
}

/** A 64-bit key as two unsigned words. */
export type Key = Readonly<{ low: number; high: number }>
