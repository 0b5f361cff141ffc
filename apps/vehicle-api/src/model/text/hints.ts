/**
 * What a text may have in it, found in one pass over its characters, so that the many patterns of this folder are
 * looked for only where they can be. A hint may be given where there is nothing; what has no hint is not there.
 */
export const hints = {
  /** `redacted` */
  redacted: 1,
  /** A dollar sign or its words. */
  money: 2,
  /** `mile`, `odometer` */
  miles: 4,
  /** A recall, or the number of one. */
  campaign: 8,
  /** The number of an investigation. */
  investigation: 16,
  bulletin: 32,
  /** The manufacturer, or an office of it. */
  maker: 64,
  /** `repaired`, `replaced` and the like. */
  mended: 128,
  /** `refuse`, `no repair` */
  refused: 256,
  /** Two blanks in a row, or a character that is neither a blank nor a visible one of ASCII. */
  untidy: 512,
} as const

const all = 1023

/** In these `#` is any digit and `_` any blank; letters are both cases. */
const words: readonly (readonly [number, string])[] = [
  [hints.redacted, 'redacted'],
  [hints.money, '$ dollar bucks usd'],
  [hints.miles, 'mile odometer'],
  [hints.campaign, 'recall campaign v- v#'],
  [
    hints.investigation,
    'pe## ea## rq## dp## aq## pe_## ea_## rq_## dp_## aq_## pe-## ea-## rq-## dp-## aq-##',
  ],
  [hints.bulletin, 'tsb bulletin satisfaction'],
  [hints.maker, 'manufacturer corporate customer'],
  [hints.mended, 'repaired replaced fixed rebuilt reprogrammed reflashed'],
  [hints.refused, 'refus no_repair'],
  [hints.untidy | hints.refused, '__'],
]

/** Hints of a text; of one that is not all ASCII, every hint. */
export function hintsOf(text: string): number {
  // The same text is asked for by one pattern after the other.
  if (text !== lastText) {
    lastHints = find(text)
    lastText = text
  }
  return lastHints
}

let lastText = ''
let lastHints = 0

function find(text: string): number {
  let found = 0
  let state = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 127) return all
    state = next[state + (classes[code] ?? 0)] ?? 0
    found |= givenBy[state] ?? 0
  }
  return found
}

/** Characters that are alike have one class; that of all others is 0. */
const classes = new Uint8Array(128)
const classCount = classify()
/** Aho and Corasick's automaton (Communications of the ACM 18, 1975): states are multiples of the number of classes. */
const { next, givenBy } = automaton()

function classify(): number {
  const known = [...new Set(words.map(([, list]) => list.replaceAll(' ', '')).join(''))]
  for (const [index, character] of known.entries()) {
    for (const alike of charactersOf(character)) classes[alike.charCodeAt(0)] = index + 1
  }
  const untidy = known.length + 1
  for (let code = 0; code < 32; code++) if (classes[code] === 0) classes[code] = untidy
  return untidy + 1
}

function charactersOf(character: string): string {
  if (character === '#') return '0123456789'
  // Blanks other than the plain one are a class of their own, which is untidy.
  return character === '_' ? ' ' : character + character.toUpperCase()
}

type State = { readonly to: (State | undefined)[]; gives: number; fallback: State | undefined; at: number }

function automaton(): { next: Uint16Array; givenBy: Uint16Array } {
  const start = emptyState()
  const states = [start]
  for (const [hint, list] of words) for (const word of list.split(' ')) put(word, hint)
  put('\0', all)
  const [table, gives] = [
    new Uint16Array(states.length * classCount),
    new Uint16Array(states.length * classCount),
  ]
  for (const [index, state] of states.entries()) state.at = index * classCount
  // Breadth first: the fallback of a state lies nearer to the start.
  for (const queue = [start]; queue.length > 0;) {
    const state = queue.shift() ?? start
    state.gives |= state.fallback?.gives ?? 0
    gives[state.at] = state.gives
    for (let step = 0; step < classCount; step++) {
      const other = state.fallback === undefined ? start : (state.fallback.to[step] ?? start)
      const target = state.to[step]
      if (target === undefined) state.to[step] = other
      else {
        target.fallback = other
        queue.push(target)
      }
      table[state.at + step] = (state.to[step] ?? start).at
    }
  }
  return { next: table, givenBy: gives }

  function put(word: string, hint: number): void {
    let state = start
    for (const character of word) {
      const step = classes[charactersOf(character).charCodeAt(0)] ?? 0
      const target = state.to[step] ?? emptyState()
      if (state.to[step] === undefined) states.push(target)
      state.to[step] = target
      state = target
    }
    state.gives |= hint
  }
}

function emptyState(): State {
  return { to: Array.from({ length: classCount }, () => undefined), gives: 0, fallback: undefined, at: 0 }
}
