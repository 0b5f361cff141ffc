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
    const high0 = multiplyHigh0(c0)
    const high1 = multiplyHigh1(c2)
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

/**
 * The upper half of the 64-bit product of an unsigned word with 0xd2511f53, from products of half words. The two
 * middle ones and the carry fit one word together, because 0xd251 + 0x1f53 < 0x10000.
 */
function multiplyHigh0(a: number): number {
  const low = a & 0xffff
  const high = a >>> 16
  const middle = imul(high, 0x1f53) + imul(low, 0xd251) + (imul(low, 0x1f53) >>> 16)
  return (imul(high, 0xd251) + (middle >>> 16)) | 0
}

/** The same with 0xcd9e8d57, whose middle products have to be added one by one. */
function multiplyHigh1(a: number): number {
  const low = a & 0xffff
  const high = a >>> 16
  const middle = imul(high, 0x8d57) + (imul(low, 0x8d57) >>> 16)
  const carry = (imul(low, 0xcd9e) + (middle & 0xffff)) >>> 16
  return (imul(high, 0xcd9e) + (middle >>> 16) + carry) | 0
}

/** A 64-bit key as two unsigned words. */
export type Key = Readonly<{ low: number; high: number }>
