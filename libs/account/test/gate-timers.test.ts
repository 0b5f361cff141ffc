import { createLogger } from '@hearth/chassis/logger'
import { every } from '../src/gate-timers.ts'
import { until } from './failover-rig.ts'

test('work that fails now and again is told of once, and goes on', async () => {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLogger({ level: 'warn', service: 'test', destination })
  let runs = 0
  const timer = every(1, log, () => {
    runs += 1
    return runs % 2 === 0 ? Promise.resolve() : Promise.reject(new Error('Postgres is away'))
  })

  await until(() => runs > 10)
  clearInterval(timer)

  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('Postgres is away')
})
