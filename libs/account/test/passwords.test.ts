import { HttpError } from '@hearth/chassis/errors'
import argon2 from 'argon2'
import fc from 'fast-check'
import { newPasswordField } from '../src/fields.ts'
import { argon2Hasher, needsRehash } from '../src/argon2-hasher.ts'
import { createPasswords, hashesAtOnce, nobodysHash, passwordProblem } from '../src/passwords.ts'
import type { TestApp } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'

describe('passwords', () => {
  test('are verified by the hash that was made of them, and by no other', async () => {
    const passwords = createPasswords(argon2Hasher)
    const made = await passwords.hash('an unusual pass phrase')

    expect(made).toMatch(/^\$argon2id\$v=19\$/)
    expect(await passwords.verify(made, 'an unusual pass phrase')).toBe(true)
    expect(await passwords.verify(made, 'an unusual pass phrasf')).toBe(false)
    expect(await passwords.verify(undefined, 'an unusual pass phrase')).toBe(false)
  })

  test('are hashed anew when the parameters have become stronger', async () => {
    const weak = await argon2.hash('x', { memoryCost: 1024, timeCost: 2, parallelism: 1 })

    expect(needsRehash(weak)).toBe(true)
    expect(needsRehash(await argon2Hasher.hash('x'))).toBe(false)
  })

  test('of nobody are as much work as any other: their hash has the present parameters (T55)', () => {
    expect(needsRehash(nobodysHash)).toBe(false)
  })

  test('are hashed two at a time while 20 wait; the 23rd is told to come back (T46)', async () => {
    let [running, most] = [0, 0]
    const ends: (() => void)[] = []
    const held = async () => {
      most = Math.max(most, (running += 1))
      await new Promise<void>((end) => ends.push(end))
      running -= 1
    }
    // Hashes that end when the test says so, to see how many run at once.
    const passwords = createPasswords(
      { ...argon2Hasher, hash: () => held().then(() => 'hash'), verify: () => held().then(() => true) },
      2,
      20,
    )
    const calls = Array.from({ length: 22 }, () => passwords.hash('x'))
    const refused = await passwords.hash('x').catch((error: unknown) => error)
    const alsoRefused = await passwords.verify('y', 'x').catch((error: unknown) => error)

    for (const error of [refused, alsoRefused]) {
      if (!(error instanceof HttpError)) throw new Error('It was not refused.')
      expect([error.kind.status, error.kind.code]).toEqual([503, 'temporarily_unavailable'])
      expect(error.headers).toEqual(['Retry-After', '5'])
    }
    const state = { done: false }
    const all = Promise.all(calls).finally(() => (state.done = true))
    while (!state.done) {
      ends.shift()?.()
      await new Promise((resume) => setImmediate(resume))
    }
    expect(await all).toHaveLength(22)
    expect(most).toBe(2)
    const later = passwords.verify('y', 'free again')
    ends.shift()?.()
    expect(await later).toBe(true)
  })

  test('of more requests than there is room for cost nothing: their work is not begun (T46)', async () => {
    const passwords = createPasswords(argon2Hasher, 1, 2)
    const begun: number[] = []
    const outcomes = await Promise.allSettled(
      [0, 1, 2, 3, 4].map((number) =>
        passwords.ifRoom(async () => {
          begun.push(number)
          return passwords.hash('x')
        }),
      ),
    )

    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'rejected'],
    ])
    expect(begun).toEqual([0, 1, 2])
    await expect(passwords.ifRoom(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await passwords.ifRoom(() => passwords.hash('x'))).toMatch(/^\$argon2id/)
  })

  test('leave a core to everybody else', () => {
    expect([1, 2, 3, 8].map(hashesAtOnce)).toEqual([1, 1, 2, 2])
  })

  test('give their place back when hashing fails', async () => {
    const passwords = createPasswords(argon2Hasher, 1, 1)
    for (let i = 0; i < 5; i++) await expect(passwords.verify('not a hash', 'x')).rejects.toThrow()

    expect(await passwords.hash('x')).toMatch(/^\$argon2id/)
  })
})

describe('a new password', () => {
  test.each(['12345678', 'password', 'Password1', 'QWERTYUIOP', 'iloveyou', 'aaaaaaaa', '😀😀😀😀😀😀😀😀'])(
    'may not be %s: it is guessed first',
    (password) => {
      expect(passwordProblem(password, 'ann@example.com', 'Ann')).toContain('guessed first')
    },
  )

  test('has 8 to 256 code points and is well-formed; composition does not matter', () => {
    const unit = fc.constantFrom('k', 'ß', '語', '😀', ' ')
    const lengths = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 250, max: 262 }))
    const texts = lengths.chain((length) => fc.string({ unit, minLength: length, maxLength: length }))
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(!/^(.)\1*$/u.test(text))
        const length = Array.from(text).length

        expect(newPasswordField.validate(text).error === undefined).toBe(length >= 8 && length <= 256)
        expect(passwordProblem(text, 'ann@example.com', 'Ann')).toBeUndefined()
        expect(passwordProblem(`${text.slice(0, 4)}\ud800abcdefg`, 'a@b.c', 'n')).toBeDefined()
      }),
    )
  })
})

describe('too many passwords at once over HTTP', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ settings: { signupsPerHour: 0 } })
  })
  afterAll(() => app.close())

  test('are answered with 503 and Retry-After, and a refused sign-in does not count as a wrong password', async () => {
    const { email, password } = await app.signUp()
    const address = '10.254.0.1'
    const storm = () =>
      Array.from({ length: 30 }, () =>
        app.call('post', '/v1/signup', {
          body: { name: 'x', email: 'storm@example.com', password: 'an unusual pass phrase' },
        }),
      )
    const signIns = () =>
      Array.from({ length: 9 }, () =>
        app.call('post', '/v1/account/sessions', { address, body: { email, password } }),
      )
    const answers = [...storm(), ...signIns()]
    const first = await Promise.all(answers)
    const second = await Promise.all([...storm(), ...signIns()])

    const statuses = [...first, ...second].map(({ status }) => status)
    expect(statuses).toContain(503)
    expect(statuses.filter((status) => ![201, 409, 503].includes(status))).toEqual([])
    const patient = await app.call('post', '/v1/account/sessions', { address, body: { email, password } })
    expect(patient.status).toBe(201)
    const attempts = await app.database.db.selectFrom('attempt').selectAll().execute()
    expect(attempts.filter(({ bucket }) => bucket.startsWith('sign-in')).map(({ count }) => count)).toEqual([
      0,
    ])
  })
})
