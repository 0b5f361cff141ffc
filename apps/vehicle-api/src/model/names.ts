import { displayName } from './display-name.ts'
import { makeSpellings } from './makes.ts'
import { memoise } from './memo.ts'
import { modelSpellings } from './models.ts'
import { modelPatterns, trimWords } from './trims.ts'

/**
 * Identity of a make or a model: its ASCII letters and digits in lower case, accents stripped, `&` read as `and`.
 * `F-150`, `f150` and `F 150` are all `f150`.
 */
export function vehicleKey(name: string): string {
  return plain(name).replaceAll(/[^a-z0-9]+/g, '')
}

/** The same as it stands in addresses: `F-150` is `f-150`, `Mercedes-Benz` is `mercedes-benz`. */
export function slug(name: string): string {
  return plain(name)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

function plain(name: string): string {
  const ascii = /^[\x20-\x7e]*$/.test(name) ? name : name.normalize('NFKD').replaceAll(/\p{M}+/gu, '')
  const lower = ascii.toLowerCase()
  return lower.includes('&') ? lower.replaceAll('&', ' and ') : lower
}

/** A vehicle as the statistics know it. */
export type CanonicalVehicle = {
  /** Keys: see {@link vehicleKey}. */
  readonly make: string
  readonly model: string
  /** For people. */
  readonly makeName: string
  readonly modelName: string
  /** What the name of the model says besides the model, such as `Regular Cab`; null when nothing. */
  readonly trim: string | null
}

/** Keys of makes by the keys of their other spellings: `vw` is `volkswagen`. */
export const makeAliases: ReadonlyMap<string, string> = new Map()

/** Keys of models, as `make/model`, by those of their other spellings: `ford/crownvic` is `ford/crownvictoria`. */
export const modelAliases: ReadonlyMap<string, string> = new Map()

const makeNames = new Map<string, string>()
/** Names of models by `make/model`, where the model may be another spelling. */
const modelNames = new Map<string, string>()

readSpellings(makeSpellings, '', makeNames, makeAliases as Map<string, string>)
for (const [make, spellings] of Object.entries(modelSpellings)) {
  readSpellings(spellings, `${make}/`, modelNames, modelAliases as Map<string, string>)
}

function readSpellings(
  text: string,
  prefix: string,
  names: Map<string, string>,
  aliases: Map<string, string>,
): void {
  for (const entry of text.split(';')) {
    const [name = '', others = ''] = entry.split('=').map((part) => part.trim())
    if (name === '') continue
    const key = prefix + vehicleKey(name)
    names.set(key, name)
    for (const other of others.split(',').map(vehicleKey)) {
      if (other === '' || names.has(prefix + other)) continue
      aliases.set(prefix + other, key)
      names.set(prefix + other, name)
    }
  }
}

/** Key of a make, whichever of its spellings is given: `Chevy` is `chevrolet`. */
export function makeKey(text: string): string {
  const key = vehicleKey(text)
  return makeAliases.get(key) ?? key
}

/**
 * The vehicle that a make and a model of a file or an address mean: other spellings, cab and drive variants, hybrids
 * and trims of one model are that model.
 *
 * @returns a reason when they name no vehicle, such as `AIR BAG`
 */
export function canonicalVehicle(makeText: string, modelText: string): CanonicalVehicle | { reason: string } {
  return canonicalPair(`${makeText}\t${modelText}`)
}

/** The files name the same few thousand vehicles again and again. */
const canonicalPair = memoise((pair) => {
  const [makeText = '', modelText = ''] = pair.split('\t')
  return canonical(makeText, modelText)
}, 20_000)

function canonical(makeText: string, modelText: string): CanonicalVehicle | { reason: string } {
  const make = makeKey(makeText)
  if (make === '') return { reason: 'It names no make.' }
  if (makeText.length > longestName || modelText.length > longestName)
    return { reason: 'Its name is too long.' }
  const makeName = makeNames.get(make) ?? displayName(makeText)
  const text = withoutMake(modelText.trim(), make)
  if (vehicleKey(text) === '') return { reason: 'It names no model.' }
  if (noModels.has(vehicleKey(text))) return { reason: `"${text}" is no model.` }
  return { make, makeName, ...splitModel(make, text) }
}

/** Longer ones do not fit into the official files. */
const longestName = 256
/** The longest known model has five: `CR-V Fuel Cell EV`. */
const mostWords = 6

/** "FORD F-150" of Ford is "F-150"; recalls that replace others call their models "redundant". */
function withoutMake(text: string, make: string): string {
  const own = text.replace(/^redundant\s+/i, '')
  const words = wordsOf(own)
  for (const { end } of words.slice(0, mostWordsOfMake)) {
    const head = own.slice(0, end)
    if (makeKey(head) === make && !modelNames.has(`${make}/${vehicleKey(head)}`)) {
      return own.slice(end).replace(/^[\s-]+/, '')
    }
  }
  return own
}

const mostWordsOfMake = 3

/** Keys of texts in the model column that are parts, or stand for "unknown". */
const noModels: ReadonlySet<string> = new Set(
  `unknown; unk; other; n/a; none; not applicable; all; various; multiple; see summary; test;
  air bag; air bags; driver side airbag; passenger airbag; seat belt; seat belts; seat; seats; seat cushion frame;
  child seat; child safety seat; headliner; tire; tires; wheel; wheels; brake; brakes; steering; suspension;
  structure; visibility; equipment; engine; engines; engine & engine cooling; power train; electrical system;
  fuel system; exterior lighting; interior lighting; vehicle speed control`
    .split(';')
    .map(vehicleKey),
)

type Word = { readonly text: string; readonly start: number; readonly end: number }

function wordsOf(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{M}\d]+|&/gu)].map(({ 0: word, index }) => ({
    ...{ text: word, start: index, end: index + word.length },
  }))
}

type ModelAndTrim = Pick<CanonicalVehicle, 'model' | 'modelName' | 'trim'>

function splitModel(make: string, text: string): ModelAndTrim {
  for (const { of, pattern, name } of modelPatterns) {
    const match = of === make ? pattern.exec(text) : null
    if (match !== null) return variantOf(text.replace(pattern, name), text)
  }
  // Two names, of which nobody knows which is meant, are one of their own.
  if (/\s\/\s/.test(text)) return named(displayName(text), null)
  const words = wordsOf(text)
  for (let count = Math.min(mostWords, words.length); count > 0; count--) {
    const end = words[count - 1]?.end ?? 0
    const name = modelNames.get(`${make}/${vehicleKey(text.slice(0, end))}`)
    if (name !== undefined) return named(name, trimOf(text.slice(end)))
  }
  return splitUnknown(text, words)
}

/** Of a class or series: the trim is the text, unless it only names the class. */
function variantOf(modelName: string, text: string): ModelAndTrim {
  const isClass = vehicleKey(text).replace(/class$/, '') === vehicleKey(modelName).replace(/class$/, '')
  return named(modelName, isClass ? null : trimOf(text))
}

/** Cuts the words off the end that are names of variants with every make. */
function splitUnknown(text: string, words: readonly Word[]): ModelAndTrim {
  let count = words.length
  while (count > 1 && trimWords.has((words[count - 1]?.text ?? '').toUpperCase())) count--
  const end = count === words.length ? text.length : (words[count - 1]?.end ?? text.length)
  return named(displayName(text.slice(0, end)), trimOf(text.slice(end)))
}

function named(modelName: string, trim: string | null): ModelAndTrim {
  return { model: vehicleKey(modelName), modelName, trim }
}

function trimOf(text: string): string | null {
  const rest = text.replaceAll(/^[\s\-/,.+]+|[\s\-/,]+$/g, '')
  if (!/[\p{L}\d]/u.test(rest)) return null
  return rest === 'SD' ? 'Super Duty' : displayName(rest)
}

/** Model years that can be: 1950 to two years after the current one. */
export function isModelYear(year: number, currentYear: number): boolean {
  return Number.isInteger(year) && year >= 1950 && year <= currentYear + 2
}
