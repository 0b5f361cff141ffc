import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from './system-error.ts'

/** One setting of the process: knows the variable's name and how to turn its text into a value. */
export type Variable<T> = {
  readonly name: string
  /** Turns the text (undefined when unset) into a value; throws {@link Problem} with the reason. */
  readonly parse: (text: string | undefined, earlier: Earlier) => T
}

/** Any text. */
export function text(name: string, options: { default: Default<string> }): Variable<string> {
  return { name, parse: (given, earlier) => given ?? fallback(options.default, earlier) }
}

/** A whole number in decimal digits, from `min` to `max` inclusive. */
export function integer(
  name: string,
  options: {
    min: number
    max: number
    default: Default<number>
    /** Says what is wrong with a number in the range, as the end of a sentence that starts with the name. */
    refuse?: (value: number, earlier: Earlier) => string | undefined
  },
): Variable<number> {
  return {
    name,
    parse(given, earlier) {
      const value = given === undefined ? fallback(options.default, earlier) : Number(given)
      const isWhole = given === undefined || /^-?\d{1,15}$/.test(given)
      if (!isWhole || value < options.min || value > options.max) {
        throw new Problem(
          `is ${quote(given)}; expected a whole number from ${options.min} to ${options.max}.`,
        )
      }
      const refusal = options.refuse?.(value, earlier)
      if (refusal !== undefined) throw new Problem(refusal)
      return value
    },
  }
}

/** One word of a closed list. */
export function oneOf<const T extends string>(
  name: string,
  words: readonly T[],
  defaultWord: Default<NoInfer<T>>,
): Variable<T> {
  return {
    name,
    parse(given, earlier) {
      if (given === undefined) return fallback(defaultWord, earlier)
      const word = words.find((candidate) => candidate === given)
      if (word === undefined) throw new Problem(`is ${quote(given)}; expected one of ${words.join(', ')}.`)
      return word
    },
  }
}

/** `true` or `false` (also `1` or `0`). */
export function flag(name: string, options: { default: Default<boolean> }): Variable<boolean> {
  return {
    name,
    parse(given, earlier) {
      if (given === undefined) return fallback(options.default, earlier)
      if (given === 'true' || given === '1') return true
      if (given === 'false' || given === '0') return false
      throw new Problem(`is ${quote(given)}; expected true or false.`)
    },
  }
}

/** The URL of a server this process depends on; undefined when unset. Its text is never printed: it may hold a password. */
export function url(
  name: string,
  options: {
    /** Without the colon: `['postgres', 'postgresql']`. */
    protocols: readonly string[]
    /** Allows a comma-separated list, whose items may also be bare `host:port`. */
    list?: boolean
    /** Returns the reason when the variable must be set: the end of "… must be set …". */
    required?: (earlier: Earlier) => string | undefined
  },
): Variable<string | undefined> {
  const expected = options.protocols.map((protocol) => `${protocol}://host:port`).join(' or ')
  return {
    name,
    parse(given, earlier) {
      const reason = given === undefined ? options.required?.(earlier) : undefined
      if (reason !== undefined) throw new Problem(`must be set ${reason}; expected ${expected}.`)
      if (given === undefined) return undefined
      return options.list === true && given.includes(',')
        ? checkUrls(given, options.protocols)
        : checkUrl(given.trim(), options.protocols)
    },
  }
}

/** The public address of the service, http or https, without a slash at its end. */
export function publicUrl(name: string, options: { default: Default<string> }): Variable<string> {
  return {
    name,
    parse(given, earlier) {
      const value = given ?? fallback(options.default, earlier)
      const parsed = URL.canParse(value) ? new URL(value) : undefined
      const isWeb = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
      if (!isWeb || parsed.search !== '' || parsed.hash !== '' || parsed.username !== '') {
        throw new Problem(
          'is not a base URL; expected http:// or https:// with a host, without query or fragment.',
        )
      }
      return value.replace(/\/+$/, '')
    },
  }
}

/** A directory, as an absolute path. Relative paths start at `base`. */
export function directory(name: string, options: { base: string; default: string }): Variable<string> {
  return { name, parse: (given) => resolve(options.base, given ?? options.default) }
}

/**
 * A secret of at least 32 bytes. In production it must be given; elsewhere it is generated once into
 * `<dataDir>/secrets/<name>` (mode 0600) and read from there on later starts. Needs the keys `nodeEnv` and `dataDir`
 * earlier in the record.
 */
export function secret(name: string): Variable<string> {
  return {
    name,
    parse(given, earlier) {
      if (given === undefined && earlier.text('nodeEnv') === 'production') {
        throw new Problem(`must be set when NODE_ENV is production; expected ${STRONG_SECRET}.`)
      }
      if (given !== undefined) return checkSecret(given, '')
      const path = join(earlier.text('dataDir'), 'secrets', name)
      return checkSecret(generatedSecret(path), ` in ${path}`)
    },
  }
}

/**
 * Secrets that are changed without a gap: one, or several with commas between them, the newest first. Each must be
 * as strong as {@link secret} asks for; what is generated is one.
 */
export function secrets(name: string): Variable<readonly string[]> {
  const single = secret(name)
  return {
    name,
    parse(given, earlier) {
      const texts = given?.split(',').map((item) => item.trim()) ?? [undefined]
      return texts.map((item) => single.parse(item === '' ? ' ' : item, earlier))
    },
  }
}

/** Values of the variables that stand earlier in the record, by key, for derived defaults. */
export type Earlier = {
  text(key: string): string
  number(key: string): number
}

/** A default is a value, or is derived from variables that stand earlier in the record. */
export type Default<T> = T | ((earlier: Earlier) => T)

/** What is wrong with one variable: the rest of the sentence that starts with its name. */
export class Problem extends Error {
  readonly variable: string | undefined

  constructor(message: string, variable?: string) {
    super(message)
    this.variable = variable
  }
}

/** Thrown instead of a second complaint when an earlier variable, already complained about, is needed. */
export class DependsOnProblem extends Error {}

function fallback<T extends string | number | boolean>(value: Default<T>, earlier: Earlier): T {
  return typeof value === 'function' ? value(earlier) : value
}

function checkUrls(list: string, protocols: readonly string[]): string {
  const items = list.split(',').map((item) => item.trim())
  const named = items.filter((item) => item !== '')
  if (named.length === 0) throw new Problem('is an empty list; expected at least one host:port.')
  const urls = named.map((item) =>
    checkUrl(item.includes('://') ? item : `${protocols[0]}://${item}`, protocols),
  )
  // The comma is what makes it a list, so a list of one keeps it.
  return urls.length === 1 ? `${urls[0]},` : urls.join(',')
}

function checkUrl(value: string, protocols: readonly string[]): string {
  const expected = protocols.map((protocol) => `${protocol}://`).join(' or ')
  if (!URL.canParse(value)) throw new Problem(`is not a URL; expected one that starts with ${expected}.`)
  const { protocol, hostname } = new URL(value)
  if (!protocols.includes(protocol.slice(0, -1))) {
    throw new Problem(`starts with ${protocol}//; expected ${expected}.`)
  }
  if (hostname === '') throw new Problem('names no host; expected one after the two slashes.')
  return value
}

const STRONG_SECRET = 'at least 32 random bytes, for example from "openssl rand -base64 32"'
const PLACEHOLDER =
  /change.?me|secret|example|password|placeholder|replace|insecure|default|letmein|qwerty|123456/i

function checkSecret(value: string, where: string): string {
  const weakness = weaknessOf(value)
  if (weakness !== undefined) throw new Problem(`${weakness}${where}; expected ${STRONG_SECRET}.`)
  return value
}

function weaknessOf(value: string): string | undefined {
  const bytes = Buffer.byteLength(value)
  if (bytes < 32) return `has only ${bytes} bytes`
  if (PLACEHOLDER.test(value)) return 'contains a placeholder word'
  if (new Set(value).size < 10) return 'uses too few different characters'
  // A text is a repetition exactly when it occurs inside its own doubling before the end; the second test
  // also finds a pattern whose last repetition is cut off.
  const half = Math.floor(value.length / 2)
  for (let period = 1; period <= half; period++) {
    if (value.startsWith(value.slice(period))) return 'repeats a pattern'
  }
  const steps = Array.from(value, (_, at) => value.charCodeAt(at) - value.charCodeAt(at - 1))
  if (steps.filter((step) => Math.abs(step) === 1).length > half) return 'is a sequence'
  return undefined
}

/** Two starts at once agree: link(2) creates the file with its whole content, or finds the other's. */
function generatedSecret(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if (!existsSync(path)) {
      const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
      writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
      try {
        linkSync(draft, path)
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      } finally {
        rmSync(draft, { force: true })
      }
    }
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new Problem(
      `cannot be generated into ${quote(path)} (${codeOf(error)}); set it, or make DATA_DIR writable.`,
    )
  }
}

/** The text as a JSON string, cut off after 80 characters. */
export function quote(value: string | undefined): string {
  return JSON.stringify(value === undefined || value.length <= 80 ? (value ?? '') : `${value.slice(0, 80)}…`)
}
