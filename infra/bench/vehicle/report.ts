import { cpus } from 'node:os'
import type { ImportRun, Run } from './imports.ts'
import type { Options } from './options.ts'
import type { Kind, Load } from './reads.ts'
import { median, postgresSettings } from './stores.ts'

/** Runs of `\copy` and of the import of one file, in pairs. */
export type Imports = { readonly copies: readonly Run[]; readonly imports: readonly ImportRun[] }

/** Rounds of one kind of request: over one connection with the smaller and the larger data, and over several. */
export type ReadRow = {
  readonly kind: Kind
  readonly small: readonly Load[]
  readonly large: readonly Load[]
  readonly parallel: readonly Load[]
}

/** Reads per second of the service, and transactions per second of pgbench with plans made once or each time. */
export type SqlRounds = readonly {
  readonly service: number
  readonly pgbench: number
  readonly planning: number
}[]

export function importTable(
  { small, large }: { readonly small: Imports; readonly large: Imports },
  { rows, small: smallRows, rounds }: Options,
): string[] {
  const settings = Object.entries(postgresSettings).map(([name, value]) => `${name}=${value}`)
  return [
    `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? ''}) shared by the programs and Postgres (${settings.join(', ')}, for all). The import of ${lines(smallRows)} lines: medians of ${rounds} alternating rounds; of ${lines(rows)} lines: once each.`,
    '',
    '| Lines | complaints | `\\copy`, s | import, s | lines/s | import against `\\copy` | peak memory of the import, MiB |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    importRow(smallRows, small),
    importRow(rows, large),
  ]
}

function importRow(rows: number, { copies, imports }: Imports): string {
  const copy = median(copies.map(({ seconds }) => seconds))
  const seconds = median(imports.map((one) => one.seconds))
  const ratios = imports.map((one, round) => one.seconds / (copies[round]?.seconds ?? NaN))
  const cells = [
    ...[lines(rows), lines(imports[0]?.complaints ?? NaN), copy.toFixed(1), seconds.toFixed(1)],
    ...[lines(Math.round(rows / seconds)), `${median(ratios).toFixed(1)} times`],
    Math.max(...imports.map(({ peakMiB }) => peakMiB)).toFixed(0),
  ]
  return `| ${cells.join(' | ')} |`
}

export function readTable(
  rows: readonly ReadRow[],
  { rows: large, small, rounds, seconds, connections }: Options,
): string[] {
  return [
    `Reads of random model years through the whole service (key, quotas by Redis, log line, metrics): medians of ${rounds} alternating rounds of ${seconds} s.`,
    '',
    `| | p50 ms, ${lines(small)} lines | p99 ms | p50 ms, ${lines(large)} lines | p99 ms | p50 grows by | reads/s, ${connections} connections |`,
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => {
      const growth = row.large.map(({ p50 }, round) => p50 / (row.small[round]?.p50 ?? NaN))
      const cells = [
        row.kind.name,
        ...[row.small, row.large].flatMap((loads) => [of(loads, 'p50'), of(loads, 'p99')]),
        `${median(growth).toFixed(2)} times`,
        median(row.parallel.map(({ perSecond }) => perSecond)).toFixed(0),
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ]
}

export function sqlLine(rounds: SqlRounds, { rows, connections }: Options): string[] {
  const [service, prepared, planning] = (['service', 'pgbench', 'planning'] as const).map((who) => ({
    perSecond: median(rounds.map((round) => round[who])).toFixed(0),
    ratio: median(rounds.map((round) => round.service / round[who])).toFixed(2),
  }))
  return [
    `First pages by date with ${lines(rows)} lines over ${connections} connections: ${service?.perSecond ?? ''} a second. That is ${prepared?.ratio ?? ''} times what pgbench reaches for the same model years with the same statements, prepared as the service has them (${prepared?.perSecond ?? ''} a second), and ${planning?.ratio ?? ''} times what it reaches when each is planned anew (${planning?.perSecond ?? ''}).`,
  ]
}

function of(loads: readonly Load[], field: 'p50' | 'p99'): string {
  return median(loads.map((load) => load[field])).toFixed(2)
}

function lines(count: number): string {
  return count.toLocaleString('en')
}
