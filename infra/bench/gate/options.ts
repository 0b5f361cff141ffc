import { parseArgs } from 'node:util'

/** What a run of the benchmark measures, and for how long. */
export type Options = {
  readonly rounds: number
  readonly seconds: number
  /** Seconds of load that each subject gets before it is first measured, for the compiler to settle. */
  readonly warmUp: number
  readonly connections: number
  /** Accounts that the requests are spread over. */
  readonly keys: readonly number[]
  /** Numbers of processes of the service. */
  readonly processes: readonly number[]
  /** Ids of subjects; all when empty. */
  readonly subjects: readonly string[]
  readonly answers: readonly Answer[]
  /** Whether the tables go into README.md. */
  readonly publish: boolean
}

/** `small`: 600 bytes of JSON by GET. `full`: POST /v1/calculate. */
export type Answer = (typeof answers)[number]
export const answers = ['small', 'full'] as const

export const usage = `node bench/gate.ts [options]
  --rounds N        alternating rounds, 5 unless told
  --seconds N       length of a measurement, 2 unless told
  --warm-up N       seconds of load before a subject is first measured, 10 unless told
  --connections N   64 unless told
  --keys LIST       accounts the requests are spread over; 1,10000,1000000 unless told
  --processes LIST  processes of the service; 1,2,3 unless told
  --subjects LIST   ids of the subjects; all unless told
  --answers LIST    small, full; both unless told
  --dry             print the tables, leave README.md alone
`

/**
 * @param ids the subjects there are
 * @throws TypeError for an unknown option, RangeError for a value that is not one
 */
export function readOptions(args: readonly string[], ids: readonly string[]): Options {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ rounds: text, seconds: text, 'warm-up': text, connections: text, keys: text, processes: text },
      ...{ subjects: text, answers: text, dry: { type: 'boolean' } },
    },
  })
  return {
    rounds: number(values.rounds ?? '5'),
    seconds: number(values.seconds ?? '2'),
    warmUp: number(values['warm-up'] ?? '10'),
    connections: number(values.connections ?? '64'),
    keys: list(values.keys ?? '1,10000,1000000').map(number),
    processes: list(values.processes ?? '1,2,3').map(number),
    subjects: list(values.subjects ?? '').map((value) => oneOf(ids, value)),
    answers: list(values.answers ?? answers.join(',')).map((value) => oneOf(answers, value)),
    publish: values.dry !== true,
  }
}

function list(value: string): string[] {
  return value.split(',').filter((item) => item !== '')
}

function number(value: string): number {
  const result = Number(value)
  if (!Number.isInteger(result) || result < 1)
    throw new RangeError(`${value} is not a whole number of at least 1.`)
  return result
}

function oneOf<T extends string>(known: readonly T[], value: string): T {
  const found = known.find((one) => one === value)
  if (found === undefined) throw new RangeError(`${value} is not known; expected one of ${known.join(', ')}.`)
  return found
}
