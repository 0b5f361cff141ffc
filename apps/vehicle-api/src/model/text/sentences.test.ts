import fc from 'fast-check'
import { sentenceAt } from './sentences.ts'

test.each([
  ['One. Two is here! Three?', 'Two', 'Two is here!'],
  ['Only one without an end', 'without', 'Only one without an end'],
  ['It cost $5.50 at 9 a.m. today. Next.', '$5', 'It cost $5.50 at 9 a.m. today.'],
  ['First narrative\n\nSecond one', 'Second', 'Second one'],
  ['He said "no." Then he left.', 'left', 'Then he left.'],
])('in %j the sentence with %j is %j', (text, part, expected) => {
  expect(sentenceAt(text, text.indexOf(part))).toBe(expected)
})

test('that goes on for ever is cut from word to word around the place', () => {
  const text = `${'word '.repeat(300)}HERE ${'more '.repeat(300)}`.trim()
  const sentence = sentenceAt(text, text.indexOf('HERE'), 100)
  expect(sentence).toMatch(/^… (?:word )+HERE (?:more ?)+ …$/)
  expect(sentence.length).toBeLessThanOrEqual(104)
})

test('is part of the text and not too long', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.nat(200), (text, position) => {
      const sentence = sentenceAt(text, position, 40).replaceAll('…', '').trim()
      expect(text).toContain(sentence.includes('…') ? '' : sentence)
      expect(sentence.length).toBeLessThanOrEqual(44)
    }),
  )
})
