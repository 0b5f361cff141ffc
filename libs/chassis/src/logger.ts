import { pino, type DestinationStream, type Level, type Logger } from 'pino'
import { isError } from './system-error.ts'

/**
 * A logger of JSON lines, on stdout unless a destination is given. Whatever is logged, the finished line is searched
 * for credentials: values of fields that hold them (at any depth), API keys, JSON Web Tokens, passwords in URLs.
 * What is buffered is written when the process ends by itself, by `process.exit` or by an uncaught error.
 */
export function createLogger(options: {
  level: Level | 'silent'
  service: string
  destination?: DestinationStream
}): Logger {
  const base = { service: options.service }
  const destination = options.destination ?? standardOutput()
  const logger = pino(
    {
      level: options.level,
      base,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError },
      hooks: { streamWrite: maskCredentials },
    },
    destination,
  )
  const ofService = JSON.stringify(base).slice(1, -1)
  lineWriters.set(logger, (fields, message) => {
    const rest = JSON.stringify({ ...fields, msg: message }).slice(1)
    destination.write(maskCredentials(`{"level":"info","time":${Date.now()},${ofService},${rest}\n`))
  })
  return logger
}

/**
 * Writes the line that `log.info(fields, message)` writes, in half the time: pino asks of every field what there is to
 * do with it, and these need nothing. For what is logged with every request.
 */
export function logPlainly(log: Logger, fields: PlainFields, message: string): void {
  const writeLine = lineWriters.get(log)
  if (writeLine === undefined) log.info(fields, message)
  else if (log.isLevelEnabled('info')) writeLine(fields, message)
}

/** Fields without errors or anything else that a serialiser would change. */
type PlainFields = Readonly<Record<string, string | number | boolean | undefined>>

/** Of loggers made here; their children are pino's alone. */
const lineWriters = new WeakMap<Logger, (fields: PlainFields, message: string) => void>()

/**
 * Standard output, with many lines in one write: a write goes through another thread, which costs more than a line.
 * Lines of requests and the like wait a tenth of a second for others; warnings and errors go at once.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false })
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  let isUsed = false

  /** Many loggers are made that never say anything, and a process has not room for as many listeners. */
  function writeAtExit(): void {
    isUsed = true
    process.once('exit', () => {
      output.flushSync()
      pino.destination({ dest: 1, sync: true }).write(lines)
    })
  }

  function writeLines(): void {
    clearTimeout(timer)
    timer = undefined
    output.write(lines)
    lines = ''
  }

  return {
    write(line) {
      if (!isUsed) writeAtExit()
      lines += line
      if (!isPatient(line) || lines.length > largestWrite) writeLines()
      else timer ??= setTimeout(writeLines, 100).unref()
    },
  }
}

const largestWrite = 65_536
/** Lines begin with their level. */
const isPatient = (line: string): boolean => line.startsWith('{"level":"info"')

/** The line with every credential replaced by `***`. Costs less than a microsecond when there is none. */
export function maskCredentials(line: string): string {
  let masked = line
  if (CREDENTIAL_FIELD.test(line)) masked = masked.replace(CREDENTIAL_FIELDS, maskField)
  if (line.includes('_live_') || line.includes('_test_')) masked = masked.replace(API_KEYS, '$1***')
  if (line.includes('eyJ')) masked = masked.replace(TOKENS, '***')
  if (line.includes('://')) masked = masked.replace(URL_PASSWORDS, '$1***@')
  return masked
}

const FIELD = String.raw`(?:api[-_]?key|authorization|password|passwd|token|secret|pepper|cookie)\\*"\s*:`
const CREDENTIAL_FIELD = new RegExp(FIELD, 'i')

/**
 * After the field: a text, or a text inside a text that is itself JSON (its quotes are escaped alike at both ends),
 * or a list (headers come as lists), or a word. Lengths are bounded so that no line takes long to search.
 */
const CREDENTIAL_FIELDS = new RegExp(
  String.raw`(${FIELD}\s*)(?:"(?:[^"\\]|\\.)*"|(\\+)"[^]{0,4096}?(?<!\\)\2"|\[[^\]]*\]|[^",{}[\]\s\\]+)`,
  'gi',
)
const API_KEYS = /((?:slr|wfr|vhr)_(?:live|test)_)[0-9A-Za-z]{52}/g
const TOKENS = /eyJ[\w-]{8,256}\.[\w-]+\.[\w-]*/g
const URL_PASSWORDS = /(:\/\/[^\s:@/"\\]{0,256}:)[^\s@/"\\]{1,256}@/g

/** What replaces the value must leave the line valid JSON, at any level of escaping. */
function maskField(match: string, field: string, escape = ''): string {
  const value = match.slice(field.length)
  return value.startsWith('"') || escape !== '' ? `${field}${escape}"***${escape}"` : `${field}null`
}

/** Drivers hang the arguments of the failed command on their errors; only what is known to be harmless is logged. */
function describeError(error: unknown): unknown {
  if (!isError(error)) return error
  // Error types of drivers and of HTTP carry these; their types are checked below.
  const { status, code } = error as Error & { status?: unknown; code?: unknown }
  const described: Record<string, unknown> = { type: error.name, message: error.message }
  if (typeof code === 'string') described['code'] = code
  // The caller's mistakes need no stack, and making one text of it is not free.
  if (typeof status === 'number' && status < 500) return { ...described, status }
  described['stack'] = error.stack
  if (error.cause !== undefined) described['cause'] = describeError(error.cause)
  return described
}
