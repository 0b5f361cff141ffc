import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultProxy, type FaultProxy } from '../fault-proxy.ts'
import { seededRandom } from '../seeded-random.ts'

/** A server that says everything again, with the number of connections it has. */
let echo: Server
let proxy: FaultProxy
let received: string
const sockets: Socket[] = []

beforeEach(async () => {
  received = ''
  echo = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      received += data.toString()
      socket.write(data)
    })
  })
  await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done))
  proxy = await startFaultProxy((echo.address() as AddressInfo).port, seededRandom(1))
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await proxy.close()
  await new Promise((done) => echo.close(done))
})

test('bytes pass both ways, and so does the end', async () => {
  const client = await open()
  expect(await say(client, 'hello')).toBe('hello')
  client.end()
  await closeOf(client)
  expect(proxy.connections()).toBe(0)
})

test('a delayed direction keeps its order', async () => {
  const client = await open()
  proxy.disturb({ up: { latencyMs: 20, jitterMs: 30 }, down: { latencyMs: 20, jitterMs: 30 } })
  const startedAt = performance.now()
  let answer = ''
  client.on('data', (data: Buffer) => (answer += data.toString()))
  for (let i = 0; i < 20; i++) {
    client.write(`${i},`)
    await sleep(1)
  }
  await until(() => answer.endsWith('19,'))

  expect(answer).toBe(Array.from({ length: 20 }, (_, i) => `${i},`).join(''))
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(40)
})

test('a frozen link lets nothing through and loses nothing', async () => {
  const client = await open()
  proxy.freeze()
  const answer = say(client, 'held')
  const early = await open()
  const second = say(early, 'new')
  await sleep(60)
  expect(received).toBe('')
  proxy.heal()

  expect(await answer).toBe('held')
  expect(await second).toBe('new')
})

test('of a half-open link one direction still works', async () => {
  const client = await open()
  proxy.freeze('down')
  const answer = say(client, 'one way')
  await until(() => received === 'one way')
  expect(await Promise.race([answer, sleep(30, 'silence')])).toBe('silence')
  proxy.heal()

  expect(await answer).toBe('one way')
})

test('the end of a server behind a frozen link is heard of when the link heals', async () => {
  const client = await open()
  await say(client, 'hello')
  proxy.freeze()
  sockets[0]?.resetAndDestroy()
  await sleep(30)
  expect(client.destroyed).toBe(false)
  const closed = closeOf(client)
  proxy.heal()
  await closed
})

test('a cut link resets what is there and what comes, until it heals', async () => {
  const [client, idle] = [await open(), await open()]
  await say(client, 'hello')
  const closed = Promise.all([closeOf(client), closeOf(idle)])
  proxy.cut()
  await closed
  const refused = connect(proxy.port, '127.0.0.1').on('error', () => undefined)
  await closeOf(refused)
  proxy.heal()

  expect(await say(await open(), 'again')).toBe('again')
})

test('a share of chunks resets its connection, the same with the same seed', async () => {
  proxy.disturb({ up: { resets: 0.5 } })
  const outcomes: string[] = []
  for (let i = 0; i < 16; i++) {
    const client = await open()
    outcomes.push(await say(client, 'x').catch(() => 'reset'))
  }

  const random = seededRandom(1)
  expect(outcomes).toEqual(outcomes.map(() => (random() < 0.5 ? 'reset' : 'x')))
})

test('another target is where new connections go', async () => {
  const other = createServer((socket) => socket.end('other'))
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
  const client = await open()
  const closed = closeOf(client)
  proxy.retarget((other.address() as AddressInfo).port)
  await closed
  const [answer] = (await once(await open(), 'data')) as [Buffer]

  expect(answer.toString()).toBe('other')
  expect(proxy.through('redis://user:pw@db.example:6379/1')).toBe(`redis://user:pw@127.0.0.1:${proxy.port}/1`)
  await new Promise((done) => other.close(done))
})

async function open(): Promise<Socket> {
  const client = connect(proxy.port, '127.0.0.1')
  client.on('error', () => undefined)
  await once(client, 'connect')
  return client
}

async function say(client: Socket, text: string): Promise<string> {
  client.write(text)
  const [data] = (await once(client, 'data')) as [Buffer]
  return data.toString()
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

/** The close of a socket, whatever error came before it. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}
