import { parseArgs } from 'node:util'

/** What a run of the benchmark measures, and for how long. */
export type Options = {
  /** Lines of the larger and of the smaller complaint file. */
  readonly rows: number
  readonly small: number
  /** Alternating rounds of imports of the smaller file, and of reads. */
  readonly rounds: number
  /** Length of a measurement of reads. */
  readonly seconds: number
  readonly connections: number
  /** Where the complaint files are kept; undefined: in a directory that is removed. */
  readonly files: string | undefined
  /** Whether the tables go into README.md. */
  readonly publish: boolean
}

export const usage = `node bench/vehicle.ts [options]
  --rows N          lines of the complaint file, 2250000 unless told: as many as the official one has
  --small N         lines of the smaller one that reads are compared with, 50000 unless told
  --rounds N        alternating rounds, 3 unless told
  --seconds N       length of a measurement of reads, 2 unless told
  --connections N   of the measurement of reads per second, 16 unless told
  --files DIR       keep the complaint files there, and take those that are there
  --quick           200,000 lines, one round of one second; a look at whether it works
  --dry             print the tables, leave README.md alone
`

/** @throws TypeError for an unknown option, RangeError for a value that is not one */
export function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ rows: text, small: text, rounds: text, seconds: text, connections: text, files: text },
      ...{ quick: flag, dry: flag },
    },
  })
  const { quick } = values
  return {
    rows: number(values.rows ?? (quick ? '200000' : '2250000')),
    small: number(values.small ?? '50000'),
    rounds: number(values.rounds ?? (quick ? '1' : '3')),
    seconds: number(values.seconds ?? (quick ? '1' : '2')),
    connections: number(values.connections ?? '16'),
    files: values.files,
    publish: !values.dry && !quick,
  }
}

function number(value: string): number {
  const result = Number(value)
  if (Number.isInteger(result) && result >= 1) return result
  throw new RangeError(`${value} is not a whole number of at least 1.`)
}
