import { testExampleAnswers } from '@hearth/account/testing/example-answers'
import { createLogger } from '@hearth/chassis/logger'
import { readFileSync } from 'node:fs'
import { offerSample } from '../src/sample.ts'
import { roomyPlans, startVehicle } from './support.ts'

const file = new URL('../data/example-answers.json', import.meta.url)

testExampleAnswers({
  file,
  async start(inspect) {
    const app = await startVehicle({
      ...{ fixture: null, plans: roomyPlans, settings: { burstPerSecond: 0 }, inspect },
    })
    const end = await offerSample(app.database, createLogger({ level: 'silent', service: 'test' }))
    end()
    await app.data.refresh()
    return app
  },
  fixed: (name, value) => (importTimes.has(name) ? '2025-01-01T00:00:00.000Z' : value),
})

test('every example says that it is of the sample', () => {
  const answers: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(file, 'utf8'))
  for (const answer of Object.values(answers)) {
    expect(answer).toMatchObject({ success: true, meta: { sample: true } })
  }
})

/** Another time with every import. */
const importTimes: ReadonlySet<string> = new Set(['published_at', 'imported_at'])
