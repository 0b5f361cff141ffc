import { phraseOf } from './quotation.ts'
import { boilerplate, stopWords } from './stop-words.ts'
import { pairHash, textHash } from './term-hash.ts'
import { createWordReader } from './words.ts'

const read = createWordReader(stopWords, boilerplate)
const phrase = (words: string, ...texts: string[]) => {
  const [first = 0, second] = words.split(' ').map(textHash)
  return phraseOf(second === undefined ? first : pairHash(first, second), texts, read)
}

test('a phrase reads as in most texts, of equally many the shortest', () => {
  expect(phrase('light stay', 'The light always stays on', 'My light stays', 'LIGHTS STAY').shown).toBe(
    'light stays',
  )
  expect(phrase('wiper motor', 'wiper of the motor', 'wiper-motor', 'wiper-motor').shown).toBe('wiper-motor')
})

test('a word has its neighbour with it where half of the texts do', () => {
  expect(phrase('wiper', 'windshield wipers', 'the windshield wipers', 'a wiper').shown).toBe(
    'windshield wipers',
  )
  expect(phrase('wiper', 'windshield wipers', 'a wiper', 'my wiper').shown).toBe('wiper')
})

test('what most texts deny comes with its denial', () => {
  const denials = [
    'None of the air bags deployed.',
    'None of the air bags deployed, sir.',
    'The bag deployed.',
  ]
  expect(phrase('bag deployed', ...denials)).toMatchObject({
    shown: 'none of the air bags deployed',
    isDenied: true,
  })
  expect(phrase('bag deployed', ...denials, 'A bag deployed.')).toMatchObject({ isDenied: false })
  expect(phrase('bag deploy', 'The bags failed to deploy.').shown).toBe('bags failed to deploy')
})

test('its words are the same in singular and plural and in either order, and others when it is denied', () => {
  const canonical = phrase('sunroof glass', 'The sunroof glass broke').canonical
  expect(phrase('sunroof glass', 'All sunroofs of glass broke').canonical).toBe(canonical)
  expect(phrase('glass sunroof', 'The glass sunroof broke').canonical).toBe(canonical)
  expect(phrase('glass sunroof', 'I have no glass sunroof').canonical).not.toBe(canonical)
})
