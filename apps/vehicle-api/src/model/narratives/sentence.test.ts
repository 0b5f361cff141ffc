import { tellingSentence } from './sentence.ts'
import { pairHash, textHash } from './term-hash.ts'
import { createWordReader } from './words.ts'

const read = createWordReader()
const latch = textHash('latch')
const weights = new Map(['latch', 'frozen', 'door'].map((word) => [textHash(word), 5]))
const sentenceOf = (...texts: string[]) =>
  tellingSentence({ hash: latch, isDenied: false }, texts, weights, read)

test('the sentence that tells most is taken', () => {
  expect(
    sentenceOf(
      'I wrote to the maker. The latch is bad, they told me after a while.',
      'It is cold. The door latch is frozen again.',
    ),
  ).toBe('The door latch is frozen again.')
})

test('capital letters are calmed', () => {
  expect(sentenceOf('I NOTICED THAT THE DOOR LATCH WAS FROZEN AND I PUSHED.')).toBe(
    'I noticed that the door latch was frozen and I pushed.',
  )
})

test('a pair of words is found as well as a word', () => {
  const pair = pairHash(textHash('door'), latch)
  const told = { hash: pair, isDenied: false }
  expect(
    tellingSentence(told, ['The latch of the door broke off. My door latch is broken.'], weights, read),
  ).toBe('My door latch is broken.')
})

test('a long sentence is cut at a word, and only taken where there is no shorter one', () => {
  const long = `The door latch was frozen ${'and the door was open '.repeat(15)}.`
  const cut = sentenceOf(long)
  expect(cut.length).toBeLessThanOrEqual(201)
  expect(cut).toMatch(/ \w+…$/)
  expect(sentenceOf(long, 'Some words about a latch here.')).toBe('Some words about a latch here.')
})

test('numbers with a point do not end a sentence', () => {
  expect(sentenceOf('The latch cost $12.50 to buy here.')).toBe('The latch cost $12.50 to buy here.')
})

test('nothing is quoted where no sentence has the term', () => {
  expect(sentenceOf('The engine stalled on the motorway.', '')).toBe('')
})

test('a sentence that denies what the issue says is not taken', () => {
  const texts = ['There was never a frozen latch on the door. The bad latch of the door is frozen.']
  expect(sentenceOf(...texts)).toBe('The bad latch of the door is frozen.')
  expect(tellingSentence({ hash: latch, isDenied: true }, texts, weights, read)).toBe(
    'There was never a frozen latch on the door.',
  )
})
