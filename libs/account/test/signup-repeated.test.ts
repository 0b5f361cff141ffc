import { randomUUID } from 'node:crypto'
import { connect, type AddressInfo } from 'node:net'
import { newAddress, type TestApp } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'

const password = 'an unusual pass phrase'
const freshEmail = () => `${randomUUID()}@example.com`

describe('POST /v1/signup with an Idempotency-Key', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho()
  })
  afterAll(() => app.close())

  const signup = (body: object, rest: { address?: string; headers?: Record<string, string> } = {}) =>
    app.call('post', '/v1/signup', { body: { name: 'Ann', email: freshEmail(), password, ...body }, ...rest })

  const body = () => ({ name: 'Ann', email: freshEmail(), password })
  const idempotent = () => ({ headers: { 'Idempotency-Key': randomUUID() } })

  test('gives the very same answer again to the same request, even now that the address is taken', async () => {
    const [request, header, address] = [body(), idempotent(), newAddress()]
    const first = await signup(request, { ...header, address })
    const again = await signup(request, { ...header, address })

    expect([first.status, again.status]).toEqual([201, 201])
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
    expect(
      (await app.call('post', '/v1/echo', { key: again.body.data.apiKey, body: { text: 'a' } })).status,
    ).toBe(200)
  })

  test('does so whatever the order of its members', async () => {
    const [{ name, email, password }, header] = [body(), idempotent()]
    const first = await app.call('post', '/v1/signup', { body: { name, email, password }, ...header })
    const again = await app.call('post', '/v1/signup', { body: { password, email, name }, ...header })

    expect([first.status, again.body]).toEqual([201, first.body])
  })

  test('does not count a repeated request as a signup', async () => {
    const [request, header, address] = [body(), idempotent(), newAddress()]
    for (let i = 0; i < 7; i++) expect((await signup(request, { ...header, address })).status).toBe(201)

    expect((await signup({}, { address })).headers['x-ratelimit-remaining']).toBe('3')
  })

  test.each([
    ['another address', { email: freshEmail() }],
    ['another name', { name: 'Ben' }],
    ['another password', { password: 'quite another one' }],
  ])('answers 409 idempotency_conflict to a request with %s', async (_what, other) => {
    const [request, header] = [body(), idempotent()]
    await signup(request, header)

    const { status, body: problem, headers } = await signup({ ...request, ...other }, header)

    expect(status).toBe(409)
    expect(problem.code).toBe('idempotency_conflict')
    expect(headers['retry-after']).toBe('1')
  })

  test('makes one account of requests at once, and gives its key to each', async () => {
    const [request, header] = [body(), idempotent()]
    const answers = await Promise.all(Array.from({ length: 8 }, () => signup(request, header)))

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(new Set(answers.map(({ body: { data } }) => data.apiKey)).size).toBe(1)
  })

  test('makes a new account of the same request when the account was deleted', async () => {
    const [request, header] = [body(), idempotent()]
    const first = await signup(request, header)
    const session = await app.call('post', '/v1/account/sessions', {
      body: { email: request.email, password },
    })
    await app.call('delete', '/v1/account', { session: session.body.data.token })

    const second = await signup(request, header)

    expect(second.status).toBe(201)
    expect(second.body.data.apiKey).not.toBe(first.body.data.apiKey)
  })

  test('forgets after 24 hours', async () => {
    const [request, header] = [body(), idempotent()]
    app.now = Date.UTC(2026, 5, 1, 12)
    await signup(request, header)
    app.now += 24 * 3_600_000
    const { status, body: problem } = await signup(request, header)
    app.now = undefined

    expect(status).toBe(409)
    expect(problem.code).toBe('email_taken')
  })

  test.each(['short', 'x'.repeat(256), 'has spaces in between it', 'ünprintable-ASCII-key'])(
    'refuses the value %j',
    async (value) => {
      const { status, body: problem } = await signup(body(), { headers: { 'Idempotency-Key': value } })

      expect(status).toBe(400)
      expect(problem.errors[0]).toMatchObject({ header: 'idempotency-key' })
    },
  )

  test('gives the key to a client whose connection broke after the account was made (T31)', async () => {
    const [request, header] = [body(), idempotent()]
    await sendAndHangUp(app, request, header.headers['Idempotency-Key'])

    const { status, body: answer } = await signup(request, header)

    expect(status).toBe(201)
    expect((await app.call('get', '/v1/account', { key: answer.data.apiKey })).body.data.email).toBe(
      request.email,
    )
  })
})

/** Sends a signup and cuts the connection as soon as the account is in the database. */
async function sendAndHangUp(app: TestApp, body: { email: string }, idempotencyKey: string): Promise<void> {
  const { port } = app.server.address() as AddressInfo
  const json = JSON.stringify(body)
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  const head = [
    'POST /v1/signup HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `X-Forwarded-For: ${newAddress()}`,
  ]
  socket.pause()
  socket.write(
    [
      ...head,
      `Idempotency-Key: ${idempotencyKey}`,
      `Content-Length: ${Buffer.byteLength(json)}`,
      '',
      json,
    ].join('\r\n'),
  )
  const made = () =>
    app.database.db.selectFrom('account').select('tag').where('email', '=', body.email).executeTakeFirst()
  while ((await made()) === undefined) await new Promise((resume) => setTimeout(resume, 2))
  socket.resetAndDestroy()
}
