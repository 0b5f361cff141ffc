import { randomUUID } from 'node:crypto'
import { newAddress, type TestApp } from '../testing/test-app.ts'
import { bearerDeployment, startEcho } from './echo-service.ts'

const password = 'an unusual pass phrase'
const freshEmail = () => `${randomUUID()}@example.com`

describe('POST /v1/signup', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho()
  })
  afterAll(() => app.close())

  const signup = (body: object, rest: { address?: string; headers?: Record<string, string> } = {}) =>
    app.call('post', '/v1/signup', { body: { name: 'Ann', email: freshEmail(), password, ...body }, ...rest })

  test('answers 201 with a message, the prefix and a key that works at once', async () => {
    const { status, body, headers } = await signup({})

    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(['data', 'meta'])
    expect(Object.keys(body.data)).toEqual(['message', 'apiKeyPrefix', 'apiKey'])
    expect(body.data.apiKey).toMatch(/^slr_live_[0-9A-Za-z]{52}$/)
    expect(body.data.apiKeyPrefix).toBe(`${String(body.data.apiKey).slice(0, 23)}...`)
    expect(headers).toMatchObject({ 'cache-control': 'no-store', location: '/v1/account' })
    const echo = await app.call('post', '/v1/echo', { key: body.data.apiKey, body: { text: 'a' } })
    expect(echo.status).toBe(200)
  })

  test('stores neither the key nor the password', async () => {
    const email = freshEmail()
    const { body } = await signup({ email })
    const { db } = app.database
    const stored = JSON.stringify([
      await db.selectFrom('account').selectAll().where('email', '=', email).execute(),
      await db
        .selectFrom('api_key')
        .selectAll()
        .where('tag', '=', String(body.data.apiKey).slice(9, 19))
        .execute(),
    ])

    expect(stored).toMatch(/\$argon2id\$v=19\$m=19456,(?:t=2,p=1|p=1,t=2)\$/)
    expect(stored).not.toContain(password)
    expect(stored).not.toContain(String(body.data.apiKey).slice(23, 55))
  })

  describe('the password', () => {
    test.each([
      ['7 characters', 'aB3$xyz', 'too_short'],
      ['7 code points of two code units each', '😀😁😂😃😄😅😆', 'too_short'],
      ['257 characters', `Ab${'x9'.repeat(127)}z`, 'too_long'],
      ['more than 1024 characters', 'Ab3'.repeat(400), 'too_long'],
      ['one of the common ones', 'password', 'weak_password'],
      ['one of the common ones in capitals', 'PASSWORD123', 'weak_password'],
      ['one character again and again', 'zzzzzzzzzzzz', 'weak_password'],
      ['half a surrogate pair', 'unusual \ud800 text', 'weak_password'],
      ['a number', 12345678, 'not_a_string'],
      ['nothing', undefined, 'required'],
      ['null', null, 'not_a_string'],
      ['empty', '', 'empty'],
    ])('is refused when it is %s', async (_what, refused, code) => {
      const { status, body } = await signup({ password: refused })

      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/password', code }] })
    })

    test.each([
      ['8 characters', 'aB3$xyzw'],
      ['8 code points', '😀😁😂😃😄😅😆😇'],
      ['256 characters', `Ab${'x9'.repeat(127)}`],
      ['256 code points', '😀😁'.repeat(128)],
      ['text with NUL in it', 'unusual \u0000 text'],
      ['text in another script, with spaces at its ends', ' пароль из слов '],
    ])('may be %s, and opens a session', async (_what, accepted) => {
      const email = freshEmail()
      const { status } = await signup({ email, password: accepted })
      const session = await app.call('post', '/v1/account/sessions', { body: { email, password: accepted } })

      expect([status, session.status]).toEqual([201, 201])
    })

    test('is used whole: what follows NUL counts', async () => {
      const email = freshEmail()
      await signup({ email, password: 'unusual\u0000one' })

      const session = await app.call('post', '/v1/account/sessions', {
        body: { email, password: 'unusual\u0000two' },
      })

      expect(session.status).toBe(401)
    })

    test('may not be the e-mail address, what stands before its @, or the name', async () => {
      const email = `Very.Long.Name@example.com`
      const bodies = [
        { email, password: 'very.long.name@EXAMPLE.com' },
        { email, password: 'VERY.long.NAME' },
        { name: 'Ann Elk the First', password: 'ann elk the first' },
      ]

      const answers = await Promise.all(bodies.map((body) => signup(body)))

      expect(answers.map(({ body }) => body.errors?.[0]?.code)).toEqual(bodies.map(() => 'weak_password'))
    })
  })

  test.each([
    ['no name', { name: undefined }, '/name', 'required'],
    ['an empty name', { name: '' }, '/name', 'empty'],
    ['a blank name', { name: '   ' }, '/name', 'empty'],
    ['a name with NUL', { name: 'A\u0000nn' }, '/name', 'wrong_format'],
    ['a name with a line break', { name: 'A\nnn' }, '/name', 'wrong_format'],
    ['a name with half a surrogate pair', { name: 'A\udfff' }, '/name', 'wrong_format'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, '/name', 'too_long'],
    ['a name that is a number', { name: 7 }, '/name', 'not_a_string'],
    ['no address', { email: undefined }, '/email', 'required'],
    ['an address without @', { email: 'ann.example.com' }, '/email', 'not_an_email_address'],
    ['an address without domain', { email: 'ann@' }, '/email', 'not_an_email_address'],
    ['an address with a domain of one label', { email: 'ann@localhost' }, '/email', 'not_an_email_address'],
    ['two addresses', { email: 'a@example.com, b@example.com' }, '/email', 'not_an_email_address'],
    ['an address with NUL', { email: 'a\u0000@example.com' }, '/email', 'not_an_email_address'],
    [
      'an address with half a surrogate pair',
      { email: 'a\ud800@example.com' },
      '/email',
      'not_an_email_address',
    ],
    [
      'an address with a zero-width space',
      { email: 'a\u200b@example.com' },
      '/email',
      'not_an_email_address',
    ],
    [
      'an address with a line break',
      { email: 'a@example.com\nBcc: b@example.com' },
      '/email',
      'not_an_email_address',
    ],
    ['an address of 400 characters', { email: `${'x'.repeat(388)}@example.com` }, '/email', 'too_long'],
    ['an unknown field', { plan: 'pro' }, '/plan', 'unknown_field'],
    ['a field of the prototype', JSON.parse('{"__proto__": {"plan": "pro"}}'), '/__proto__', 'unknown_field'],
  ])('refuses %s', async (_what, wrong: object, pointer, code) => {
    const { status, body } = await signup(wrong)

    expect(status).toBe(400)
    expect(body.code).toBe('validation_failed')
    expect(body.errors).toContainEqual(expect.objectContaining({ pointer }))
    expect(body.errors[0].code).toBe(code)
  })

  test('says all that is wrong at once', async () => {
    const { body } = await signup({ name: '', email: 'nobody', password: 5 })
    const errors: { pointer: string }[] = body.errors

    expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual([...['/email', '/name', '/password']])
  })

  test('answers 409 email_taken for an address that has an account', async () => {
    const email = freshEmail()
    await signup({ email })

    const { status, body } = await signup({ email: email.toUpperCase(), password: 'quite another one' })

    expect(status).toBe(409)
    expect(body.code).toBe('email_taken')
  })

  test('keeps dots and +tags apart: they are other mailboxes', async () => {
    const id = randomUUID()
    const emails = [`a.b${id}@example.com`, `ab${id}@example.com`, `ab${id}+tag@example.com`]

    const answers = await Promise.all(emails.map((email) => signup({ email })))

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  })

  describe('the limit of 5 an hour per address', () => {
    test('refuses the sixth with 429 until the hour is over, and shows its window in the headers (T56)', async () => {
      const address = newAddress()
      app.now = Date.UTC(2026, 5, 1, 12)
      const answers = []
      for (let i = 0; i < 6; i++) answers.push(await signup({}, { address }))
      app.now += 3_600_000
      const later = await signup({}, { address })
      app.now = undefined

      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 429])
      expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual([
        '4',
        '3',
        '2',
        '1',
        '0',
        '0',
      ])
      expect(answers.at(-1)?.body).toMatchObject({
        ...{ code: 'rate_limited', 'violated-policies': ['signup'], limit: 5, retryable: true },
        resetsAt: '2026-06-01T13:00:00.000Z',
      })
      expect(answers.at(-1)?.headers['retry-after']).toBe('3600')
      expect(later.status).toBe(201)
    })

    test('takes a /56 of IPv6 for one address, and its neighbour for another (T56)', async () => {
      const block = `2001:db8:${(Math.random() * 0xffff) | 0 || 1}`.replace(/\d+$/, (n) =>
        Number(n).toString(16),
      )
      const answers = []
      for (const end of ['00::1', '01::1', '7f:1:2:3:4', 'ff:ffff::', '80::9', '33::1']) {
        answers.push(await signup({}, { address: `${block}:ab${end}` }))
      }
      const neighbour = await signup({}, { address: `${block}:ac00::1` })

      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 429])
      expect(neighbour.status).toBe(201)
    })

    test('is not used up by requests that are not valid', async () => {
      const address = newAddress()
      for (let i = 0; i < 8; i++) {
        expect((await signup({ password: 'password' }, { address })).status).toBe(400)
      }

      expect((await signup({}, { address })).headers['x-ratelimit-remaining']).toBe('4')
    })

    test('is used up by asking which addresses have accounts', async () => {
      const address = newAddress()
      const email = freshEmail()
      await signup({ email })
      const answers = []
      for (let i = 0; i < 6; i++) answers.push(await signup({ email }, { address }))

      expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409, 429])
    })

    test('counts what comes at once', async () => {
      const address = newAddress()
      const answers = await Promise.all(Array.from({ length: 12 }, () => signup({}, { address })))

      expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
    })
  })
})

describe('signup on a deployment that takes keys in Authorization', () => {
  test('gives a key of that deployment, which works as Bearer', async () => {
    const app = await startEcho({}, bearerDeployment)
    try {
      const { key } = await app.signUp()

      expect(key).toMatch(/^vhr_live_/)
      expect((await app.call('post', '/v1/echo', { key, body: { text: 'a' } })).status).toBe(200)
    } finally {
      await app.close()
    }
  })
})
