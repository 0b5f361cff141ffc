import { newAddress, type TestApp } from '@hearth/account/testing/test-app'
import { parseList } from 'structured-headers'
import supertest from 'supertest'
import { impossible, kinds, plansOfCells, provoke, type Apps, type Provocation } from './cells.ts'
import { operationsOf, type DocumentedOperation } from './operations.ts'
import { startSolar } from './support.ts'

describe.each([
  { gate: 'Postgres', redis: false, of: kinds },
  { gate: 'Redis', redis: true, of: ['success', '401', '403', '415', '429 burst', '429 quota'] as const },
])('on the $gate gate', ({ redis, of }) => {
  let apps: Apps
  let operations: readonly DocumentedOperation[]

  beforeAll(async () => {
    const tight = { signupsPerHour: 0, burstPerSecond: 1, failedAuthPerMinute: 3 }
    apps = {
      usual: await startSolar({ redis, plans: plansOfCells, settings: { signupsPerHour: 0 } }),
      tight: await startSolar({ redis, plans: plansOfCells, settings: tight }),
    }
    operations = await operationsOf(apps.usual)
  })
  afterAll(async () => {
    await apps.usual.close()
    await apps.tight.close()
  })

  test.each(of)(
    'every operation that can answer %s does so with all headers and the documented body',
    async (kind) => {
      const problems: string[] = []
      for (const operation of operations.filter((one) => impossible(kind, one) === undefined)) {
        const name = `${operation.method} ${operation.template}`
        const found = await send(await provoke(kind, operation, apps), operation)
        problems.push(...found.map((problem) => `${name}: ${problem}`))
      }
      expect(problems).toEqual([])
    },
  )

  test('the cells that cannot exist are the ones that are known', () => {
    const cells = operations.flatMap((operation) =>
      kinds.map((kind) => [impossible(kind, operation), `${kind} ${operation.id}`] as const),
    )
    const byReason = Map.groupBy(
      cells.filter(([reason]) => reason !== undefined),
      ([reason]) => reason ?? '',
    )
    const found = [...byReason].map(([reason, group]) => [reason, group.map(([, cell]) => cell).toSorted()])
    expect(Object.fromEntries(found)).toEqual(cellsThatCannotExist)
  })
})

const open = [
  'getDocs',
  'getDocsAsset',
  'getErrorPage',
  'getIndex',
  'getLiveness',
  'getOpenApi',
  'getReadiness',
]
const account = [
  'changePassword',
  'createKey',
  'deleteAccount',
  'deleteKey',
  'getAccount',
  'getUsage',
  'listKeys',
  'rotateKey',
]
const of = (kind: string, ids: readonly string[]) => ids.map((id) => `${kind} ${id}`)

/** The cells that no request can fill, by reason: a new one must be added here by hand. */
const cellsThatCannotExist = {
  'takes no input': of('400', ['getDocs', 'getIndex', 'getLiveness', 'getOpenApi', 'getReadiness']),
  'needs no credentials': of('401', [...open, 'signUp']),
  'belongs to no account': of('403', [...open, 'signIn', 'signUp']),
  'has no key whose requests could be counted': of('429 burst', [...open, 'signIn', 'signUp']),
  'costs no quota': of('429 quota', [...account, ...open, 'signIn', 'signUp'].toSorted()),
  'is never limited: probes and readers of the docs': of('429 address', open),
  'reads nothing but the program itself': of('500', open),
}

async function send(
  { app, method, path, request, status, code, repair }: Provocation,
  operation: DocumentedOperation,
) {
  const sent = supertest(app.server)
    [method as 'get'](path)
    .set({
      'X-Forwarded-For': request.address ?? newAddress(),
      ...(request.key !== undefined && { 'X-API-Key': request.key }),
      ...(request.session !== undefined && { Authorization: `Bearer ${request.session}` }),
      ...request.headers,
    })
  const response = await (request.body === undefined ? sent : sent.send(request.body as object))
  await repair?.()
  const { headers, body } = response
  const problems = [
    ...headerProblems(headers),
    ...(status < 400 ? [] : await bodyProblems(app, response, code)),
  ]
  if (response.status !== status) problems.push(`answered ${response.status}: ${JSON.stringify(body)}`)
  if (
    method === 'options' &&
    !String(headers['allow']).split(', ').includes(operation.method.toUpperCase())
  ) {
    problems.push(`Allow is ${headers['allow']}`)
  }
  if (status === 429 && !/^[1-9]\d*$/.test(headers['retry-after'] ?? '')) problems.push('no Retry-After')
  if (status === 401 && headers['www-authenticate'] === undefined) problems.push('no WWW-Authenticate')
  if (status === 405 && headers['allow'] === undefined) problems.push('no Allow')
  return problems
}

function headerProblems(headers: Readonly<Record<string, string>>): string[] {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map(
    (name) => headers[`x-ratelimit-${name}`] ?? '',
  )
  const problems = [limit, remaining, reset].flatMap((value = '') =>
    /^(?:0|[1-9]\d{0,9})$/.test(value) ? [] : [`a rate-limit header is ${JSON.stringify(value)}`],
  )
  const date = Date.parse(headers['date'] ?? '')
  if (!(Number(reset) * 1000 > date - 1))
    problems.push(`X-RateLimit-Reset ${reset} is not after ${headers['date']}`)
  if (Number(remaining) > Number(limit)) problems.push(`${remaining} of ${limit} remain`)
  if (!/^req_\w{18,}$/.test(headers['x-request-id'] ?? ''))
    problems.push(`X-Request-Id ${headers['x-request-id']}`)
  const [policy, state] = ['ratelimit-policy', 'ratelimit'].map((name) => parseList(headers[name] ?? ''))
  const names = (list: ReturnType<typeof parseList> = []) => list.map(([name]) => String(name)).join()
  if (names(policy) === '' || names(policy) !== names(state))
    problems.push(`RateLimit ${names(policy)} ${names(state)}`)
  const numbers = [...(policy ?? []), ...(state ?? [])].flatMap(([, parameters]) => [...parameters.values()])
  if (!numbers.every((number) => Number.isInteger(number))) problems.push('RateLimit parameters')
  return problems
}

async function bodyProblems(
  app: TestApp,
  { headers, body, status }: supertest.Response,
  code: string | undefined,
) {
  const problems: string[] = []
  if (!/^application\/problem\+json(;|$)/.test(headers['content-type'] ?? ''))
    problems.push(headers['content-type'] ?? '')
  if (body.code !== code || body.status !== status) problems.push(`body ${JSON.stringify(body)}`)
  if (typeof body.title !== 'string' || !/\.$|\?$/.test(body.detail)) problems.push(`detail ${body.detail}`)
  if (body.requestId !== headers['x-request-id']) problems.push('requestId differs from X-Request-Id')
  const page = await supertest(app.server).get(URL.parse(body.type)?.pathname ?? '/no-type')
  if (page.status !== 200 || !page.text.includes(body.code)) problems.push(`no page at ${body.type}`)
  return problems
}
