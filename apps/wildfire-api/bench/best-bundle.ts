import { bestBundle } from '../src/model/bundle.ts'
import { calculateHardening } from '../src/model/hardening.ts'
import { resolveHazard } from '../src/model/hazard.ts'
import { openScenario } from '../src/model/scenario.ts'
import { anyHome, placer } from '../test/homes.ts'

/* Times of the exact search for the best bundle of all 15 measures, as rows of a Markdown table. */

const budgets = [Infinity, 25_000, 10_000]
const hazard = resolveHazard(placer, 'exposed', undefined)
if (hazard === undefined) throw new Error('Placer County has a hazard.')
process.stdout.write(
  '| Best bundle of 15 measures | search, ms (median) | whole calculation, ms (median) |\n',
)
process.stdout.write('| --- | --- | --- |\n')
for (const budget of budgets) {
  const input = { ...anyHome, budget: Number.isFinite(budget) ? budget : undefined }
  const scenario = openScenario(input, hazard, 'central')
  const search = medianMs(() => bestBundle(scenario, budget))
  const whole = medianMs(() => calculateHardening(input, hazard))
  const name = Number.isFinite(budget) ? `budget $${budget.toLocaleString('en')}` : 'no budget: 32,768 sets'
  process.stdout.write(`| ${name} | ${search.toFixed(2)} | ${whole.toFixed(2)} |\n`)
}

function medianMs(work: () => unknown): number {
  const times = Array.from({ length: 201 }, () => {
    const startedAt = performance.now()
    work()
    return performance.now() - startedAt
  })
  return times.toSorted((a, b) => a - b)[100] ?? NaN
}
