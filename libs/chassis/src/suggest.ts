/**
 * The candidate that is nearest to a mistyped word, or undefined when none is near enough to be meant.
 *
 * Near is at most a third of the word's length in edits (case ignored).
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const lower = word.slice(0, longestWord).toLowerCase()
  let best: string | undefined
  let bestDistance = Math.floor(lower.length / 3) + 1
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Longer words are cut: the work grows with the product of the lengths, and the caller chooses one of them. */
const longestWord = 64

/** Optimal string alignment: insertions, deletions, replacements, and neighbours that changed places. */
function editDistance(a: string, b: string): number {
  let last: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(last, j - 2) + 1 : Infinity
      next.push(Math.min(replaced, at(row, j) + 1, at(next, j - 1) + 1, swapped))
    }
    last = row
    row = next
  }
  return at(row, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
