import type { Measured } from './measure.ts'
import type { Answer } from './options.ts'
import { median, ratio, type Row } from './report.ts'

/** The rows of one comparison. */
export type Comparison = { readonly answer: Answer; readonly keyCount: number; readonly rows: readonly Row[] }

/** What the project wants of its gate, and what this run shows; goals whose subjects were not measured are left out. */
export function goals(comparisons: readonly Comparison[], bytesPerAccount: number | undefined): string[] {
  const first = (answer: Answer) => comparisons.find((one) => one.answer === answer)?.rows ?? []
  const [small, full] = [first('small'), first('full')]
  const results: Goal[] = [
    ['the whole path against stock Express without a gate', '≥ 0.90', against(full, 'solar', 'express')],
    [
      'our gate against bare node:http with one script per request',
      '≥ 0.85',
      against(small, 'gate', 'node-http'),
    ],
    [
      'our gate against Express, key from Postgres and two limiters',
      '≥ 3.5',
      against(small, 'gate', 'express-key-and-limits'),
    ],
    ['our gate against nginx with Lua', '≥ 1.5', against(small, 'gate', 'nginx')],
    ['p99 that the gate adds, ms', '≤ 3', added(small, 'gate', 'ungated')],
    ['Redis memory per account with one key, bytes', '≤ 400', bytesPerAccount?.toFixed(0)],
    ['the whole path: slowest of the numbers of keys against the fastest', '≥ 0.90', evenness(comparisons)],
  ]
  return [
    '| goal | | this run |',
    '| --- | --- | --- |',
    ...results.flatMap(([what, wanted, got]) =>
      got === undefined ? [] : [`| ${what} | ${wanted} | ${got} |`],
    ),
  ]
}

type Goal = readonly [what: string, wanted: string, got: string | undefined]

function against(rows: readonly Row[], id: string, baseId: string): string | undefined {
  const [one, base] = [roundsOf(rows, id), roundsOf(rows, baseId)]
  return one && base && ratio(one, base).toFixed(2)
}

function added(rows: readonly Row[], id: string, baseId: string): string | undefined {
  const [one, base] = [roundsOf(rows, id), roundsOf(rows, baseId)]
  return one && base && (median(one, 'p99') - median(base, 'p99')).toFixed(1)
}

function evenness(comparisons: readonly Comparison[]): string | undefined {
  const speeds = comparisons.flatMap(({ rows }) => {
    const solar = roundsOf(rows, 'solar')
    return solar === undefined ? [] : [median(solar, 'perSecond')]
  })
  return speeds.length < 2 ? undefined : (Math.min(...speeds) / Math.max(...speeds)).toFixed(2)
}

function roundsOf(rows: readonly Row[], id: string): readonly Measured[] | undefined {
  return rows.find((row) => row.id === id)?.rounds
}
