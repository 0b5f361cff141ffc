import { nearest } from '@hearth/chassis/suggest'

/** Something that has a name people may mistype. */
type Named = { readonly key: string }

/**
 * What somebody may have meant by a key that is not there, the most similar first: by trigrams as pg_trgm counts
 * them, or by few edits, which short names need.
 */
export function nearNames<T extends Named>(key: string, candidates: Iterable<T>): T[] {
  const wanted = trigrams(key.slice(0, longestKey))
  const all = [...candidates]
  const similar = all
    .map((candidate) => ({ candidate, similarity: similarity(wanted, trigramsOf(candidate)) }))
    .filter((one) => one.similarity >= leastSimilarity)
    .toSorted((a, b) => b.similarity - a.similarity)
    .map(({ candidate }) => candidate)
  const mistyped = nearest(
    key,
    all.map((candidate) => candidate.key),
  )
  const edited = all.filter((candidate) => candidate.key === mistyped)
  return [...new Set([...edited, ...similar])].slice(0, mostNames)
}

const mostNames = 5
const leastSimilarity = 0.4
/** The caller chooses the key, and the work grows with it. */
const longestKey = 64

/** Share of common trigrams among all of both, 0..1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = a.intersection(b).size
  return common / (a.size + b.size - common)
}

/** The trigrams of a candidate's key; candidates live as long as a data version. */
function trigramsOf(candidate: Named): Set<string> {
  const known = trigramsByCandidate.get(candidate) ?? trigrams(candidate.key)
  trigramsByCandidate.set(candidate, known)
  return known
}

const trigramsByCandidate = new WeakMap<Named, Set<string>>()

/** Groups of three characters of a word with two blanks before and one after it. */
function trigrams(word: string): Set<string> {
  const padded = `  ${word} `
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)))
}
