/** Tells how far a long step is, at most once a second. */
export type Progress = {
  readonly received: (bytes: number, of: number | undefined) => void
  readonly read: (share: number) => void
  readonly row: (lines: number) => void
  /** Says at once what is done next. */
  readonly step: (text: string) => void
}

/**
 * @param name of the table, in front of each line
 * @param print writes a line for the operator
 * @param now monotonic clock in milliseconds
 */
export function createProgress(name: string, print: (line: string) => void, now: () => number): Progress {
  let last = now()
  let start = last
  let share = 0
  const say = (text: () => string) => {
    if (now() - last < everyMs) return
    last = now()
    print(`${name}: ${text()}`)
  }
  return {
    received: (bytes, of) => {
      start = now()
      say(() => `received ${megabytes(bytes)}${of === undefined ? '' : ` of ${megabytes(of)}`}`)
    },
    read: (given) => {
      share = given
    },
    row: (lines) => {
      const seconds = (now() - start) / 1000
      say(() => `${bar(share)} ${lines} lines, ${rate(lines, seconds)}${timeLeft(share, seconds)}`)
    },
    step: (text) => {
      last = start = now()
      share = 0
      print(`${name}: ${text}`)
    },
  }
}

const everyMs = 1_000

function bar(share: number): string {
  const filled = Math.floor(share * 20)
  return `[${'#'.repeat(filled)}${'.'.repeat(20 - filled)}] ${Math.floor(share * 100)} %,`
}

function rate(lines: number, seconds: number): string {
  return `${Math.round(lines / Math.max(seconds, 1e-3))}/s`
}

/** In proportion to the bytes, which are read a little ahead of the lines. */
function timeLeft(share: number, seconds: number): string {
  if (share < 0.01) return ''
  const left = Math.ceil((seconds * (1 - share)) / share)
  return `, ${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
