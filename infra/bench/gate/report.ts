import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Options } from './options.ts'
import type { Measured } from './measure.ts'
import { ourRecords, type Subject } from './subjects.ts'

/** Medians of the rounds of one subject. */
export type Row = Pick<Subject, 'id' | 'name' | 'records'> & { readonly rounds: readonly Measured[] }

/** A table of subjects against the one that is the base of the ratios. */
export function table(rows: readonly Row[], baseId: string, bytes: ReadonlyMap<string, number>): string[] {
  const base = rows.find(({ id }) => id === baseId)
  return [
    '| | req/s | ratio | p50 ms | p99 ms | CPU µs | Redis script µs | Redis CPU µs | Postgres CPU µs | Redis bytes per account |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => {
      const of = (field: keyof Measured) => median(row.rounds, field)
      const one = { viaRedis: of('viaRedis'), moved: of('moved') }
      const cells = [
        row.records === ourRecords && isDisturbed(one)
          ? `${row.name} (busy machine: ${(100 * one.viaRedis).toFixed(0)} % by Redis, ${one.moved} accounts moved to Postgres and back)`
          : row.name,
        of('perSecond').toFixed(0),
        base === undefined ? '' : ratio(row.rounds, base.rounds).toFixed(2),
        of('p50').toFixed(2),
        of('p99').toFixed(2),
        of('cpu').toFixed(1),
        of('redisScript').toFixed(1),
        of('redisCpu').toFixed(1),
        of('postgresCpu').toFixed(1),
        bytes.get(row.id)?.toFixed(0) ?? '–',
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ]
}

/** Median over the rounds of the ratio within a round: what slows the machine for a while slows both. */
export function ratio(of: readonly Measured[], base: readonly Measured[]): number {
  return middle(of.map(({ perSecond }, round) => perSecond / (base[round]?.perSecond ?? NaN)))
}

/** Whether our gate has served from something else than Redis. */
export function isDisturbed({ viaRedis, moved }: Pick<Measured, 'viaRedis' | 'moved'>): boolean {
  return viaRedis < 0.99 || moved > 0
}

export function median(rounds: readonly Measured[], field: keyof Measured): number {
  return middle(rounds.map((one) => one[field]))
}

/** What a reader must know to judge the numbers. */
export function conditions({ rounds, seconds, connections }: Options): string {
  return `Medians of ${rounds} alternating rounds of ${seconds} s, ${connections} connections, Node ${process.version}, ${cpus()[0]?.model ?? ''}; the servers on one core, load, Redis and Postgres on the other.`
}

/** Replaces what stands between the marks of a benchmark in a README. */
export function publish(file: URL, name: string, lines: readonly string[]): void {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const text = readFileSync(file, 'utf8')
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < 0) throw new Error(`README.md has no marks ${start} and ${end}.`)
  writeFileSync(file, `${text.slice(0, from + start.length)}\n\n${lines.join('\n')}\n\n${text.slice(to)}`)
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}
