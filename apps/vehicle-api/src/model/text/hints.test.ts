import fc from 'fast-check'
import { hints, hintsOf } from './hints.ts'

/** What each hint stands for, as patterns say it. */
const patterns: Readonly<Record<keyof typeof hints, RegExp>> = {
  redacted: /redacted/i,
  money: /\$|dollar|bucks|usd/i,
  miles: /mile|odometer/i,
  campaign: /recall|campaign|v[-\d]/i,
  investigation: /(?:pe|ea|rq|dp|aq)[ -]?\d\d/i,
  bulletin: /tsb|bulletin|satisfaction/i,
  maker: /manufacturer|corporate|customer/i,
  mended: /repaired|replaced|fixed|rebuilt|reprogrammed|reflashed/i,
  refused: /refus|no\s+repair/i,
  untidy: / {2}|[^ -~]/,
}
const names = Object.keys(patterns) as (keyof typeof hints)[]

const pieces = fc.oneof(
  fc.constantFrom(
    ...'redacted $ dollar bucks usd mile odometer recall campaign v pe ea rq dp aq tsb'.split(' '),
  ),
  fc.constantFrom(
    'bulletin',
    'satisfaction',
    'manufacturer',
    'corporate',
    'customer',
    'reprogrammed',
    'fixed',
  ),
  fc.constantFrom(
    'repair',
    'replaced',
    'refus',
    'no',
    'ed',
    '1',
    '27',
    '-',
    ' ',
    '  ',
    '\n\n',
    '\t',
    '\u00e9',
    'x',
  ),
)

test('a text has the hint of everything that is in it, and plain text no other', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(pieces, fc.boolean()), { maxLength: 8 }), (parts) => {
      const text = parts.map(([piece, isUpper]) => (isUpper ? piece.toUpperCase() : piece)).join('')
      const given = names.filter((name) => (hintsOf(text) & hints[name]) !== 0)
      const there = names.filter((name) => patterns[name].test(text))
      expect(given).toEqual(expect.arrayContaining(there))
      if (!patterns.untidy.test(text)) expect(given).toEqual(there)
    }),
    { numRuns: 2_000 },
  )
})

test.each(names)('%s is found at the end of a long text and in the middle of a word', (name) => {
  const examples: Readonly<Record<keyof typeof hints, string>> = {
    ...{ redacted: 'REDACTED', money: 'Dollar', miles: 'odOmeter', campaign: 'V-', investigation: 'Pe 21' },
    ...{ bulletin: 'bbulletin', maker: 'cocorporate', mended: 'rereplaced', refused: 'refus', untidy: '  ' },
  }
  expect(hintsOf(`${'the part broke '.repeat(50)}and${examples[name]}`) & hints[name]).toBe(hints[name])
})

test('says nothing of a text that has none', () => {
  expect(hintsOf('The part broke at 5 PM. It is new!')).toBe(0)
  expect(hintsOf('')).toBe(0)
})
