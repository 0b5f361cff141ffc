import fc from 'fast-check'
import {
  deriveSecret,
  digestKey,
  keyId,
  keyPrefix,
  makeKey,
  parseKey,
  parseKeyId,
  randomBase62,
  secretLength,
  selectorLength,
  serviceCodes,
  tagLength,
} from '../src/keys.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base62 = (length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength: length, maxLength: length })
const names = fc.record({
  service: fc.constantFrom(...serviceCodes),
  tag: base62(tagLength),
  selector: base62(selectorLength),
})
const named = fc.tuple(names, base62(secretLength))

describe('a key', () => {
  test('has 61 characters: deployment, live, account, selector, secret and checksum', () => {
    const key = makeKey({ service: 'wfr', tag: 'Account012', selector: 'Sel4' }, 's'.repeat(32))

    expect(key).toMatch(/^wfr_live_Account012Sel4s{32}[0-9A-Za-z]{6}$/)
    expect(key).toHaveLength(61)
  })

  test('tells its deployment, account and selector', () => {
    fc.assert(
      fc.property(named, ([name, secret]) => {
        expect(parseKey(makeKey(name, secret))).toEqual(name)
      }),
    )
  })

  test('is refused after any change of a single character', () => {
    const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))
    const change = fc.tuple(named, fc.nat(60), fc.constantFrom(...printable, 'é', '\n', '\u0000'))
    fc.assert(
      fc.property(change, ([[name, secret], position, other]) => {
        const key = makeKey(name, secret)
        fc.pre(key[position] !== other)

        expect(parseKey(key.slice(0, position) + other + key.slice(position + 1))).toBeUndefined()
      }),
      { numRuns: 5_000 },
    )
  })

  test('is refused with every one of the other characters at every place', () => {
    const key = makeKey(
      { service: 'slr', tag: randomBase62(10), selector: randomBase62(4) },
      randomBase62(32),
    )

    const accepted = Array.from(key, (own, at) =>
      Array.from(alphabet.replace(own, ''), (other) => key.slice(0, at) + other + key.slice(at + 1)),
    )
      .flat()
      .filter((changed) => parseKey(changed) !== undefined)

    expect(accepted).toEqual([])
  })

  test('is refused when neighbours are swapped, and when it is cut, doubled or padded', () => {
    fc.assert(
      fc.property(named, fc.nat(59), ([name, secret], at) => {
        const key = makeKey(name, secret)
        const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2)
        const others = [key.slice(1), key.slice(0, -1), key + key, ` ${key}`, `${key} `, `${key}\n`, '']

        expect(swapped === key || parseKey(swapped) === undefined).toBe(true)
        expect(others.map(parseKey)).toEqual(others.map(() => undefined))
      }),
    )
  })

  test('is never made twice in 100,000 (T32)', () => {
    const keys = new Set<string>()
    for (let i = 0; i < 100_000; i++) keys.add(randomBase62(secretLength))

    expect(keys.size).toBe(100_000)
  })

  test('shows in its prefix all but the secret, and an ellipsis', () => {
    const name = { service: 'slr', tag: 'Account012', selector: 'Sel4' } as const

    expect(keyPrefix(name)).toBe('slr_live_Account012Sel4...')
    expect(makeKey(name, 'x'.repeat(32)).startsWith(keyPrefix(name).slice(0, -3))).toBe(true)
  })
})

describe('random characters', () => {
  test('are uniform over the 62 of the alphabet', () => {
    const count = new Map<string, number>()
    const drawn = 620_000
    for (const character of randomBase62(drawn)) count.set(character, (count.get(character) ?? 0) + 1)
    const expected = drawn / 62

    const chiSquare = alphabet
      .split('')
      .map((character) => ((count.get(character) ?? 0) - expected) ** 2 / expected)
      .reduce((sum, term) => sum + term, 0)

    expect([...count.keys()].toSorted().join('')).toBe(alphabet)
    // 61 degrees of freedom; without the rejection of bytes above 247 it would be about 5,000.
    expect(chiSquare).toBeLessThan(160)
  })

  test('come in the number asked for, however many bytes are passed over', () => {
    const mostlyUnusable = (bytes: number) =>
      Buffer.from(Array.from({ length: bytes }, (_, i) => (i % 8 ? 255 : 7)))

    expect(randomBase62(32, mostlyUnusable)).toBe('7'.repeat(32))
    expect(randomBase62(0)).toBe('')
  })
})

describe('the digest of a key', () => {
  test('is the HMAC-SHA-256 under the pepper: the same for ever, another for another pepper or key', () => {
    expect(digestKey('key', 'pepper')).toBe('I-Sdt3IVSKyKod_M56kx9XsEX7G3K_RMHu-p9gp7w_g')
    expect(digestKey('key', 'pepper')).toHaveLength(43)
    expect(digestKey('key', 'other')).not.toBe(digestKey('key', 'pepper'))
    expect(digestKey('kez', 'pepper')).not.toBe(digestKey('key', 'pepper'))
  })
})

describe('a derived secret', () => {
  test('is the same for the same parts and has the form of a secret', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { maxLength: 4 }), (pepper, parts) => {
        expect(deriveSecret(pepper, ...parts)).toBe(deriveSecret(pepper, ...parts))
        expect(deriveSecret(pepper, ...parts)).toMatch(/^[0-9A-Za-z]{32}$/)
      }),
    )
  })

  test('is another one when the pepper, any part, or the border between parts differs', () => {
    const parts = ['signup', 'nonce', 'password', 'tag', 'sel']
    const variants = [
      deriveSecret('pepper', ...parts),
      deriveSecret('other', ...parts),
      ...parts.map((_, at) => deriveSecret('pepper', ...parts.with(at, 'changed'))),
      deriveSecret('pepper', 'signupn', 'once', 'password', 'tag', 'sel'),
      deriveSecret('pepper', ...parts, ''),
    ]

    expect(new Set(variants).size).toBe(variants.length)
  })
})

describe('a key id', () => {
  test('names the account and the selector and can be read back', () => {
    fc.assert(
      fc.property(base62(tagLength), base62(selectorLength), (tag, selector) => {
        expect(parseKeyId(keyId(tag, selector))).toEqual({ tag, selector })
      }),
    )
  })

  test.each([
    '',
    'key_',
    'key_short',
    `key_${'a'.repeat(15)}`,
    `key_${'a'.repeat(13)}-`,
    `KEY_${'a'.repeat(14)}`,
  ])('is not %j', (text) => {
    expect(parseKeyId(text)).toBeUndefined()
    expect(parseKeyId(`key_${'a'.repeat(14)}\n`)).toBeUndefined()
  })
})
