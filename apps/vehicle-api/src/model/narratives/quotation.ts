import { isDenied, mentionsOf } from './mentions.ts'
import { pairHash } from './term-hash.ts'
import { isPair } from './terms.ts'
import { singular, type Words } from './words.ts'

/** How a term reads. */
export type Phrase = {
  /** The words of the term alone, the same however they are spelled out and in whatever order. */
  readonly canonical: string
  /**
   * As most texts have it, in lower case; a single word together with its neighbour where half of them agree. What most
   * texts deny comes with its denial: `none of the air bags deployed`.
   */
  readonly shown: string
  readonly isDenied: boolean
}

/** Reads a text word by word: see createWordReader. */
export type ReadWords = (text: string) => Words

/**
 * Puts a term, known by its hash, into words.
 * @param texts that tell of the term, at least one; the first fifty are looked at
 */
export function phraseOf(hash: number, texts: readonly string[], readWords: ReadWords): Phrase {
  const looked = texts.slice(0, 50)
  const found = looked.flatMap((text) => occurrences(hash, text, readWords(text)))
  const own = found.filter(({ isTerm }) => isTerm)
  const canonical = (own[0]?.canonical ?? '').split(' ').map(singular).sort().join(' ')
  const neighbours = found.filter(({ isTerm }) => !isTerm)
  const common = mostCommon(neighbours.map((occurrence) => occurrence.canonical))
  const isShared = 2 * common.count >= looked.length
  const denials = denialsIn(hash, looked, readWords, isShared ? common.value : '')
  if (2 * denials.length > looked.length) {
    return { canonical: `not ${canonical}`, shown: mostCommon(denials).value, isDenied: true }
  }
  const shown = isShared ? neighbours.filter((o) => o.canonical === common.value) : own
  return { canonical, shown: mostCommon(shown.map(({ surface }) => surface)).value, isDenied: false }
}

/**
 * Of each text that only denies the term: how.
 * @param neighbour a term and the word behind it, which is quoted too
 */
function denialsIn(
  hash: number,
  texts: readonly string[],
  readWords: ReadWords,
  neighbour: string,
): string[] {
  return texts.flatMap((text) => {
    const mentions = mentionsOf(hash, text, readWords)
    const [first] = mentions
    if (first === undefined || isDenied(mentions) !== true) return []
    const pair = occurrences(hash, text, readWords(text)).find((o) => {
      return o.canonical === neighbour && o.start === first.start
    })
    return [plain(text.slice(first.deniedFrom, pair?.end ?? first.end))]
  })
}

/** The words of a term as the first text that has it spells them, in the singular. */
export function wordsOf(hash: number, texts: readonly string[], readWords: ReadWords): string[] {
  for (const text of texts) {
    const term = occurrences(hash, text, readWords(text)).find(({ isTerm }) => isTerm)
    if (term !== undefined) return term.canonical.split(' ').map(singular)
  }
  return []
}

type Occurrence = {
  readonly isTerm: boolean
  readonly canonical: string
  readonly surface: string
  /** Where it stands in the text. */
  readonly start: number
  readonly end: number
}

/** Where a text has the term: each way to read it, and each pair that it is a part of, once. */
function occurrences(hash: number, text: string, words: Words): Occurrence[] {
  const { count, hashes, starts, ends } = words
  const found = new Map<string, Occurrence>()
  for (let index = 0; index < count; index++) {
    if (hashes[index] === hash) add(true, index, index)
    if (!isPair(words, index)) continue
    const isTerm = pairHash(hashes[index - 1] ?? 0, hashes[index] ?? 0) === hash
    if (isTerm || hashes[index] === hash || hashes[index - 1] === hash) add(isTerm, index - 1, index)
  }
  return [...found.values()]

  function add(isTerm: boolean, first: number, last: number): void {
    const [start, end] = [starts[first] ?? 0, ends[last] ?? 0]
    const surface = plain(text.slice(start, end))
    const ending = plain(text.slice(starts[last], ends[last]))
    const canonical = first === last ? surface : `${plain(text.slice(starts[first], ends[first]))} ${ending}`
    const key = `${isTerm} ${canonical}`
    if (!found.has(key)) found.set(key, { isTerm, canonical, surface, start, end })
  }
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
}

/** The value that occurs most often; of several the shortest, then the first in alphabetical order. */
function mostCommon(values: readonly string[]): { value: string; count: number } {
  const groups = [...Map.groupBy(values, (value) => value)].map(([value, same]) => ({
    value,
    count: same.length,
  }))
  groups.sort((a, b) => b.count - a.count || a.value.length - b.value.length || (a.value < b.value ? -1 : 1))
  return groups[0] ?? { value: '', count: 0 }
}
