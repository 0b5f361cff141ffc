import Joi from 'joi'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { endpoint } from '../src/endpoint.ts'
import { closeHttpApp, createHttpApp, send } from '../src/http.ts'
import { json } from '../src/json-body.ts'
import { createServer } from '../src/http-server.ts'
import { isWholeBody } from '../src/whole-body.ts'
import { recordingLogger } from './logs.ts'

/*
 * A body that is there when the parser is asked is parsed as it stands, one that arrives later by Express's parser:
 * a caller must not be able to tell which it was.
 */

let server: Server
let wasWhole: boolean | undefined

beforeAll(async () => {
  const app = createHttpApp({
    ...{ log: recordingLogger().log, publicUrl: 'http://here', trustProxy: 0 },
    ...{ limitHeaders: () => [], settle: () => undefined },
  })
  app.use((req, _res, next) => {
    setTimeout(() => {
      wasWhole = isWholeBody(req, 65_536)
      next()
    }, 20)
  }, json())
  app.post('/v1/echo', echo())
  server = createServer(closeHttpApp(app), { parserErrorResponse: () => ({ headers: [], body: '' }) })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => server.close())

const plain = 'application/json'
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

test.each([
  ['an object', plain, bytes('{"a":[1,2.5,"ü€😀"],"b":null}')],
  ['an object with a charset', 'application/json; charset=utf-8', bytes('{"a":1}')],
  ['an object with a charset in capitals', 'Application/JSON;charset=UTF-8', bytes('{"a":1}')],
  ['a list', plain, bytes(' [1, 2]\n')],
  ['nothing but a number', plain, bytes('5')],
  ['nothing but a text', plain, bytes('"a"')],
  ['null', plain, bytes('null')],
  ['spaces', plain, bytes('   ')],
  ['half an object', plain, bytes('{"a":')],
  ['two objects', plain, bytes('{}{}')],
  ['a byte order mark', plain, bytes([0xef, 0xbb, 0xbf], '{"a":1}')],
  ['bytes that are not UTF-8', plain, bytes('{"a":"', [0xff, 0xc3, 0x28], '"}')],
  ['a field named __proto__', plain, bytes('{"__proto__":{"a":1},"b":2}')],
  ['a field twice', plain, bytes('{"a":1,"a":2}')],
  ['64 KiB', plain, bytes(`{"a":"${'x'.repeat(65_536 - 8)}"}`)],
])('%s is answered alike, there at once or later', async (_what, type, body) => {
  const whole = await post(type, body, 'at once')
  expect(wasWhole).toBe(true)
  const later = await post(type, body, 'later')
  expect(wasWhole).toBe(false)
  expect(whole).toEqual(later)
  expect(whole).toMatch(/^HTTP\/1\.1 (200|400) /)
})

test.each([
  ['compressed', `${plain}\r\nContent-Encoding: gzip`, gzipSync('{"a":1}')],
  ['of a kind of its own', 'application/vnd.a+json', bytes('{"a":1}')],
  ['too large', plain, bytes(`{"a":"${'x'.repeat(65_536)}"}`)],
])('a body %s is left to the parser of Express', async (_what, type, body) => {
  await post(type, body, 'at once')
  expect(wasWhole).toBe(false)
})

test.each(['utf-16', 'utf-16le', 'iso-8859-1', '"utf-32"'])(
  'a body in %s is refused: JSON is UTF-8',
  async (charset) => {
    const answer = await post(`${plain}; charset=${charset}`, Buffer.from('{"a":1}', 'utf16le'), 'at once')
    expect(answer).toMatch(/^HTTP\/1\.1 415 /)
    expect(answer).toContain('must be UTF-8 JSON')
  },
)

describe('a body that is too large', () => {
  test.each([
    ['says so', 'Content-Length: 99999999999', '{"a":'],
    ['comes in parts', 'Transfer-Encoding: chunked', `10001\r\n${'x'.repeat(65_537)}`],
    ['is compressed', 'Content-Encoding: gzip\r\nContent-Length: 99999999', bytes('x'.repeat(65_537))],
  ])('and %s is refused before the rest of it has come', async (_what, headers, start) => {
    const { port } = server.address() as AddressInfo // it listens on a port
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: ${plain}\r\n${headers}\r\n\r\n`)
    await sleep(40)
    socket.write(start)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /)
  })
})

async function post(type: string, body: Buffer, how: 'at once' | 'later'): Promise<string> {
  const { port } = server.address() as AddressInfo // it listens on a port
  const head = `POST /v1/echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => (answer += data.toString()))
  if (how === 'at once') {
    socket.write(Buffer.concat([Buffer.from(head), body]))
  } else {
    socket.write(head)
    await sleep(60)
    socket.write(body)
  }
  await once(socket, 'close')
  return answer
    .replace(/X-Request-Id: \S+/, '')
    .replace(/"requestId":"\w+"/, '')
    .replace(/Date: .*/, '')
}

function echo() {
  return endpoint(
    {
      ...{ id: 'echo', summary: 'Echo', tag: 'T', access: 'public' as const },
      responses: { 200: { description: 'What was sent.', schema: Joi.any() } },
    },
    (_input, req, res) => send(res, 200, { got: JSON.stringify(req.body) }),
  )
}
