import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

/*
 * County look-ups a second of the whole service against the same endpoint without the meter and against a bare
 * Express route with the same body, side by side, in alternating rounds; and the time of the best-bundle search.
 * The server has the first core, the load and Redis the second. Needs wrk and taskset (Debian: wrk, util-linux).
 * `npm run bench -w @hearth/infra` writes the table into README.md beside this file.
 */

const names: Readonly<Record<string, string>> = {
  full: 'the service: key, quotas, one Redis call, log line, metrics',
  withoutMeter: 'the same endpoint without the meter',
  bareExpress: 'a bare Express route, `res.json` of the same body',
}

const rounds = 5
const secondsPerRound = 4
const connections = 64
const service = fileURLToPath(new URL('../../apps/wildfire-api/', import.meta.url))

const server = spawn('taskset', ['-c', '0', process.execPath, 'bench/county-server.ts'], {
  cwd: service,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [line] = (await once(server.stdout, 'data')) as [Buffer]
const { ports, key, redisPid } = JSON.parse(line.toString()) as Ready
execFileSync('taskset', ['-acp', '1', String(redisPid)], { stdio: 'ignore' })
const results = new Map<string, Round[]>(Object.keys(ports).map((name) => [name, []]))
for (let round = 0; round < rounds + 1; round++) {
  for (const [name, port] of Object.entries(ports)) {
    const measured = load(`http://127.0.0.1:${port}/v1/risk/county/06061`, key)
    if (round > 0) results.get(name)?.push(measured) // the first round warms up
    process.stdout.write(`${name} ${measured.perSecond.toFixed(0)}/s\n`)
  }
}
server.kill('SIGTERM')
await once(server, 'close')
const bundle = execFileSync(process.execPath, ['bench/best-bundle.ts'], { cwd: service, encoding: 'utf8' })
publish('wildfire', [...table(), '', ...bundle.trim().split('\n')])

function load(url: string, apiKey: string): Round {
  const output = execFileSync(
    'taskset',
    [
      ...['-c', '1', 'wrk', '-t1', `-c${connections}`, `-d${secondsPerRound}s`, '--latency'],
      ...['-H', `X-API-Key: ${apiKey}`, url],
    ],
    { encoding: 'utf8' },
  )
  if (output.includes('Non-2xx')) throw new Error(`Not every answer was a success:\n${output}`)
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1])
  return { perSecond, p50: milliseconds(output, '50%'), p99: milliseconds(output, '99%') }
}

function milliseconds(output: string, percentile: string): number {
  const [, value = '', unit = ''] = new RegExp(`${percentile}\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? []
  return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1)
}

function table(): string[] {
  const base = median(results.get('bareExpress') ?? [], 'perSecond')
  const rows = [...results].map(([name, measured]) => {
    const perSecond = median(measured, 'perSecond')
    const cells = [
      names[name] ?? name,
      perSecond.toFixed(0),
      (perSecond / base).toFixed(2),
      median(measured, 'p50').toFixed(1),
      median(measured, 'p99').toFixed(1),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    `Medians of ${rounds} alternating rounds of ${secondsPerRound} s, ${connections} connections, Node ${process.version}, ${cpus()[0]?.model ?? ''}; the server alone on one core.`,
    '',
    '| County look-up | per second | ratio to bare Express | p50 ms | p99 ms |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ]
}

function median(measured: readonly Round[], field: keyof Round): number {
  const sorted = measured.map((round) => round[field]).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}

/** Replaces what stands between the marks of a benchmark in README.md. */
function publish(name: string, lines: readonly string[]): void {
  const file = new URL('README.md', import.meta.url)
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const text = readFileSync(file, 'utf8')
  const before = text.slice(0, text.indexOf(start) + start.length)
  writeFileSync(file, `${before}\n\n${lines.join('\n')}\n\n${text.slice(text.indexOf(end))}`)
}

type Ready = { ports: Record<string, number>; key: string; redisPid: number }
type Round = { perSecond: number; p50: number; p99: number }
