import fc from 'fast-check'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createLogger, logPlainly, maskCredentials } from '../src/logger.ts'
import { recordingLogger } from './logs.ts'

const KEY = `slr_live_${'aB3dE5gH7j'.repeat(5)}Zz`
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl_-x'

test('a line has its level as a word, the service, and what was logged', () => {
  const { log, lines } = recordingLogger()

  log.info({ route: '/v1/calculate', ms: 3 }, 'Answered.')

  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.any(Number),
      service: 'test',
      route: '/v1/calculate',
      ms: 3,
      msg: 'Answered.',
    },
  ])
})

test('what is logged plainly makes the very line that pino makes', () => {
  const written: string[] = []
  const destination = { write: (line: string) => void written.push(line) }
  const log = createLogger({ level: 'info', service: 'test', destination })
  const silent = createLogger({ level: 'warn', service: 'test', destination })
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(undefined))
  const name = fc.stringMatching(/^[a-z]\w*$/).filter((text) => !/^(level|time|service|msg)$/.test(text))
  const fields = fc.dictionary(name, fc.oneof(value, fc.constant(KEY)), { noNullPrototype: true })
  fc.assert(
    fc.property(fields, fc.string(), (logged, message) => {
      written.length = 0
      logPlainly(log, logged, message)
      logPlainly(log.child({}), logged, message)
      logPlainly(silent, logged, message)
      const [ours, pinos] = written.map((line) => line.replace(/"time":\d+/, '"time":0'))

      expect(written).toHaveLength(2)
      expect(ours).toBe(pinos)
    }),
  )
})

test.each([
  [{ password: 'hunter22' }],
  [{ body: { user: { newPassword: 'hunter22' } } }],
  [{ a: { b: { c: { d: { apiKey: 'hunter22' } } } } }],
  [{ headers: { 'x-api-key': 'hunter22', authorization: 'Bearer hunter22' } }],
  [{ headers: { Authorization: ['Bearer hunter22', 'hunter22'] } }],
  [{ token: 'hunter22', refresh_token: 'hunter22', clientSecret: 'a"hunter22' }],
  [{ secret: 12345678 }],
  [{ text: JSON.stringify({ password: 'hunter22', deep: JSON.stringify({ token: 'hunter22' }) }) }],
  [{ text: `key ${KEY}` }],
  [{ list: [KEY, { [KEY]: 1 }] }],
  [{ text: `Bearer ${JWT} was refused` }],
  [{ url: 'postgres://solar:hunter22@db:5432/solar' }],
  [{ url: 'redis://:hunter22@cache:6379' }],
])('nothing of a credential in %j is written', (fields) => {
  const { log, lines } = recordingLogger()

  log.error({ ...fields, after: 'kept' }, 'It failed.')

  const written = JSON.stringify(lines)
  expect(written).not.toContain('hunter22')
  expect(written).not.toContain('12345678')
  expect(written).not.toContain(KEY.slice(9))
  expect(written).not.toContain('c2lnbmF0dXJl')
  expect(lines).toMatchObject([{ after: 'kept', msg: 'It failed.' }])
})

test('credentials in the message and in errors are masked too', () => {
  const { log, lines } = recordingLogger()
  const cause = Object.assign(new Error(`cause ${JWT}`), { command: { args: [KEY] } })

  log.error(new Error(`no account for ${KEY}`, { cause }), `asked with ${KEY}`)
  log.child({ apiKey: 'hunter22' }).error('child')

  expect(JSON.stringify(lines)).not.toMatch(/aB3dE5gH7j|c2lnbmF0dXJl|hunter22/)
  expect(JSON.stringify(lines)).toContain('slr_live_***')
})

test('what is no credential stays', () => {
  const line =
    '{"apiKeyPrefix":"slr_live_abcd...","tokens":3,"passwordless":true,"path":"/v1/secrets","note":"token: x"}'

  expect(maskCredentials(line)).toBe(line)
})

test('an unexpected error has its stack and its cause, the mistake of a caller only its message', () => {
  const { log, lines } = recordingLogger()
  const mistake = Object.assign(new Error('Unknown field.'), { status: 400, code: 'validation_failed' })

  log.error({ err: new TypeError('a bug', { cause: new Error('the cause') }) })
  log.info({ err: mistake })

  expect(lines).toMatchObject([
    {
      err: {
        type: 'TypeError',
        message: 'a bug',
        stack: expect.stringContaining('logger.test.ts') as string,
        cause: { message: 'the cause' },
      },
    },
    { err: { type: 'Error', message: 'Unknown field.', status: 400, code: 'validation_failed' } },
  ])
  expect(lines[1]?.['err']).not.toHaveProperty('stack')
})

test('long lines without credentials are searched in linear time', () => {
  const line = JSON.stringify({
    blob: 'eyJ'.repeat(50_000),
    other: '\\"'.repeat(50_000),
    words: '://a:'.repeat(30_000),
  })

  const startedAt = performance.now()
  maskCredentials(line)

  // A quadratic search would take minutes.
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

test.each([['process.exit(3)'], ['setTimeout(() => { throw new Error("crash") })'], ['0']])(
  'every line is written when the process ends by %s',
  async (ending) => {
    const script = `
      import { createLogger } from ${JSON.stringify(new URL('../src/logger.ts', import.meta.url).href)}
      const log = createLogger({ level: 'info', service: 'test' })
      for (let line = 0; line < 2000; line++) log.info({ line }, 'Counted.')
      ${ending}`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await once(child, 'close')

    expect(output.trimEnd().split('\n')).toHaveLength(2_000)
  },
)

test.each([
  ['info', 'a line waits only a moment for others'],
  ['warn', 'a warning goes out'],
])('at level %s %s while the process lives on', async (level) => {
  const script = `
    import { createLogger } from ${JSON.stringify(new URL('../src/logger.ts', import.meta.url).href)}
    createLogger({ level: 'info', service: 'test' }).${level}('Said.')
    setInterval(() => {}, 60_000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  child.kill('SIGKILL')

  expect(JSON.parse(line.toString())).toMatchObject({ level, msg: 'Said.' })
})
