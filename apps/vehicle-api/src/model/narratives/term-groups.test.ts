import fc from 'fast-check'
import { createBackground } from './background.ts'
import { distinctiveTerms, groupByTerm } from './term-groups.ts'
import { indexTerms, termsOf } from './term-index.ts'
import { createWordReader } from './words.ts'

const background = createBackground(1_000)
for (let index = 0; index < 900; index++) {
  background.add(String(index), `brake noise smell rust ${index % 2 ? 'paint' : 'window'} seat engine dash`)
}

const anyTexts = fc.array(
  fc.record({
    category: fc.constantFrom('engine' as const, 'exterior' as const),
    words: fc.array(fc.constantFrom('clutch', 'gear', 'slips', 'paint', 'peels', 'window', 'seat'), {
      maxLength: 5,
    }),
  }),
  { minLength: 30, maxLength: 60 },
)

test('no text is in two groups, and every text of a group has its term and its category', () => {
  let found = 0
  fc.assert(
    fc.property(anyTexts, (given) => {
      const index = indexTerms(
        given.map(({ words }) => words.join(' ')),
        createWordReader(),
      )
      const texts = given.map(({ category }, text) => ({ text, category }))
      const terms = distinctiveTerms(texts, index, background)
      const groups = groupByTerm(texts, index, terms)
      found += groups.length
      const grouped = groups.flatMap((group) => group.texts)
      expect(new Set(grouped).size).toBe(grouped.length)
      for (const group of groups) {
        expect(group.texts.length).toBeGreaterThanOrEqual(3)
        expect(terms.has(group.term)).toBe(true)
        for (const text of group.texts) {
          expect(termsOf(text, index)).toContain(group.term)
          expect(given[text]?.category).toBe(group.category)
        }
      }
    }),
    { numRuns: 100 },
  )
  expect(found).toBeGreaterThan(100)
})
