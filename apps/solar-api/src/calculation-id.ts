import { randomBytes } from 'node:crypto'

/**
 * A new id: `calc_` and a ULID in lower case, whose first ten characters are the time and whose last sixteen are
 * random (80 bits). In the order of their bytes, ids are in the order in which they were made, to the millisecond.
 *
 * @param at Unix milliseconds
 */
export function newCalculationId(at: number, random: (bytes: number) => Buffer = randomBytes): string {
  const time = encode(BigInt(at), 10)
  return `calc_${time}${encode(BigInt(`0x${random(10).toString('hex')}`), 16)}`
}

/** Whether a text can be the id of a calculation at all. */
export function isCalculationId(text: string): boolean {
  return calculationIdPattern.test(text)
}

export const calculationIdPattern = /^calc_[0-9a-z]{26}$/

/** Crockford's base 32: in the order of ASCII, without i, l, o and u. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

function encode(value: bigint, length: number): string {
  let text = ''
  for (let rest = value, at = 0; at < length; at++, rest >>= 5n) {
    text = alphabet.charAt(Number(rest & 31n)) + text
  }
  return text
}
