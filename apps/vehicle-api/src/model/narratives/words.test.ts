import { apart, createWordReader, singular } from './words.ts'
import { textHash } from './term-hash.ts'

const skipped = new Set(['the', 'and', 'was'].map(textHash))
const read = createWordReader(skipped)

/** The words as they stand in the text. */
function wordsOf(text: string): string[] {
  const { count, starts, ends } = read(text)
  return Array.from({ length: count }, (_, index) => text.slice(starts[index], ends[index]))
}

function hashesOf(text: string): number[] {
  const { count, hashes } = read(text)
  return [...hashes.subarray(0, count)]
}

function gapsOf(text: string): number[] {
  const { count, gaps } = read(text)
  return [...gaps.subarray(0, count)]
}

describe('the words of a text', () => {
  test('are runs of three letters or more that are not to be skipped', () => {
    expect(wordsOf('The engine and A/C of my car stalled')).toEqual(['engine', 'car', 'stalled'])
  })

  test('have no digits', () => {
    expect(wordsOf('stalled at 65mph on I95, 10r80 gearbox, 2nd time')).toEqual([
      'stalled',
      'gearbox',
      'time',
    ])
  })

  test('are the same in any case, with or without apostrophe, accent kept', () => {
    expect(hashesOf("Won't WON’T wont")).toEqual(Array(3).fill(textHash('wont')))
    expect(hashesOf('CAFÉ café')).toEqual(Array(2).fill(textHash('café')))
  })

  test('are the same in the plural', () => {
    expect(hashesOf('Brakes brake BRAKES')).toEqual(Array(3).fill(textHash('brake')))
    expect(hashesOf('loss gas bus')).toEqual(['loss', 'gas', 'bus'].map(textHash))
    expect(['brakes', 'loss', 'gas'].map(singular)).toEqual(['brake', 'loss', 'gas'])
  })

  test('part at hyphens and slashes', () => {
    expect(wordsOf('lock/latch anti-theft')).toEqual(['lock', 'latch', 'anti', 'theft'])
  })

  test('are as many in a text much longer than those before', () => {
    expect(wordsOf('brake pedal '.repeat(5_000))).toHaveLength(10_000)
  })

  test('are none in nothing', () => {
    expect(wordsOf('')).toEqual([])
    expect(wordsOf(' ... 12 ?')).toEqual([])
  })
})

describe('gaps', () => {
  test('count the words left out between two words', () => {
    expect(gapsOf('engine stalled and the engine was towed')).toEqual([apart, 0, 2, 1])
  })

  test('part what a sentence, a clause or a number parts', () => {
    expect(gapsOf('engine stalled. Engine towed, engine 12 died')).toEqual([apart, 0, apart, 0, apart, apart])
  })

  test('do not part at a hyphen', () => {
    expect(gapsOf('anti-theft')).toEqual([apart, 0])
  })
})
