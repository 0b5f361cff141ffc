import { testExampleAnswers } from '@hearth/account/testing/example-answers'
import { roomyPlans, startWildfire } from './support.ts'

testExampleAnswers({
  file: new URL('../data/example-answers.json', import.meta.url),
  plan: 'pro',
  async start(inspect) {
    const app = await startWildfire({ plans: roomyPlans, settings: { burstPerSecond: 0 }, inspect })
    return Object.assign(app, { now: Date.UTC(2026, 3, 1) })
  },
  fixed: (_name, value) => value,
})
