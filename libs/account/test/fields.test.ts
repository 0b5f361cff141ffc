import fc from 'fast-check'
import { emailField, normaliseEmail } from '../src/fields.ts'

describe('the normal form of an e-mail address', () => {
  test('is its own normal form, whatever the text', () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.emailAddress())
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(emailField.validate(text).error === undefined)

        expect(normaliseEmail(normaliseEmail(text))).toBe(normaliseEmail(text))
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['Ann@Example.COM', 'ann@example.com'],
    ['  ann@example.com\n', 'ann@example.com'],
    ['\uff41nn\uff20example.com', 'ann@example.com'],
    ['ann@b\u00fccher.example', 'ann@xn--bcher-kva.example'],
    ['ann@bu\u0308cher.example', 'ann@xn--bcher-kva.example'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['\u212aate@example.com', 'kate@example.com'],
    ['a.n.n+tag@example.com', 'a.n.n+tag@example.com'],
    ['no address', 'no address'],
  ])('of %j is %j', (email, normal) => {
    expect(normaliseEmail(email)).toBe(normal)
  })
})
