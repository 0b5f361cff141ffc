import { randomUUID } from 'node:crypto'
import { newAddress, type TestApp } from '../testing/test-app.ts'
import { startEcho } from './echo-service.ts'

const password = 'an unusual pass phrase'

describe('signups at once, with the signup limit switched off', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startEcho({ settings: { signupsPerHour: 0, failedAuthPerMinute: 0 } })
  })
  afterAll(() => app.close())

  /** As a client that waits as it is told: 503 means that too many passwords were waiting. */
  async function signUpPatiently(email: string, address: string): Promise<number[]> {
    const statuses: number[] = []
    do {
      const body = { name: 'Ann', email, password }
      const { status, headers } = await app.call('post', '/v1/signup', { address, body })
      if (status === 503) expect(headers['retry-after']).toBe('5')
      statuses.push(status)
      if (status === 503) await new Promise((resume) => setTimeout(resume, 100))
    } while (statuses.at(-1) === 503)
    return statuses
  }

  test('50 signups at once of one address in many spellings make exactly one account (T30)', async () => {
    const id = randomUUID().slice(0, 8)
    const spellings = spellingsOf(`jos\u00e9.${id}@b\u00fccher.example`)
    const emails = Array.from({ length: 50 }, (_, i) => spellings[i % spellings.length] ?? '')
    const address = newAddress()

    const answers = await Promise.all(emails.map((email) => signUpPatiently(email, address)))

    const final = answers.map((statuses) => statuses.at(-1))
    expect(new Set(spellings).size).toBeGreaterThanOrEqual(20)
    expect(final.filter((status) => status === 201)).toHaveLength(1)
    expect(final.filter((status) => status === 409)).toHaveLength(49)
    const { db } = app.database
    const rows = await db
      .selectFrom('account')
      .select('tag')
      .where('email_normalised', 'like', `%${id}%`)
      .execute()
    expect(rows).toHaveLength(1)
    expect(
      await db
        .selectFrom('api_key')
        .selectAll()
        .where('tag', '=', rows[0]?.tag ?? '')
        .execute(),
    ).toHaveLength(1)
  })

  test('20 at once are all served: one account, 19 times 409', async () => {
    const email = `${randomUUID()}@example.com`
    const body = { name: 'Ann', email, password }

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.call('post', '/v1/signup', { body, address: '10.255.0.1' })),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(19).fill(409)])
  })
})

/** One address in case, space, Unicode and IDN variants. */
function spellingsOf(email: string): string[] {
  const fullWidth = (text: string) =>
    text.replaceAll(/[!-~]/g, (character) => String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0))
  const [local = '', domain = ''] = email.split('@')
  const forms = [
    email,
    email.toUpperCase(),
    `${local}@${domain.toUpperCase()}`,
    `${local.toUpperCase()}@${domain}`,
    `${local}@xn--bcher-kva.example`,
    `${local}@XN--BCHER-KVA.example`,
    fullWidth(email),
  ]
  return forms.flatMap((form) => [form, form.normalize('NFD'), ` ${form}`, `${form}\t `])
}
