/**
 * What of a sentence stands before a position, as far as so many characters. A full stop within a number ends none; one
 * behind an abbreviation does.
 */
export function sentenceBefore(text: string, position: number, most: number): string {
  const first = Math.max(0, position - most)
  let from = position
  while (from > first && !isEnd(text, from - 1)) from--
  return text.slice(from, position)
}

/** Whether a mark at a position ends a sentence: a blank follows it. */
function isEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const isMark = code === point || code === exclamation || code === question
  return isMark && text.charCodeAt(at + 1) <= blank
}

const [point, exclamation, question, blank] = [46, 33, 63, 32]
