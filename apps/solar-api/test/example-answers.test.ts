import { testExampleAnswers } from '@hearth/account/testing/example-answers'
import { save } from './saved.ts'
import { startSolar } from './support.ts'

testExampleAnswers({
  file: new URL('../data/example-answers.json', import.meta.url),
  plan: 'api_business',
  async start(inspect) {
    const simulations = { randomSeed: () => '20260401' }
    const app = await startSolar({ settings: { burstPerSecond: 0 }, simulations, inspect })
    return Object.assign(app, { now: Date.UTC(2026, 3, 1) })
  },
  prepare: async (app, key) => ({ id: (await save(app, key)).id }),
  // The random part of an id.
  fixed: (_name, value) =>
    typeof value === 'string' ? value.replace(/(calc_\w{10})\w{16}/, '$1mk5v8t2q0r7x3n9w') : value,
})
