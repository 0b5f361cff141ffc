import { isDenied, mentionsOf } from './mentions.ts'
import { boilerplate, stopWords } from './stop-words.ts'
import { pairHash, textHash } from './term-hash.ts'
import { createWordReader } from './words.ts'

const read = createWordReader(stopWords, boilerplate)
const termOf = (words: string) => {
  const [first = 0, second] = words.split(' ').map(textHash)
  return second === undefined ? first : pairHash(first, second)
}
const told = (words: string, text: string) => isDenied(mentionsOf(termOf(words), text, read))

test.each([
  ['engine', 'The engine stalled.'],
  ['power steering', 'IT HAS NO POWER; THE POWER STEERING QUIT.'],
  ['power steering', 'There should be a recall for the power steering.'],
  ['bag deployed', 'The air bags deployed for no reason.'],
  ['sunroof exploded', 'Without any warning the sunroof exploded.'],
  ['sunroof', 'With no warning the sunroof exploded.'],
  ['transmission', 'They do not know why the transmission slips.'],
  ['transmission', 'It would not start, the transmission was stuck.'],
  ['hybrid', 'The contact owns a hybrid, and the hybrid battery died.'],
  ['not start', 'It will not start.'],
])('%j is told of in %j', (words, text) => {
  expect(told(words, text)).toBe(false)
})

test.each([
  ['bag deployed', 'None of the air bags deployed.'],
  ['bag deployed', 'The air bags never deployed.'],
  ['deploy', "The air bags didn't deploy."],
  ['deploy', 'THE AIR BAGS FAILED TO DEPLOY.'],
  ['deployed', 'None of the air bags deployed, although they should have deployed.'],
  ['deployed', 'Neither front nor side airbags deployed.'],
  ['door', 'I was unable to close the door.'],
  ['light illuminated', 'There was never a light that illuminated and no light illuminated later.'],
])('%j is denied in %j', (words, text) => {
  expect(told(words, text)).toBe(true)
})

test('of a term that a text does not have it says nothing', () => {
  expect(told('engine', 'The brakes squeal.')).toBeNull()
})
