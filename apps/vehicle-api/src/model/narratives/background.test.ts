import { createBackground } from './background.ts'
import { pairHash, textHash } from './term-hash.ts'
import { singular } from './words.ts'

const word = (text: string) => textHash(singular(text))
const pair = (first: string, second: string) => pairHash(textHash(first), textHash(second))

describe('the background', () => {
  test('counts complaints with a word or a pair of words, each once', () => {
    const background = createBackground(10)
    background.add('1', 'Transmission fluid leak. Transmission fluid everywhere, transmission gone.')
    background.add('2', 'Oil leak')
    background.add('3', '')
    expect(['transmission', 'leak', 'brake'].map((text) => background.countOf(word(text)))).toEqual([1, 2, 0])
    expect(background.countOf(pair('transmission', 'fluid'))).toBe(1)
    // Of the first: three words, everywhere, three pairs; of the second: two words and a pair.
    expect(background.total()).toBe(10)
  })

  test('counts no pair of the same word, nor one that ends in a denial', () => {
    const background = createBackground(10)
    background.add('1', 'Engine and engine brakes do not latch')
    expect(background.countOf(pair('engine', 'engine'))).toBe(0)
    expect(background.countOf(pair('brake', 'not'))).toBe(0)
    expect(background.countOf(pair('not', 'latch'))).toBe(1)
  })

  test('leaves out what writers of complaints always say', () => {
    const background = createBackground(10)
    background.add('1', 'The contact owns a 2013 Ford Focus. The manufacturer was notified of the failure.')
    expect(
      ['contact', 'manufacturer', 'failure', 'ford'].map((text) => background.countOf(word(text))),
    ).toEqual([...[0, 0, 0, 0]])
    expect(background.countOf(word('focus'))).toBe(1)
  })

  test('of very many complaints takes a sample, which their ids decide', () => {
    const [one, other] = [createBackground(1_600_000), createBackground(1_600_000)]
    expect(one.every).toBe(8)
    const ids = Array.from({ length: 4_000 }, (_, index) => String(11_000_000 + index))
    for (const id of ids) one.add(id, 'gearbox')
    for (const id of ids.toReversed()) other.add(id, 'gearbox')
    expect(one.countOf(word('gearbox'))).toBe(other.countOf(word('gearbox')))
    expect(Math.abs(one.total() - 500)).toBeLessThan(100)
  })

  test('never counts less than there is, and hardly more, of a hundred thousand terms', () => {
    const background = createBackground(10)
    const letters = (index: number) =>
      Array.from(String(index), (digit) => 'abcdefghij'[Number(digit)]).join('')
    for (let index = 0; index < 10_000; index++) {
      background.add(
        'x',
        Array.from({ length: 5 }, (_, at) => `q${letters(5 * index + at + 100_000)}`).join(' '),
      )
    }
    const counts = Array.from({ length: 50_000 }, (_, index) =>
      background.countOf(textHash(`q${letters(index + 100_000)}`)),
    )
    expect(Math.min(...counts)).toBe(1)
    expect(counts.filter((count) => count > 1).length).toBeLessThan(500)
  })
})
