import { createHash, createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The deployments, by the first part of their keys. */
export const serviceCodes = ['slr', 'wfr', 'vhr'] as const

/** First part of a key: the deployment that issued it. */
export type ServiceCode = (typeof serviceCodes)[number]

/** The public parts of a key: they find its record before anything is looked up. */
export type KeyName = {
  readonly service: ServiceCode
  /** 10 characters, one per account. */
  readonly tag: string
  /** 4 characters, unique within the account. */
  readonly selector: string
}

/**
 * A new key, `<svc>_live_<tag10><sel4><secret32><crc6>`: 61 characters, all but the prefix base62. The last six are
 * the CRC-32 of everything before them, so that typing errors are refused without any look-up.
 *
 * @param secret 32 base62 characters (190 bits); see randomBase62 and deriveSecret
 */
export function makeKey(name: KeyName, secret: string): string {
  const body = `${name.service}_live_${name.tag}${name.selector}${secret}`
  return body + checksum(body)
}

/** The public parts of a well-formed key, or undefined when the form or the checksum is wrong. */
export function parseKey(text: string): KeyName | undefined {
  if (text.length !== keyLength || !keyPattern.test(text)) return undefined
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined
  return {
    service: text.slice(0, 3) as ServiceCode, // the pattern admits no other
    tag: text.slice(9, 19),
    selector: text.slice(19, 23),
  }
}

/** What a key list may show of a key: everything up to the secret, with an ellipsis. */
export function keyPrefix(name: KeyName): string {
  return `${name.service}_live_${name.tag}${name.selector}...`
}

/** The id of a key in answers and paths. */
export function keyId(tag: string, selector: string): string {
  return `key_${tag}${selector}`
}

/** The parts of a key id, or undefined when it is not one. */
export function parseKeyId(id: string): { tag: string; selector: string } | undefined {
  return /^key_[0-9A-Za-z]{14}$/.test(id) ? { tag: id.slice(4, 14), selector: id.slice(14) } : undefined
}

/**
 * What is stored of a key: HMAC-SHA-256 under the pepper, base64url, 43 characters. A stolen database then yields
 * neither usable keys nor the means to insert forged ones.
 */
export function digestKey(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('base64url')
}

/** `length` random base62 characters, uniform (rejection sampling). */
export function randomBase62(length: number, random: (bytes: number) => Buffer = randomBytes): string {
  let text = ''
  while (text.length < length) text += toBase62(random(length * 2)).slice(0, length - text.length)
  return text
}

/**
 * A key's secret that can be made again from what only the caller and the server know together: how a lost answer
 * to signup or rotation is given again without the key having been stored.
 */
export function deriveSecret(pepper: string, ...parts: readonly string[]): string {
  const seed = createHmac('sha256', pepper).update(JSON.stringify(parts)).digest()
  let text = ''
  for (let block = 0; text.length < secretLength; block++) {
    text += toBase62(createHash('sha512').update(seed).update(String(block)).digest())
  }
  return text.slice(0, secretLength)
}

/** Lengths of the random parts of a key, in characters. */
export const tagLength = 10
export const selectorLength = 4
export const secretLength = 32

const keyLength = 61
const checksumLength = 6
const keyPattern = /^(?:slr|wfr|vhr)_live_[0-9A-Za-z]{52}$/
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Bytes of 248 and above are passed over: 248 is the largest multiple of 62 in a byte. */
function toBase62(bytes: Buffer): string {
  let text = ''
  for (const byte of bytes) if (byte < 248) text += alphabet.charAt(byte % 62)
  return text
}
