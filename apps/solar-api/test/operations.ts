import type { TestApp, TestRequest } from '@hearth/account/testing/test-app'
import type { OpenApiDocument } from '@hearth/chassis/openapi'
import { randomUUID } from 'node:crypto'
import supertest from 'supertest'
import { unknownId } from '../src/calculation-schema.ts'
import { saveRequest } from './saved.ts'
import { threeNumbers } from './support.ts'

/** A documented operation, as the tests need to know it. */
export type DocumentedOperation = {
  readonly id: string
  readonly method: string
  /** With `{name}` for path parameters. */
  readonly template: string
  /** Who may call it: nobody in particular (`open` outside /v1, `public` under it), a key, a session, or either. */
  readonly access: 'open' | 'public' | 'account' | 'session' | 'key' | 'metered'
  readonly hasBody: boolean
  readonly document: OperationDocument
}

/** The members of an OpenAPI operation that the tests read. */
export type OperationDocument = {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly ParameterDocument[]
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        { readonly schema: object; readonly examples: Readonly<Record<string, { value: unknown }>> }
      >
    >
  }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, object>>
        readonly headers?: Readonly<Record<string, object>>
      }
    >
  >
}

export type ParameterDocument = {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: object
  readonly example?: unknown
}

/** Who calls: an account with a key and, when asked for, a session. */
export type Owner = Awaited<ReturnType<TestApp['signUp']>>

/** A request that succeeds. */
export type GoodRequest = { readonly path: string; readonly request: TestRequest }

export async function openApiOf(app: TestApp): Promise<OpenApiDocument> {
  const { body } = await supertest(app.server).get('/openapi.json')
  return body
}

/** Every operation of /openapi.json. */
export async function operationsOf(app: TestApp): Promise<DocumentedOperation[]> {
  const { paths } = await openApiOf(app)
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, value]) => {
      const document = value as OperationDocument // openapi.test.ts checks the form of the document
      const { operationId: id, requestBody } = document
      return {
        id,
        method,
        template,
        access: accessOf(template, document),
        hasBody: requestBody !== undefined,
        document,
      }
    }),
  )
}

function accessOf(template: string, { security, description = '' }: OperationDocument) {
  const schemes = security
    .flatMap((entry) => Object.keys(entry))
    .toSorted()
    .join()
  if (schemes === '') return template.startsWith('/v1/') ? 'public' : 'open'
  if (schemes === 'session') return 'session'
  if (schemes === 'apiKey,session') return 'account'
  return description.includes('costs one unit') ? 'metered' : 'key'
}

/** Makes a request of an account that the operation answers with a success. */
export async function goodRequest(
  app: TestApp,
  operation: DocumentedOperation,
  owner: Owner,
): Promise<GoodRequest> {
  const prepare = inputs[operation.id]
  if (prepare === undefined) {
    throw new Error(`No test knows how to call ${operation.id}; add it to operations.ts.`)
  }
  const { path = operation.template, ...request } = await prepare(app, owner)
  return { path, request: { ...(await credentials(app, operation, owner)), ...request } }
}

/** Sign-in, for the token. */
export async function signIn(
  app: TestApp,
  { email, password }: Pick<Owner, 'email' | 'password'>,
): Promise<string> {
  const { status, body } = await app.call('post', '/v1/account/sessions', { body: { email, password } })
  if (status !== 201) throw new Error(`sign-in: ${status}`)
  return body.data.token
}

async function credentials(
  app: TestApp,
  { access }: DocumentedOperation,
  owner: Owner,
): Promise<TestRequest> {
  if (access === 'open' || access === 'public') return {}
  return access === 'session' ? { session: await signIn(app, owner) } : { key: owner.key }
}

/** What each operation needs besides credentials, for a success. */
const inputs: Readonly<
  Record<string, (app: TestApp, owner: Owner) => Promise<TestRequest & { path?: string }>>
> = {
  getIndex: async () => ({}),
  getOpenApi: async () => ({}),
  getDocs: async () => ({}),
  getDocsAsset: async () => ({ path: '/docs/start.js' }),
  getErrorPage: async () => ({ path: '/errors/validation_failed' }),
  getLiveness: async () => ({}),
  getReadiness: async () => ({}),
  calculate: async () => ({ body: threeNumbers }),
  monteCarlo: async () => ({ body: { ...threeNumbers, simulation: { trials: 100 } } }),
  compareScenarios: async () => ({
    body: { ...threeNumbers, scenarios: [cash, { ...cash, name: 'Again' }] },
  }),
  analyseSensitivity: async () => ({
    body: { ...threeNumbers, vary: [{ input: 'utilityRate', values: [0.1, 0.2] }] },
  }),
  saveCalculation: async () => ({ body: saveRequest }),
  listCalculations: async () => ({}),
  getCalculation: async (app, owner) => ({ path: await savedPath(app, owner) }),
  getCashFlowCsv: async (app, owner) => ({ path: `${await savedPath(app, owner)}/cash-flow.csv` }),
  renameCalculation: async (app, owner) => ({ path: await savedPath(app, owner), body: { name: 'Roof' } }),
  deleteCalculation: async (app, owner) => ({ path: await savedPath(app, owner) }),
  rerunCalculation: async (app, owner) => ({ path: `${await savedPath(app, owner)}/rerun` }),
  signUp: async () => ({
    body: { name: 'Ann', email: `${randomUUID()}@example.com`, password: `pass ${randomUUID()}` },
  }),
  signIn: async (_app, { email, password }) => ({ body: { email, password } }),
  getAccount: async () => ({}),
  deleteAccount: async () => ({}),
  changePassword: async () => ({ body: { password: `pass ${randomUUID()}` } }),
  getUsage: async () => ({}),
  listKeys: async () => ({}),
  createKey: async () => ({ body: { name: 'another' } }),
  rotateKey: async () => ({}),
  deleteKey: async (app, { key }) => {
    const { body } = await app.call('post', '/v1/account/keys', { key, body: { name: 'to delete' } })
    return { path: `/v1/account/keys/${body.data.id}` }
  },
}

const cash = { name: 'Cash', type: 'cash' }

/** The path of a calculation that was saved for an account; of none where even saving is refused. */
async function savedPath(app: TestApp, { key }: Owner): Promise<string> {
  const known = savedPaths.get(key)
  if (known !== undefined) return known
  const { status, body } = await app.call('post', '/v1/calculations', { key, body: saveRequest })
  const path = `/v1/calculations/${status === 201 ? body.data.id : unknownId}`
  savedPaths.set(key, path)
  return path
}

/** By key. */
const savedPaths = new Map<string, string>()
