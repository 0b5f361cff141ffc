import fc from 'fast-check'
import { similarTexts, type ComparedText, type Similar } from './similar.ts'
import { indexTerms } from './term-index.ts'
import { createWordReader } from './words.ts'

type Text = ComparedText & { readonly words: readonly string[] }

const similarOf = (texts: readonly Text[]) =>
  similarTexts(
    texts,
    indexTerms(
      texts.map(({ words }) => words.join(' ')),
      createWordReader(),
    ),
  )

/** The definition, pair by pair. */
function slowSimilar(texts: readonly Text[]): Similar[] {
  const sets = texts.map(({ words }) => new Set(words))
  const textsWith = (word: string) => sets.filter((set) => set.has(word)).length
  const vectors = sets.map((set) => {
    const weights = [...set]
      .map((word) => [word, textsWith(word)] as const)
      .filter(([, count]) => count >= Math.max(3, 0.004 * texts.length))
      .map(([word, count]) => [word, Math.log(texts.length / count)] as const)
    const norm = Math.sqrt(weights.reduce((sum, [, weight]) => sum + weight * weight, 0))
    return new Map(weights.map(([word, weight]) => [word, norm > 0 ? weight / norm : 0]))
  })
  const cosine = (a: number, b: number) =>
    [...(vectors[a] ?? [])].reduce((sum, [word, weight]) => sum + weight * (vectors[b]?.get(word) ?? 0), 0)
  return texts.flatMap(({ id, year, category }, a) => {
    const others = texts
      .map((text, b) => ({ ...text, cosine: cosine(a, b), b }))
      .filter((text) => text.b !== a && text.category === category && Math.abs(text.year - year) <= 2)
      .filter((text) => text.cosine >= 0.25)
      .sort((x, y) => (Math.abs(x.cosine - y.cosine) > 1e-12 ? y.cosine - x.cosine : x.b - y.b))
    return others.length === 0
      ? []
      : [{ id, count: others.length, ids: others.slice(0, 10).map((text) => text.id) }]
  })
}

const vocabulary = 'axle brake clutch dash fuse gear horn idle jack knock lamp mount'.split(' ')

const anyTexts = fc
  .array(
    fc.record({
      year: fc.integer({ min: 2010, max: 2015 }),
      category: fc.constantFrom('engine' as const, 'brakes' as const),
      words: fc.array(fc.constantFrom(...vocabulary), { maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((texts) => texts.map((text, index) => ({ ...text, id: `cmp_${index + 100}` })))

test('what is found is what the definition says', () => {
  fc.assert(
    fc.property(anyTexts, (texts) => {
      expect(similarOf(texts)).toEqual(slowSimilar(texts))
    }),
    { numRuns: 200 },
  )
})

describe('a complaint resembles', () => {
  const about = (id: string, words: string, given: Partial<Text> = {}): Text => ({
    ...{ id, year: 2012, category: 'engine', words: words.split(' '), ...given },
  })
  const others = ['dash fuse', 'dash fuse lamp', 'lamp fuse', 'horn lamp', 'horn dash'].map((words, index) =>
    about(`o${index}`, words, { category: 'electrical' }),
  )
  const similarTo = (...texts: Text[]) =>
    similarOf([about('a', 'gear knock mount'), ...texts, ...others]).find(({ id }) => id === 'a')?.ids ?? []

  test('one with the same rare words', () => {
    const texts = [about('b', 'gear knock'), about('c', 'mount gear knock'), about('d', 'mount jack')]
    expect(similarTo(...texts)).toEqual(['c', 'b', 'd'])
  })

  test('none of another category, and none three model years away', () => {
    const words = 'gear knock mount'
    expect(similarTo(about('b', words, { category: 'brakes' }), about('c', words, { year: 2015 }))).toEqual(
      [],
    )
    expect(similarTo(about('b', words, { year: 2010 }), about('c', words, { year: 2014 }))).toEqual([
      'b',
      'c',
    ])
  })

  test('more than ten, of which the ten most similar are named', () => {
    const texts = Array.from({ length: 15 }, (_, index) => about(`t${index + 10}`, 'gear knock'))
    const [first] = similarOf([about('a', 'gear knock'), ...texts, ...others])
    expect(first).toEqual({ id: 'a', count: 15, ids: texts.slice(0, 10).map(({ id }) => id) })
  })
})

test('texts without words resemble nothing', () => {
  expect(similarOf([])).toEqual([])
  expect(
    similarOf(
      Array.from({ length: 5 }, (_, id) => ({ id: String(id), year: 2012, category: 'other', words: [] })),
    ),
  ).toEqual([])
})
