import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * CPU time of a trial of solar-api's Monte Carlo engine, of vectorised NumPy and of a scalar C program, side by side
 * in alternating rounds, and of whole runs with all statistics. First it makes sure that the three compute the same:
 * engine and C to nine digits with the same random numbers, NumPy within five standard errors. Needs a C compiler and
 * NumPy (Debian: gcc, python3-numpy). `npm run bench:monte-carlo -w @hearth/infra` writes the tables into README.md.
 */

const rounds = 7
const secondsPerMeasurement = 1
const trials = 16_384
const trialsToAgreeOn = 1_048_576
const outputs = ['npv', 'lifetimeNetSavings', 'paybackYears', 'year1Savings'] as const

// Numbers in the order of monte-carlo/model.c.
const common = [0.005, 0.025, 3.15, 20, 200, 1.025, 0.06, 25, 13]
const sites = {
  'net metering, 7 random inputs': [1400, 10_800, 0.17, 1, 0.04, ...common],
  'net billing, 8 random inputs': [1400, 10_800, 0.36, 0.4, 0.07, ...common],
}
const folder = mkdtempSync(join(tmpdir(), 'monte-carlo-'))
const program = join(folder, 'model')
const engine = [process.execPath, pathOf('../../apps/solar-api/bench/monte-carlo.ts')]
const contestants = {
  'engine, `sobol`': [...engine, 'sobol'],
  'engine, `random`': [...engine, 'random'],
  'NumPy, Philox and ziggurat': ['/usr/bin/python3', pathOf('monte-carlo/numpy_model.py'), 'random'],
  'C, the Sobol points of the engine': [program, 'sobol'],
  'C, the Philox words of the engine': [program, 'random'],
}
const ratios = [
  ['NumPy, Philox and ziggurat', 'engine, `sobol`'],
  ['NumPy, Philox and ziggurat', 'engine, `random`'],
  ['engine, `sobol`', 'C, the Sobol points of the engine'],
  ['engine, `random`', 'C, the Philox words of the engine'],
] as const
const wholeRuns = [
  ['sobol', 8192],
  ['random', 10_000],
  ['sobol', 16_384],
  ['random', 100_000],
] as const

try {
  execFileSync('cc', ['-O3', '-march=native', pathOf('monte-carlo/model.c'), '-o', program, '-lm'])
  for (const site of names(sites)) checkAgreement(site)
  const measured = measure()
  publish('monte-carlo', tables(measured.perTrial, measured.perRun))
} finally {
  rmSync(folder, { recursive: true })
}

/** @throws Error when the three do not compute the same */
function checkAgreement(site: SiteName): void {
  const answer = (name: ContestantName): Answer => run(contestants[name], site, trialsToAgreeOn, 0)
  const [sobol, random] = [answer('engine, `sobol`'), answer('engine, `random`')]
  const problems = [
    ...differences('C, Sobol points', sobol, answer('C, the Sobol points of the engine'), nineDigits),
    ...differences('C, Philox words', random, answer('C, the Philox words of the engine'), nineDigits),
    ...differences('NumPy', random, answer('NumPy, Philox and ziggurat'), fiveStandardErrors),
  ]
  if (problems.length > 0) throw new Error(`Not the same model (${site}):\n${problems.join('\n')}`)
  process.stdout.write(`${site}: the results agree\n`)
}

function differences(name: string, ours: Answer, theirs: Answer, allowed: typeof nineDigits): string[] {
  return outputs.flatMap((output) => {
    const [own, other] = [valuesOf(ours[output]), valuesOf(theirs[output])]
    const { standardError = NaN, percentileStandardErrors = [] } = ours[output]
    // That of a deviation is no larger than that of the mean, unless the tails are heavy.
    const errors = [standardError, standardError, ...percentileStandardErrors]
    return own.flatMap((value, index) => {
      const found = other[index] ?? NaN
      const isSame = value === null || Math.abs(found - value) <= allowed(value, errors[index] ?? NaN)
      return isSame ? [] : [`${name}, ${output}, number ${index}: ${found} in place of ${value}`]
    })
  })
}

function nineDigits(value: number, _standardError: number): number {
  return 1e-9 * Math.abs(value)
}

/** Of the difference of two runs. */
function fiveStandardErrors(_value: number, standardError: number): number {
  return 5 * Math.SQRT2 * standardError
}

function valuesOf({ mean, standardDeviation, percentiles }: Description): (number | null)[] {
  return [mean, standardDeviation, ...percentiles]
}

/** For each round the median of the second half of its repetitions, by when Node's compiler is done. */
function measure(): { perTrial: Map<string, number[]>; perRun: Map<string, number[]> } {
  const perTrial = new Map<string, number[]>()
  const perRun = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    for (const site of names(sites)) {
      for (const name of names(contestants)) {
        const { nsPerTrial } = run(contestants[name], site, trials, secondsPerMeasurement)
        add(perTrial, `${site} ${name}`, median(settled(nsPerTrial)))
      }
      for (const [method, count] of wholeRuns) {
        const { runMs = [] } = run([...engine, method], site, count, secondsPerMeasurement)
        add(perRun, `${site} ${method} ${count}`, median(settled(runMs)))
      }
    }
    process.stdout.write(`round ${round + 1} of ${rounds}\n`)
  }
  return { perTrial, perRun }
}

function run(command: readonly string[], site: SiteName, count: number, seconds: number): Answer {
  const [file = '', ...options] = command
  const numbers = [count, 1, seconds, ...sites[site]].map(String)
  return JSON.parse(execFileSync(file, [...options, ...numbers], { encoding: 'utf8' }))
}

function tables(perTrial: ReadonlyMap<string, number[]>, perRun: ReadonlyMap<string, number[]>): string[] {
  const row = (name: string, cell: (site: SiteName) => string): string =>
    `| ${[name, ...names(sites).map(cell)].join(' | ')} |`
  const head = (name: string): string[] => [row(name, (site) => site), row('---', () => '---')]
  const times = (site: SiteName, name: ContestantName): number[] => perTrial.get(`${site} ${name}`) ?? []
  const ratio = (site: SiteName, over: ContestantName, under: ContestantName): number =>
    median(times(site, over).map((time, round) => time / (times(site, under)[round] ?? NaN)))
  return [
    `Medians of ${rounds} alternating rounds, of the second half of ${secondsPerMeasurement} s each; Node ${process.version}, ${cpus().length} cores of ${cpus()[0]?.model ?? ''}, shared with other work. Every program computes net present value, lifetime savings, payback and first-year savings of each trial.`,
    '',
    ...head('CPU ns per trial'),
    ...names(contestants).map((name) => row(name, (site) => median(times(site, name)).toFixed(0))),
    '',
    ...head('Ratio'),
    ...ratios.map(([over, under]) =>
      row(`${over} / ${under}`, (site) => ratio(site, over, under).toFixed(2)),
    ),
    '',
    ...head('A whole run: plan, trials, all statistics, tornado, Sobol indices; CPU ms'),
    ...wholeRuns.map(([method, count]) =>
      row(`${count.toLocaleString('en')} trials, \`${method}\``, (site) =>
        median(perRun.get(`${site} ${method} ${count}`) ?? []).toFixed(2),
      ),
    ),
  ]
}

/** Replaces what stands between the marks of a benchmark in README.md. */
function publish(name: string, lines: readonly string[]): void {
  const file = new URL('README.md', import.meta.url)
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const text = readFileSync(file, 'utf8')
  const before = text.slice(0, text.indexOf(start) + start.length)
  writeFileSync(file, `${before}\n\n${lines.join('\n')}\n\n${text.slice(text.indexOf(end))}`)
}

function add(map: Map<string, number[]>, key: string, value: number): void {
  map.set(key, [...(map.get(key) ?? []), value])
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

function settled(values: readonly number[]): number[] {
  return values.slice(values.length >>> 1)
}

function names<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(record) as Name[]
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url))
}

type SiteName = keyof typeof sites
type ContestantName = keyof typeof contestants
type Description = {
  mean: number | null
  standardDeviation: number | null
  percentiles: (number | null)[]
  standardError?: number
  percentileStandardErrors?: (number | null)[]
}
type Answer = Record<(typeof outputs)[number], Description> & { nsPerTrial: number[]; runMs?: number[] }
