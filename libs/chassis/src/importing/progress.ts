/** Tells how far a long step is, at most once a second. */
export type Progress = {
  readonly received: (bytes: number, of: number | undefined) => void
  readonly read: (share: number) => void
  readonly row: (lines: number) => void
}

/**
 * @param name of the table, in front of each line
 * @param print writes a line for the operator
 * @param now monotonic clock in milliseconds
 */
export function createProgress(name: string, print: (line: string) => void, now: () => number): Progress {
  let last = now()
  let share = 0
  const say = (text: string) => {
    if (now() - last < everyMs) return
    last = now()
    print(`${name}: ${text}`)
  }
  return {
    received: (bytes, of) => {
      say(`received ${megabytes(bytes)}${of === undefined ? '' : ` of ${megabytes(of)}`}`)
    },
    read: (given) => {
      share = given
    },
    row: (lines) => {
      say(`read ${lines} lines, ${Math.floor(share * 100)} %`)
    },
  }
}

const everyMs = 1_000

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
