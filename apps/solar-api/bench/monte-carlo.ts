import { solarDefaults, type SolarInput } from '../src/model/input.ts'
import { planRun, type Method } from '../src/model/monte-carlo/plan.ts'
import { summarise, type MonteCarloResult } from '../src/model/monte-carlo/summarise.ts'
import { runTrials, trialArrays } from '../src/model/monte-carlo/trials.ts'

/*
 * CPU time of the Monte Carlo engine, for infra/bench/solar-monte-carlo.ts: monte-carlo.ts METHOD TRIALS SEED SECONDS
 * SITE..., with the site as in infra/bench/monte-carlo/model.c. Prints one line of JSON: nanoseconds per trial and
 * milliseconds of a whole run with all statistics, for each repetition within SECONDS, and the results. Each
 * repetition plans its run anew and fills new memory, as a request does.
 */

const [method = '', trials = '', seed = '', seconds = '', ...site] = process.argv.slice(2)
const input = inputOf(site.map(Number))
const nsPerTrial: number[] = []
const runMs: number[] = []
let result: MonteCarloResult | undefined
for (const end = cpuMs() + 1000 * Number(seconds); result === undefined || cpuMs() < end;) {
  const startedAt = cpuMs()
  const run = planRun(input, { method: method as Method, trials: Number(trials), seed })
  const out = trialArrays(run.trials)
  const plannedAt = cpuMs()
  runTrials(run, 0, run.trials, out)
  const ranAt = cpuMs()
  result = summarise(run, out)
  nsPerTrial.push(((ranAt - plannedAt) * 1e6) / run.trials)
  runMs.push(cpuMs() - startedAt)
}
const { npv, lifetimeNetSavings, paybackYears, year1Savings } = result
const outputs = { npv, lifetimeNetSavings, paybackYears, year1Savings }
const described = Object.entries(outputs).map(([name, statistics]) => {
  const { mean, standardDeviation, standardError, percentiles, percentileStandardErrors } = statistics
  return [
    name,
    {
      ...{ mean, standardDeviation, standardError },
      percentiles: Object.values(percentiles),
      percentileStandardErrors: Object.values(percentileStandardErrors),
    },
  ]
})
process.stdout.write(`${JSON.stringify({ nsPerTrial, runMs, ...Object.fromEntries(described) })}\n`)

function inputOf(numbers: readonly number[]): SolarInput {
  const [production = NaN, consumption = NaN, rate = NaN, selfUse = NaN, exportRate = NaN] = numbers
  const [degradation = NaN, escalation = NaN, cost = NaN, om = NaN, inverter = NaN] = numbers.slice(5)
  const [omGrowth = NaN, discountRate = NaN, years = NaN, inverterYear = NaN] = numbers.slice(10)
  return {
    ...solarDefaults,
    annualProductionPerKW: production,
    annualConsumptionKWh: consumption,
    utilityRate: rate,
    selfConsumptionFraction: selfUse,
    exportRate,
    degradationRate: degradation,
    rateEscalation: escalation,
    installedCostPerWatt: cost,
    omCostPerKWYear: om,
    inverterCostPerKW: inverter,
    omEscalation: omGrowth - 1,
    discountRate,
    analysisYears: years,
    inverterReplacementYears: [inverterYear],
  }
}

/** Of all threads of this process: of the compiler and of the collection of garbage as well. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
