import fc from 'fast-check'
import { cleanNarrative, cleanText, redacted } from './clean-narrative.ts'

test.each([
  ['the mark of the hotline', 'TL* THE CONTACT OWNS A CAR. *TR', 'THE CONTACT OWNS A CAR.'],
  ['a mark with a colon', 'DT*: THE CONTACT STATED.  *NM', 'THE CONTACT STATED.'],
  ['marks after dates', 'IT FAILED. UPDATED 10/19/2011 *LN  *TR', 'IT FAILED. UPDATED 10/19/2011'],
  ['a mark without a blank', 'IT FAILED. UPDATED 8/23/2017*CT', 'IT FAILED. UPDATED 8/23/2017'],
  [
    'a mark in the middle',
    'IT FELL APART.  *AK  THE BOLT WAS LOOSE.  CW',
    'IT FELL APART. THE BOLT WAS LOOSE.',
  ],
  ['initials at the end', 'EXTENDED STOPPING DISTANCE.  TT', 'EXTENDED STOPPING DISTANCE.'],
  ['initials without a full stop', 'DRAWN FROM BATTERY FOR RADIO  TT', 'DRAWN FROM BATTERY FOR RADIO'],
  [
    'stars of the owner',
    '*PROBLEM OCCURS IN THE COLD.* EVERY DAY',
    '*PROBLEM OCCURS IN THE COLD.* EVERY DAY',
  ],
  ['an abbreviation of the owner', 'I DRIVE AN AUDI TT.', 'I DRIVE AN AUDI TT.'],
  ['blacked-out parts', 'Call [XXX]  [XXX] or [XXX].', `Call ${redacted} or ${redacted}.`],
  [
    'the note on blacked-out parts',
    'It [XXX] failed.  INFORMATION REDACTED PURSUANT TO THE FREEDOM OF INFORMATION ACT (FOIA), 5 U.S.C. 552(B)(6).  *TR',
    `It ${redacted} failed.`,
  ],
  [
    'the note before more text',
    'INFORMATION Redacted PURSUANT TO THE FREEDOM OF INFORMATION ACT (FOIA), 5 U.S.C. 552(B)(6)   HI, IT FAILED.',
    'HI, IT FAILED.',
  ],
  [
    'a note that was cut off',
    'IT FAILED. INFORMATION REDACTED PURSUANT TO THE FREEDOM OF INFO',
    'IT FAILED.',
  ],
  ['characters encoded twice', 'â€œDonâ€™tâ€\u009d say 40Â° Ã©t', '“Don’t” say 40° ét'],
  ['characters that only look so', 'naïve café £5 â‚ À propos', 'naïve café £5 â‚ À propos'],
  ['a closing quotation mark that lost a byte', 'â€œNO FAULTâ€, HE SAID', '“NO FAULT”, HE SAID'],
  ['characters that went wrong in two ways', 'ITÂ’S A\u0092B', 'IT’S A’B'],
  ['apostrophes that were lost', 'I CAN¿T, IT¿S BROKEN ¿ WHY', "I CAN'T, IT'S BROKEN ¿ WHY"],
  ['a byte nobody knows', 'A\u0081B', 'A\ufffdB'],
  [
    'entities',
    'A &amp; B &quot;C&quot; &#39;D&#39; &lt;5 &unknown; AT&T;',
    'A & B "C" \'D\' <5 &unknown; AT&T;',
  ],
  ['blanks of all kinds', ' A \t B\u00a0C\u200bD \u0000 E\r\nF  ', 'A B C D E F'],
])('%s', (_, raw, expected) => {
  expect(cleanNarrative(raw)).toBe(expected)
})

test('a text that is in order stays as it is, in capitals or not', () => {
  for (const text of [
    'The car stopped. It cost $500!',
    'THE CAR STOPPED; "WHY?"',
    'Größe 5 “quoted” – yes',
  ]) {
    expect([cleanNarrative(text), cleanText(text)]).toEqual([text, text])
  }
})

test('texts that are no narratives keep their stars', () => {
  expect(cleanText('DEALERS WILL  REPLACE IT. *TR &amp; MORE')).toBe('DEALERS WILL REPLACE IT. *TR & MORE')
})

test('what is clean has no control characters, no blanks in a row, and a database takes it', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.constantFrom(...snippets), { maxLength: 12 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (raw) => {
      const clean = cleanNarrative(raw)

      expect(clean).not.toMatch(/[\u0000-\u001f\u0080-\u009f]|\s\s|^\s|\s$/)
    }),
    { numRuns: 500 },
  )
})

const snippets = [
  'TL*',
  '*TR',
  ' ',
  '  ',
  '[XXX]',
  'INFORMATION REDACTED',
  '&amp;',
  '\t',
  'â€™',
  'Â ',
  'TEXT.',
  'TT',
]
