import { createHash } from 'node:crypto'
import type { Key } from './philox.ts'

/**
 * A seed as the key of the generator.
 * @param seed whole, 0..2^53-1 as a number, 0..2^64-1 as decimal digits
 * @returns undefined if it is neither
 */
export function parseSeed(seed: number | string): Key | undefined {
  const digits = typeof seed === 'number' ? (Number.isSafeInteger(seed) ? String(seed) : '') : seed
  if (!/^(0|[1-9]\d{0,19})$/.test(digits)) return undefined
  const value = BigInt(digits)
  if (value >> 64n) return undefined
  return { low: Number(value & 0xffffffffn), high: Number(value >> 32n) }
}

/** The seed of a key, as decimal digits: all its 64 bits survive every JSON parser. */
export function formatSeed({ low, high }: Key): string {
  return ((BigInt(high) << 32n) | BigInt(low)).toString()
}

/**
 * A seed that depends on nothing but the request: the first 8 bytes of the SHA-256 of its JSON, with keys in
 * alphabetical order. The same request gives the same answer.
 */
export function seedOf(request: unknown): Key {
  const digest = createHash('sha256').update(canonicalJson(request)).digest()
  return { high: digest.readUInt32BE(0), low: digest.readUInt32BE(4) }
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
