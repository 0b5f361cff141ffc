import fc from 'fast-check'
import type { Category } from '../category.ts'
import { mergeGroups } from './merge-groups.ts'
import type { TermGroup } from './term-groups.ts'

const words = [
  'air bag',
  'airbag',
  'bag',
  'glass sunroof',
  'sunroof glass',
  'latch',
  'latche',
  'power steering',
]
const group = (category: Category, phrase: string, texts: readonly number[]): TermGroup => ({
  ...{ category, term: words.indexOf(phrase), texts },
})
const merge = (...groups: readonly TermGroup[]) =>
  mergeGroups(groups, ({ term }) => (words[term] ?? '').split(' '))

test('the same words in another order are one group, of the term that more texts have', () => {
  expect(
    merge(group('exterior', 'glass sunroof', [1, 5, 9]), group('exterior', 'sunroof glass', [2, 3, 4, 8])),
  ).toEqual([group('exterior', 'sunroof glass', [1, 2, 3, 4, 5, 8, 9])])
})

test('so are words that are written together or apart, and in the plural', () => {
  expect(merge(group('safety', 'airbag', [1, 2, 3, 4]), group('safety', 'air bag', [5, 6, 7]))).toHaveLength(
    1,
  )
  expect(
    merge(group('exterior', 'latche', [1, 2, 3, 4]), group('exterior', 'latch', [5, 6, 7])),
  ).toHaveLength(1)
})

test('what is counted under other joins the same in a category that says more, even when that is smaller', () => {
  expect(
    merge(group('steering', 'power steering', [1, 2, 3]), group('other', 'power steering', [4, 5, 6, 7])),
  ).toEqual([group('steering', 'power steering', [1, 2, 3, 4, 5, 6, 7])])
})

test('the same in two categories that both say something stays two', () => {
  const two = [group('engine', 'bag', [1, 2, 3, 4]), group('safety', 'bag', [5, 6, 7])]
  expect(merge(...two)).toEqual(two)
})

test('every text stays in one group', () => {
  const anyGroups = fc.array(
    fc.record({
      category: fc.constantFrom<Category>('engine', 'safety', 'other'),
      phrase: fc.constantFrom(...words),
      size: fc.integer({ min: 3, max: 6 }),
    }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(anyGroups, (given) => {
      let next = 0
      const groups = given.map(({ category, phrase, size }) =>
        group(
          category,
          phrase,
          Array.from({ length: size }, () => next++),
        ),
      )
      const texts = merge(...groups).flatMap((one) => one.texts)
      expect(texts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: next }, (_, index) => index))
    }),
  )
})
