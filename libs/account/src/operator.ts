import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { HttpError, httpProblems, problemKinds } from '@hearth/chassis/errors'
import { send } from '@hearth/chassis/http'
import { json } from '@hearth/chassis/json-body'
import type { Express, RequestHandler } from 'express'
import Joi from 'joi'
import { createHash, timingSafeEqual } from 'node:crypto'
import { changeAccount, type AccountContext } from './context.ts'
import { emailField, normaliseEmail } from './fields.ts'
import { keysOf, revoke } from './key-rows.ts'
import { keyId, parseKeyId } from './keys.ts'

/** The problems of the operator API. */
export const operatorProblems = problemKinds({
  operator_token_required: [
    401,
    'The operator token is missing or wrong',
    'Send `Authorization: Bearer OPERATOR_TOKEN`. Outside production the token is generated into DATA_DIR/secrets/OPERATOR_TOKEN.',
  ],
})

/**
 * Mounts the operator API on the app of the internal port: accounts by e-mail address, their plan, suspension, and
 * revocation of single keys. Every change holds on every instance with the next request.
 */
export function mountOperator(app: Express, context: AccountContext, tokens: readonly string[]): void {
  app.use('/operator', requireToken(tokens), json())
  app.get('/operator/accounts', listAccounts(context))
  app.get('/operator/accounts/:email', showAccount(context))
  app.put('/operator/accounts/:email/plan', setPlan(context))
  app.put('/operator/accounts/:email/suspended', setSuspended(context))
  app.delete('/operator/keys/:id', revokeKey(context))
}

function requireToken(tokens: readonly string[]): RequestHandler {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = tokens.map((token) => digest(`Bearer ${token}`))
  return (req, _res, next) => {
    const given = digest(req.headers.authorization ?? '')
    if (!expected.some((one) => timingSafeEqual(given, one))) {
      throw new HttpError(
        operatorProblems.operator_token_required,
        'The operator token is missing or wrong. Send `Authorization: Bearer OPERATOR_TOKEN`.',
        { headers: ['WWW-Authenticate', 'Bearer realm="operator"'] },
      )
    }
    next()
  }
}

function listAccounts({ db }: AccountContext): Endpoint {
  return endpoint(
    {
      id: 'operatorListAccounts',
      summary: 'Accounts, oldest first, in pages',
      tag: 'Operator',
      access: 'public',
      query: Joi.object<{ after: string; limit: number }>({
        after: textField.allow('').default('').description('E-mail address after which the page starts.'),
        limit: Joi.number().integer().min(1).max(1000).default(100),
      }),
      responses: {
        200: {
          description: 'Accounts in the order of their addresses.',
          schema: record({ accounts: Joi.array() }),
        },
      },
    },
    async ({ query }, _req, res) => {
      const accounts = await db
        .selectFrom('account')
        .select(['tag', 'name', 'email', 'plan', 'suspended_at as suspendedAt', 'created_at as createdAt'])
        .where('email_normalised', '>', query.after === '' ? '' : normaliseEmail(query.after))
        .orderBy('email_normalised')
        .limit(query.limit)
        .execute()
      await send(res, 200, { accounts: accounts.map(({ tag, ...rest }) => ({ id: `acc_${tag}`, ...rest })) })
    },
  )
}

function showAccount(context: AccountContext): Endpoint {
  return endpoint(
    {
      id: 'operatorShowAccount',
      summary: 'One account with its keys',
      tag: 'Operator',
      access: 'public',
      params: emailParams,
      responses: { 200: { description: 'The account.', schema: Joi.object().unknown() } },
    },
    async ({ params }, _req, res) => {
      await send(res, 200, await describeAccount(context, await tagOf(context, params.email)))
    },
  )
}

function setPlan(context: AccountContext): Endpoint {
  return endpoint(
    {
      id: 'operatorSetPlan',
      summary: 'Change the plan',
      tag: 'Operator',
      access: 'public',
      params: emailParams,
      body: Joi.object<{ plan: string }>({
        plan: Joi.string()
          .valid(...Object.keys(context.plans))
          .required(),
      }),
      responses: { 200: { description: 'The account after the change.', schema: Joi.object().unknown() } },
    },
    async ({ params, body: { plan } }, _req, res) => {
      const tag = await tagOf(context, params.email)
      await changeAccount(context, tag, (trx) =>
        trx.updateTable('account').set({ plan }).where('tag', '=', tag).execute(),
      )
      context.log.info({ account: `acc_${tag}`, plan }, 'operator: plan set')
      await send(res, 200, await describeAccount(context, tag))
    },
  )
}

function setSuspended(context: AccountContext): Endpoint {
  return endpoint(
    {
      id: 'operatorSetSuspended',
      summary: 'Suspend or resume the account',
      tag: 'Operator',
      access: 'public',
      params: emailParams,
      body: Joi.object<{ suspended: boolean }>({ suspended: Joi.boolean().required() }),
      responses: { 200: { description: 'The account after the change.', schema: Joi.object().unknown() } },
    },
    async ({ params, body: { suspended } }, _req, res) => {
      const tag = await tagOf(context, params.email)
      const suspended_at = suspended ? new Date(context.clock()) : null
      await changeAccount(context, tag, (trx) =>
        trx.updateTable('account').set({ suspended_at }).where('tag', '=', tag).execute(),
      )
      context.log.info({ account: `acc_${tag}` }, suspended ? 'operator: suspended' : 'operator: resumed')
      await send(res, 200, await describeAccount(context, tag))
    },
  )
}

function revokeKey(context: AccountContext): Endpoint {
  return endpoint(
    {
      id: 'operatorRevokeKey',
      summary: 'Revoke one key',
      tag: 'Operator',
      access: 'public',
      params: Joi.object<{ id: string }>({ id: Joi.string().required() }),
      responses: { 200: { description: 'The account after the change.', schema: Joi.object().unknown() } },
      problems: [httpProblems.not_found],
    },
    async ({ params }, _req, res) => {
      const key = parseKeyId(params.id)
      const row =
        key &&
        (await context.db
          .selectFrom('api_key')
          .select('revoked_at')
          .where('tag', '=', key.tag)
          .where('selector', '=', key.selector)
          .executeTakeFirst())
      if (key === undefined || row === undefined) throw notFound(`There is no key ${params.id}.`)
      if (row.revoked_at === null) {
        await changeAccount(context, key.tag, (trx) =>
          revoke(trx, key.tag, key.selector, new Date(context.clock())),
        )
        context.log.info({ account: `acc_${key.tag}`, key: key.selector }, 'operator: key revoked')
      } else {
        // Whoever has revoked it may still be telling the other instances.
        await context.outbox.deliver(key.tag)
      }
      await send(res, 200, await describeAccount(context, key.tag))
    },
  )
}

/** Postgres keeps no text with NUL in it. */
const textField = Joi.string().pattern(/^[^\0]*$/, 'text without NUL')

const emailParams = Joi.object<{ email: string }>({
  email: emailField.required().description('E-mail address of the account.'),
})

async function tagOf({ db }: AccountContext, email: string): Promise<string> {
  const account = await db
    .selectFrom('account')
    .select('tag')
    .where('email_normalised', '=', normaliseEmail(email))
    .executeTakeFirst()
  if (account === undefined) throw notFound(`There is no account with the e-mail address ${email}.`)
  return account.tag
}

async function describeAccount({ db }: AccountContext, tag: string): Promise<object> {
  const account = await db.selectFrom('account').selectAll().where('tag', '=', tag).executeTakeFirstOrThrow()
  const keys = await keysOf(db, tag)
  return {
    id: `acc_${tag}`,
    name: account.name,
    email: account.email,
    plan: account.plan,
    suspendedAt: account.suspended_at,
    createdAt: account.created_at,
    keys: keys.toReversed().map((key) => ({
      id: keyId(tag, key.selector),
      name: key.name,
      createdAt: key.created_at,
      expiresAt: key.expires_at,
      lastUsedAt: key.last_used_at,
      revokedAt: key.revoked_at,
    })),
  }
}

function notFound(detail: string): HttpError {
  return new HttpError(httpProblems.not_found, detail)
}
