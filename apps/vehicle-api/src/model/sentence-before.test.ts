import { sentenceBefore } from './sentence-before.ts'

test.each([
  ['It failed. At 1.5 miles it |stopped', ' At 1.5 miles it '],
  ['AT FIRST IT |STOPPED. THEN NOT', 'AT FIRST IT '],
  ['Why? It |stopped', ' It '],
  ['|It stopped', ''],
])('of %j the sentence before the bar is %j', (marked, before) => {
  expect(sentenceBefore(marked.replace('|', ''), marked.indexOf('|'), 60)).toBe(before)
})

test('it goes back as far as is asked for', () => {
  expect(sentenceBefore('It failed at last', 9, 6)).toBe('failed')
})
