import { closeHttpApp, createHttpApp } from '@hearth/chassis/http'
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openAccounts, type Accounts } from '../src/index.ts'
import { runOperatorCli } from '../src/operator-cli.ts'
import { testSettings } from '../testing/test-app.ts'
import { echoDeployment, echoPlans } from './echo-service.ts'
import { insertAccount, insertKey, openTestDatabase, silent } from './support.ts'

describe('the operator command line', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>
  let accounts: Accounts
  let server: Server
  let baseUrl: string
  beforeAll(async () => {
    database = await openTestDatabase('postgres')
    accounts = await openAccounts({
      ...{
        deployment: echoDeployment,
        plans: echoPlans,
        database,
        log: silent,
        settings: testSettings,
      },
      envelope: { wrap: (data) => data, schema: (data) => data },
    })
    const app = createHttpApp({
      ...{ log: silent, publicUrl: '', trustProxy: 0 },
      limitHeaders: () => [],
      settle: () => undefined,
    })
    accounts.mountOperator(app)
    server = createServer(closeHttpApp(app))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
    await accounts.close()
    await database.close()
  })

  async function run(args: readonly string[], options: { baseUrl?: string; token?: string } = {}) {
    const [out, err]: [string[], string[]] = [[], []]
    const code = await runOperatorCli(args, {
      ...{ baseUrl, token: testSettings.operatorTokens[0] ?? '' },
      ...options,
      print: (line) => out.push(line),
      printError: (line) => err.push(line),
    })
    return { code, out, err }
  }
  const account = async () => {
    const made = await insertAccount(database.db)
    return { ...made, email: `${made.tag}@example.com` }
  }
  const planOf = async (tag: string) =>
    (await database.db.selectFrom('account').selectAll().where('tag', '=', tag).executeTakeFirstOrThrow())
      .plan

  test('shows an account and its keys in lines for people', async () => {
    const { tag, selector, email } = await account()

    const { code, out, err } = await run(['show', email])

    expect([code, err]).toEqual([0, []])
    expect(out[0]).toContain(`acc_${tag}  ${email}`)
    expect(out[0]).toContain('plan free  active')
    expect(out[1]).toContain(`key_${tag}${selector}  test  active  last used never`)
  })

  test('prints one JSON object per line with --json, before or after the command', async () => {
    const { tag, email } = await account()

    for (const args of [
      ['show', email, '--json'],
      ['--json', 'show', email],
    ]) {
      const { code, out } = await run(args)

      expect([code, out.length]).toEqual([0, 1])
      expect(JSON.parse(out[0] ?? '')).toMatchObject({ id: `acc_${tag}`, email, plan: 'free' })
    }
  })

  test('lists every account once, over several pages, whatever the case of their addresses', async () => {
    const tags: string[] = []
    for (let i = 0; i < 205; i++) {
      const { tag } = await insertAccount(database.db)
      const email = `${i % 2 ? 'UPPER' : 'lower'}${randomUUID()}@Example.com`
      await database.db
        .updateTable('account')
        .set({ email, email_normalised: email.toLowerCase() })
        .where('tag', '=', tag)
        .execute()
      tags.push(`acc_${tag}`)
    }

    const { code, out } = await run(['list', '--json'])

    const ids = out.map((line) => (JSON.parse(line) as { id: string }).id)
    expect(code).toBe(0)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(tags))
  })

  test('sets the plan, suspends and resumes', async () => {
    const { tag, email } = await account()

    const plan = await run(['set-plan', email, 'pro'])
    const suspended = await run(['suspend', email])
    const resumed = await run(['resume', email])

    expect([plan.code, suspended.code, resumed.code]).toEqual([0, 0, 0])
    expect(await planOf(tag)).toBe('pro')
    expect(suspended.out[0]).toContain('suspended since')
    expect(resumed.out[0]).toContain('plan pro  active')
  })

  test('revokes a key by its id', async () => {
    const { tag, selector } = await account()
    const other = await insertKey(database.db, tag)

    const { code, out } = await run(['revoke-key', `key_${tag}${selector}`])

    expect(code).toBe(0)
    expect(out.find((line) => line.includes(selector))).toContain('revoked')
    expect(out.find((line) => line.includes(other.selector))).toContain('active')
  })

  test.each([
    ['an account that does not exist', ['show', 'nobody@example.com'], 'nobody@example.com'],
    ['an address with a slash and a question mark', ['show', 'a/b?c#d@example.com'], 'a/b?c#d@example.com'],
    ['a plan that does not exist', ['set-plan', 'nobody@example.com', 'gold%'], 'plan'],
    ['a key that does not exist', ['revoke-key', 'key_00000000000000'], 'key_00000000000000'],
  ])('ends with 1 and a sentence for %s', async (_what, args, mentioned) => {
    const { code, out, err } = await run(args)

    expect([code, out, err.length]).toEqual([1, [], 1])
    expect(err[0]).toContain(mentioned)
    expect(err[0]).toMatch(/\.$/)
  })

  test('ends with 1 when the token is wrong, and when nobody answers', async () => {
    const wrongToken = await run(['list'], { token: 'wrong' })
    const nobody = await run(['list'], { baseUrl: 'http://127.0.0.1:1' })

    expect([wrongToken.code, nobody.code]).toEqual([1, 1])
    expect(wrongToken.err[0]).toContain('operator token is missing or wrong')
    expect(nobody.err[0]).toContain('does not answer at http://127.0.0.1:1')
  })

  test('ends with 1 and a sentence when something else answers', async () => {
    const other = createServer((_req, res) => res.end('<html>not the operator API</html>'))
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const { code, err } = await run(['list'], {
      baseUrl: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    })
    other.closeAllConnections()
    await new Promise((done) => other.close(done))

    expect(code).toBe(1)
    expect(err[0]).toContain('is not the operator API')
  })

  test.each<[string[]]>([
    [[]],
    [['nonsense']],
    [['constructor']],
    [['__proto__']],
    [['show']],
    [['show', 'a@example.com', 'b@example.com']],
    [['set-plan', 'a@example.com']],
    [['list', 'extra']],
    [['list', '--nonsense']],
    [['revoke-key']],
  ])('ends with 2 and the usage for %j', async (args) => {
    const { code, out, err } = await run(args)

    expect([code, out]).toEqual([2, []])
    expect(err[0]).toContain('set-plan EMAIL PLAN')
  })

  test('ends with 0 and the usage for --help, which names every command and exit code', async () => {
    const { code, out, err } = await run(['--help'])

    expect([code, err]).toEqual([0, []])
    for (const command of [
      'list',
      'show',
      'set-plan',
      'suspend',
      'resume',
      'revoke-key',
      '--json',
      'Exit codes',
    ]) {
      expect(out[0]).toContain(command)
    }
  })
})
