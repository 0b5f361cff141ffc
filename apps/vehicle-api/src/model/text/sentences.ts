/**
 * The sentence that holds a position of a text, trimmed. A full stop in a number, a web address or a common
 * abbreviation ends none.
 */
export function sentenceAt(text: string, position: number, longest = 400): string {
  let start = 0
  let end = text.length
  for (const match of text.matchAll(ends)) {
    const after = match.index + match[0].length
    if (after <= position) start = after
    else {
      end = after
      break
    }
  }
  const sentence = text.slice(start, end).trim()
  return sentence.length <= longest ? sentence : shortened(text, position, start, end, longest)
}

/** Sentences in narratives may go on for ever: then it is what stands around the position, from word to word. */
function shortened(text: string, position: number, start: number, end: number, longest: number): string {
  const from = Math.max(start, position - Math.floor(longest / 2))
  const to = Math.min(end, from + longest)
  const head = from === start ? from : text.indexOf(' ', from) + 1
  const tail = to === end ? to : text.lastIndexOf(' ', to)
  return `${from === start ? '' : '… '}${text.slice(head, tail).trim()}${to === end ? '' : ' …'}`
}

const ends =
  /(?<!\b(?:mr|mrs|ms|dr|st|inc|co|approx|vs|etc|u\.s|[ap]\.m))[.!?]+(?<!\bno\.(?=\s?\d))["')]*(?=\s|$)|\n\n/gi
