import { pairHash } from './term-hash.ts'
import { widestGap } from './terms.ts'
import type { Words } from './words.ts'

/** How a term reads. */
export type Phrase = {
  /** The words of the term alone in lower case, the same however it is spelled out. */
  readonly canonical: string
  /** As most texts have it, in lower case; a single word together with its neighbour where half of them agree. */
  readonly shown: string
}

/** Reads a text word by word: see createWordReader. */
export type ReadWords = (text: string) => Words

/**
 * Puts a term, known by its hash, into words.
 * @param texts that have the term, at least one; the first fifty are looked at
 */
export function phraseOf(hash: number, texts: readonly string[], readWords: ReadWords): Phrase {
  const looked = texts.slice(0, 50)
  const found = looked.flatMap((text) => occurrences(hash, text, readWords(text)))
  const own = found.filter(({ isTerm }) => isTerm)
  const canonical = own[0]?.canonical ?? ''
  const neighbours = found.filter(({ isTerm }) => !isTerm)
  const common = mostCommon(neighbours.map((occurrence) => occurrence.canonical))
  const shown =
    2 * common.count >= looked.length ? neighbours.filter((o) => o.canonical === common.value) : own
  return { canonical, shown: mostCommon(shown.map(({ surface }) => surface)).value }
}

type Occurrence = { readonly isTerm: boolean; readonly canonical: string; readonly surface: string }

/** Where a text has the term: each way to read it, and each pair that it is a part of, once. */
function occurrences(hash: number, text: string, words: Words): Occurrence[] {
  const { count, hashes, starts, ends, gaps } = words
  const found = new Map<string, Occurrence>()
  for (let index = 0; index < count; index++) {
    if (hashes[index] === hash) add(true, index, index)
    if (index === 0 || (gaps[index] ?? 0) > widestGap) continue
    const isTerm = pairHash(hashes[index - 1] ?? 0, hashes[index] ?? 0) === hash
    if (isTerm || hashes[index] === hash || hashes[index - 1] === hash) add(isTerm, index - 1, index)
  }
  return [...found.values()]

  function add(isTerm: boolean, first: number, last: number): void {
    const surface = plain(text.slice(starts[first], ends[last]))
    const ending = plain(text.slice(starts[last], ends[last]))
    const canonical = first === last ? surface : `${plain(text.slice(starts[first], ends[first]))} ${ending}`
    const key = `${isTerm} ${canonical}`
    if (!found.has(key)) found.set(key, { isTerm, canonical, surface })
  }
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
}

/** The value that occurs most often, the first in alphabetical order of several. */
function mostCommon(values: readonly string[]): { value: string; count: number } {
  const groups = [...Map.groupBy(values, (value) => value)].map(([value, same]) => ({
    value,
    count: same.length,
  }))
  groups.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  return groups[0] ?? { value: '', count: 0 }
}
