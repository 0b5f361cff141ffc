import type { Measured } from './measure.ts'
import type { Answer } from './options.ts'
import { median, ratio, type Row } from './report.ts'

/** The rows of one comparison. */
export type Comparison = { readonly answer: Answer; readonly keyCount: number; readonly rows: readonly Row[] }

/** What the project wants of its gate, and what this run shows; goals whose subjects were not measured are left out. */
export function goals(comparisons: readonly Comparison[], bytesPerAccount: number | undefined): string[] {
  const keyCounts = [...new Set(comparisons.map(({ keyCount }) => keyCount))]
  const results: Goal[] = [
    ['the whole path against stock Express without a gate', '≥ 0.90', against('full', 'solar', 'express')],
    [
      'our gate against bare node:http with one script per request',
      '≥ 0.85',
      against('small', 'gate', 'node-http'),
    ],
    [
      'our gate against Express, key from Postgres and two limiters',
      '≥ 3.5',
      against('small', 'gate', 'express-key-and-limits'),
    ],
    ['our gate against nginx with Lua', '≥ 1.5', against('small', 'gate', 'nginx')],
    ['p99 that the gate adds, ms', '≤ 3', added('small', 'gate', 'ungated')],
    ['the whole path by its ratio to Express, against that with the fewest keys', '≥ 0.90', evenness()],
    ['Redis memory per account with one key, bytes', '≤ 400', () => bytesPerAccount?.toFixed(0)],
  ]
  return [
    `| goal | | ${keyCounts.map(keysOf).join(' | ')} |`,
    `| --- | --- |${' --- |'.repeat(keyCounts.length)}`,
    ...results.flatMap(([what, wanted, find]) => {
      const found = keyCounts.map((count) => find(comparisons, count))
      if (found.every((one) => one === undefined)) return []
      return [`| ${what} | ${wanted} | ${found.map((one) => one ?? '–').join(' | ')} |`]
    }),
  ]
}

/** `10,000 keys` */
export function keysOf(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'key' : 'keys'}`
}

type Goal = readonly [what: string, wanted: string, find: Finding]

/** What a run shows with so many keys, if it has measured it. */
type Finding = (comparisons: readonly Comparison[], keyCount: number) => string | undefined

function against(answer: Answer, id: string, baseId: string): Finding {
  return (comparisons, keyCount) => ratioOf(comparisons, keyCount, [answer, id, baseId])?.toFixed(2)
}

function added(answer: Answer, id: string, baseId: string): Finding {
  return (comparisons, keyCount) => {
    const [one, base] = [id, baseId].map((name) => roundsOf(comparisons, keyCount, answer, name))
    return one && base && (median(one, 'p99') - median(base, 'p99')).toFixed(1)
  }
}

/** By ratios, as the machine may change between two tables. */
function evenness(): Finding {
  const path = ['full', 'solar', 'express'] as const
  return (comparisons, keyCount) => {
    const fewest = Math.min(...comparisons.map((one) => one.keyCount))
    const [one, base] = [keyCount, fewest].map((count) => ratioOf(comparisons, count, path))
    return one === undefined || base === undefined || keyCount === fewest
      ? undefined
      : (one / base).toFixed(2)
  }
}

function ratioOf(
  comparisons: readonly Comparison[],
  keyCount: number,
  [answer, id, baseId]: readonly [Answer, string, string],
): number | undefined {
  const [one, base] = [id, baseId].map((name) => roundsOf(comparisons, keyCount, answer, name))
  return one && base && ratio(one, base)
}

function roundsOf(
  comparisons: readonly Comparison[],
  keyCount: number,
  answer: Answer,
  id: string,
): readonly Measured[] | undefined {
  const comparison = comparisons.find((one) => one.answer === answer && one.keyCount === keyCount)
  return comparison?.rows.find((row) => row.id === id)?.rounds
}
