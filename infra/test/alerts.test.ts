import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findBinary } from '../binaries.ts'

const folder = fileURLToPath(new URL('../prometheus/', import.meta.url))
const promtool = findBinary('promtool')
const run = (...args: readonly string[]) =>
  execFileSync(promtool ?? '', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })

if (promtool === undefined)
  process.stdout.write('skipped: the alerts; promtool is in the Debian package prometheus\n')
;(promtool === undefined ? describe.skip : describe)('the alerts', () => {
  test('are rules that Prometheus understands', () => {
    expect(run('check', 'rules', 'alerts.yml')).toContain('SUCCESS')
  })

  test('fire within two minutes of what they are about, and of nothing else (T17)', () => {
    expect(run('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
  })

  test('are all tested', () => {
    const [rules, tests] = ['alerts.yml', 'alerts.test.yml'].map((name) =>
      readFileSync(folder + name, 'utf8'),
    )
    const names = [...(rules?.matchAll(/alert: (\w+)/g) ?? [])].map(([, name]) => name)
    const fired = [...(tests?.matchAll(/alertname: (\w+)\n\s+exp_alerts:\n/g) ?? [])].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(0)
    expect(fired.toSorted()).toEqual(names.toSorted())
  })
})
