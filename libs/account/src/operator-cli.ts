import { parseArgs } from 'node:util'

/** What the command line tool works with. */
export type OperatorCliOptions = {
  /** Base of the operator API, such as http://127.0.0.1:9001. */
  readonly baseUrl: string
  readonly token: string
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

/** The `account` command of a service: the operator's command line on this terminal, for the service of this configuration. */
export function operatorCommand(
  config: {
    readonly host: string
    readonly internalPort: number
    readonly operatorTokens: readonly string[]
  },
  args: readonly string[],
): Promise<number> {
  const { host, internalPort, operatorTokens } = config
  return runOperatorCli(args, {
    baseUrl: `http://${host.includes(':') ? `[${host}]` : host}:${internalPort}`,
    token: operatorTokens[0] ?? '',
    print: (line) => process.stdout.write(`${line}\n`),
    printError: (line) => process.stderr.write(`${line}\n`),
  })
}

/**
 * The operator's command line: a thin client of the operator API of a running service.
 *
 * @returns the exit code: 0 done, 1 the service refused or did not answer, 2 the command line is wrong
 */
export async function runOperatorCli(args: readonly string[], options: OperatorCliOptions): Promise<number> {
  const request = parseCommand(args)
  if (request === undefined) {
    options.printError(usage)
    return 2
  }
  if (request === 'help') {
    options.print(usage)
    return 0
  }
  try {
    for await (const body of answers(options, request)) {
      if (request.json) options.print(JSON.stringify(body))
      else describe(body).forEach(options.print)
    }
    return 0
  } catch (error) {
    options.printError(error instanceof Error ? error.message : String(error))
    return 1
  }
}

const usage = `Manages the accounts of a running service.

  list                        all accounts
  show EMAIL                  one account with its keys
  set-plan EMAIL PLAN         change the plan
  suspend EMAIL               refuse all keys of the account
  resume EMAIL                accept them again
  revoke-key KEY_ID           revoke one key

  --json                      one JSON object per line
  --help                      this text

The service is found by INTERNAL_PORT and OPERATOR_TOKEN, as it was started. Every change holds with the next request.
Exit codes: 0 done, 1 refused or not reachable, 2 wrong command line.`

type ApiRequest = {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly json: boolean
  readonly pages: boolean
}

function parseCommand(args: readonly string[]): ApiRequest | 'help' | undefined {
  const parsed = parse(args)
  if (parsed === undefined || parsed.values.help) return parsed && 'help'
  const [command = '', ...operands] = parsed.positionals
  const known = commands[command]
  if (known === undefined || operands.length !== known.operands) return undefined
  const [first = '', second = ''] = operands.map(encodeURIComponent)
  return { pages: false, ...known.request(first, decodeURIComponent(second)), json: parsed.values.json }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    })
  } catch {
    return undefined
  }
}

const commands: Readonly<
  Record<
    string,
    {
      operands: number
      request: (first: string, second: string) => Partial<ApiRequest> & { method: string; path: string }
    }
  >
> = {
  list: { operands: 0, request: () => ({ method: 'GET', path: '/operator/accounts', pages: true }) },
  show: { operands: 1, request: (email) => ({ method: 'GET', path: `/operator/accounts/${email}` }) },
  'set-plan': {
    operands: 2,
    request: (email, plan) => ({ method: 'PUT', path: `/operator/accounts/${email}/plan`, body: { plan } }),
  },
  suspend: { operands: 1, request: (email) => suspension(email, true) },
  resume: { operands: 1, request: (email) => suspension(email, false) },
  'revoke-key': { operands: 1, request: (id) => ({ method: 'DELETE', path: `/operator/keys/${id}` }) },
}

function suspension(email: string, suspended: boolean) {
  return { method: 'PUT', path: `/operator/accounts/${email}/suspended`, body: { suspended } }
}

type Account = {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly plan: string
  readonly suspendedAt: string | null
  readonly createdAt: string
  readonly keys?: readonly { id: string; name: string; lastUsedAt: string | null; revokedAt: string | null }[]
}

/** The accounts that a request answers with; lists are read page by page. */
async function* answers(options: OperatorCliOptions, request: ApiRequest): AsyncGenerator<Account> {
  if (!request.pages) {
    yield (await call(options, request)) as Account // the operator API of the same version answers
    return
  }
  let after = ''
  for (;;) {
    const page = await call(options, {
      ...request,
      path: `${request.path}?after=${encodeURIComponent(after)}`,
    })
    const { accounts } = page as { accounts: Account[] } // the operator API of the same version answers
    yield* accounts
    const last = accounts.at(-1)
    if (last === undefined || accounts.length < pageSize) return
    after = last.email
  }
}

const pageSize = 100

async function call(
  { baseUrl, token }: OperatorCliOptions,
  { method, path, body }: ApiRequest,
): Promise<unknown> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  }).catch((error: unknown) => {
    throw new Error(
      `The service does not answer at ${baseUrl}. Start it, or set INTERNAL_PORT to the port it has.`,
      {
        cause: error,
      },
    )
  })
  const answer: unknown = await response.json().catch((error: unknown) => {
    throw new Error(
      `What answers at ${baseUrl} is not the operator API. Set INTERNAL_PORT to the internal port of the service.`,
      { cause: error },
    )
  })
  if (response.ok) return answer
  const { detail = `The service answered ${response.status}.` } = answer as { detail?: string } // problem+json
  throw new Error(detail)
}

function describe({ id, email, name, plan, suspendedAt, createdAt, keys = [] }: Account): string[] {
  const state = suspendedAt === null ? 'active' : `suspended since ${suspendedAt}`
  return [
    `${id}  ${email}  ${name}  plan ${plan}  ${state}  since ${createdAt}`,
    ...keys.map(
      (key) =>
        `  ${key.id}  ${key.name}  ${key.revokedAt === null ? 'active' : `revoked ${key.revokedAt}`}  last used ${key.lastUsedAt ?? 'never'}`,
    ),
  ]
}
