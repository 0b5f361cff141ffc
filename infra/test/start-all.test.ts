import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAll, type StartOptions } from '../start-all.ts'
import type { Service } from '../services.ts'

const root = mkdtempSync(join(tmpdir(), 'hearth-start-'))
let nextPort = 20_000 + (process.pid % 20_000)

afterAll(() => {
  rmSync(root, { recursive: true })
})

test('announces every service once it is ready, and stops all of them cleanly on request', async () => {
  const { services, printed, stop, code } = start([ANSWERS, ANSWERS])

  await until(() => printed.join('\n').includes('Ctrl-C'))
  stop.abort()

  expect(await code).toBe(0)
  const text = printed.join('\n')
  for (const { name, port } of services) {
    expect(text).toContain(`${name} answers at http://127.0.0.1:${port}`)
    expect(text).toContain(`curl -s http://127.0.0.1:${port}/v1/signup`)
    expect(text).toContain(`http://127.0.0.1:${port}/docs`)
  }
})

test('stops the others and passes the exit code on when one service dies', async () => {
  const { printed, code } = start([ANSWERS, 'setTimeout(() => process.exit(7), 200)'])

  expect(await code).toBe(7)
  expect(printed).toEqual(['fake-1 ended by itself (exit code 7); stopping everything.'])
})

test('counts a service that ends without an error and without being asked as a failure', async () => {
  const { code } = start(['process.exit(0)'])

  expect(await code).toBe(1)
})

test('kills a service that does not end within the deadline', async () => {
  const { printed, stop, code } = start([
    `${ANSWERS}; process.removeAllListeners('SIGTERM'); process.on('SIGTERM', () => {})`,
  ])

  await until(() => printed.join('\n').includes('Ctrl-C'))
  stop.abort()

  expect(await code).toBe(0)
})

test('refuses one PORT for several services', async () => {
  const { printed, code } = start([ANSWERS, ANSWERS], { PORT: '4000' })

  expect(await code).toBe(1)
  expect(printed).toEqual([expect.stringContaining('PORT would be the same for all 2 services')])
})

const ANSWERS = `
  import { createServer } from 'node:http'
  const server = createServer((_, res) => res.end()).listen(PORT, '127.0.0.1')
  process.on('SIGTERM', () => { server.closeAllConnections(); server.close() })`

function start(programs: readonly string[], environment: NodeJS.ProcessEnv = {}): Started {
  const services = programs.map(createService)
  const printed: string[] = []
  const stop = new AbortController()
  const options: StartOptions = {
    services,
    environment,
    print: (line) => printed.push(line),
    stop: stop.signal,
    stopDeadlineMs: 1_000,
  }
  return { services, printed, stop, code: startAll(options) }
}

function createService(program: string, index: number): Service {
  const port = nextPort++
  const directory = join(root, String(port))
  mkdirSync(join(directory, 'src'), { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  writeFileSync(join(directory, 'src/main.ts'), program.replace('PORT', String(port)))
  return { name: `fake-${index}`, directory, port, examples: () => [] }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20))
}

type Started = { services: Service[]; printed: string[]; stop: AbortController; code: Promise<number> }
