import type { TermGroup } from './term-groups.ts'

/**
 * Makes one group of those that are about the same thing: terms of one category that are the same words in another order
 * (`sunroof glass`, `glass sunroof`) or written together (`air bag`, `airbag`), and what is counted under `other` with
 * the same term in a category that says more. The largest gives its term and takes the texts of the others.
 * @param wordsOf the words of the term of a group, in the singular
 * @returns those that were not merged stay as they are
 */
export function mergeGroups(
  groups: readonly TermGroup[],
  wordsOf: (group: TermGroup) => readonly string[],
): TermGroup[] {
  const merged: Merged[] = []
  const bySize = groups.toSorted((a, b) => rank(a) - rank(b) || b.texts.length - a.texts.length)
  for (const group of bySize) {
    const keys = keysOf(wordsOf(group))
    const same = merged.find(({ first, keys: known }) => {
      return (
        (first.category === group.category || group.category === 'other') &&
        keys.some((key) => known.has(key))
      )
    })
    if (same === undefined) merged.push({ first: group, keys: new Set(keys), texts: [...group.texts] })
    else {
      same.texts.push(...group.texts)
      for (const key of keys) same.keys.add(key)
    }
  }
  return merged.map(({ first, texts }) => ({ ...first, texts: texts.sort((a, b) => a - b) }))
}

type Merged = { readonly first: TermGroup; readonly keys: Set<string>; readonly texts: number[] }

/** Categories that say something come first. */
function rank({ category }: TermGroup): number {
  return category === 'other' ? 1 : 0
}

/** Terms that share one of them are the same: their words in the singular without blanks, in either order. */
export function keysOf(words: readonly string[]): string[] {
  const stems = words.map((word) => word.replace(/(?<=ch|sh|ss|x)e$/, ''))
  return [...new Set([stems.join(''), stems.toReversed().join('')])]
}
