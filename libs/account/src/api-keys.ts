import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { HttpError } from '@hearth/chassis/errors'
import { send } from '@hearth/chassis/http'
import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import { callerOf } from './caller.ts'
import { beforeReading, changeAccount, type AccountContext } from './context.ts'
import { accountGone } from './credentials.ts'
import { instant, nameField, newKeyFields } from './fields.ts'
import { activeSelectors, freeSelector, insertKey, keysOf, mostActiveKeys, revoke } from './key-rows.ts'
import { digestKey, keyId, keyPrefix, makeKey, parseKeyId, randomBase62, secretLength } from './keys.ts'
import { accountProblems } from './problems.ts'
import { dayOfDate } from './windows.ts'

/** GET /v1/account/keys */
export function listKeys({ deployment, envelope, db, ledger, clock }: AccountContext): Endpoint {
  return endpoint(
    {
      id: 'listKeys',
      summary: "The account's keys",
      description:
        '`lastUsedAt` is right to some seconds. `current` marks the key of this request. Of the keys that no longer work the newest 100 are kept.',
      tag: 'Account',
      access: 'account' as const,
      responses: {
        200: {
          description: 'All keys, newest first.',
          schema: envelope.schema(record({ keys: Joi.array().items(keySchema) })),
        },
      },
    },
    async (_input, _req, res) => {
      const caller = callerOf(res)
      const { tag } = caller
      await beforeReading(ledger.flushUsesOf(tag))
      const rows = await keysOf(db, tag)
      const now = new Date(clock())
      const keys = rows.map((row) => ({
        id: keyId(tag, row.selector),
        name: row.name,
        prefix: keyPrefix({ service: deployment.code, tag, selector: row.selector }),
        status: statusOf(row, now),
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        lastUsedAt: row.last_used_at,
        revokedAt: row.revoked_at,
        current: row.selector === caller.selector,
      }))
      await send(res, 200, envelope.wrap({ keys }, now))
    },
  )
}

/** POST /v1/account/keys */
export function createKey(context: AccountContext): Endpoint {
  const { deployment, envelope, clock } = context
  return endpoint(describeCreateKey(context), async ({ body }, _req, res) => {
    const { tag } = callerOf(res)
    const now = new Date(clock())
    const expires_at = expiryOf(body.expiresAt, now)
    const key = await changeAccount(context, tag, async (trx) => {
      if ((await activeSelectors(trx, tag, now)).length >= mostActiveKeys) throw tooManyKeys()
      const name = { service: deployment.code, tag, selector: await freeSelector(trx, tag) }
      const text = makeKey(name, randomBase62(secretLength))
      const digest = digestKey(text, context.pepper)
      await insertKey(
        trx,
        { tag, selector: name.selector, digest, name: body.name, created_at: now, expires_at },
        now,
      )
      return { name, text }
    })
    if (key === undefined) throw accountGone(deployment)
    const id = keyId(tag, key.name.selector)
    const data = { id, name: body.name, apiKeyPrefix: keyPrefix(key.name), apiKey: key.text }
    await send(res, 201, envelope.wrap(data, now), ['Location', `/v1/account/keys`])
  })
}

function describeCreateKey({ envelope }: AccountContext) {
  return {
    id: 'createKey',
    summary: 'Make a further key',
    description: 'All keys of an account share its quota. The key is in this answer and never again.',
    tag: 'Account',
    access: 'account' as const,
    body: Joi.object<{ name: string; expiresAt?: string | null }>({
      name: nameField(200).required().description('What the key is for, such as `production`.'),
      expiresAt: Joi.string()
        .isoDate()
        .allow(null)
        .messages({
          'string.isoDate':
            '{#label} must be a date and a time with its time zone in ISO 8601, such as 2027-01-31T00:00:00Z',
        })
        .description(
          'When the key stops working, ISO 8601 with a time zone, before the year 10000; never when left out.',
        ),
    }),
    responses: {
      201: {
        description: 'The key.',
        schema: envelope.schema(record({ id: Joi.string(), name: Joi.string(), ...newKeyFields })),
        headers: ['Location'] as const,
      },
    },
    examples: [{ name: 'further key', status: 201, body: { name: 'production' } }],
  }
}

/** DELETE /v1/account/keys/:id */
export function deleteKey(context: AccountContext): Endpoint {
  const { envelope, clock } = context
  return endpoint(describeDeleteKey(context), async ({ params, query }, _req, res) => {
    const { tag } = callerOf(res)
    const now = new Date(clock())
    const target = parseKeyId(params.id)
    if (target?.tag !== tag) throw noSuchKey()
    const deleted = await changeAccount(context, tag, async (trx) => {
      const { selector } = target
      const row = await trx
        .selectFrom('api_key')
        .select('revoked_at')
        .where('tag', '=', tag)
        .where('selector', '=', selector)
        .executeTakeFirst()
      if (row === undefined || row.revoked_at !== null) throw noSuchKey()
      const others = (await activeSelectors(trx, tag, now)).filter((one) => one !== selector)
      if (others.length === 0 && !query.force) throw lastActiveKey()
      await revoke(trx, tag, selector, now)
      return true
    })
    if (deleted === undefined) throw accountGone(context.deployment)
    await send(res, 200, envelope.wrap({ id: params.id, deleted: true }, now))
  })
}

function describeDeleteKey({ envelope }: AccountContext) {
  return {
    id: 'deleteKey',
    summary: 'Delete a key',
    description:
      'The key is dead on every instance when the answer arrives; it stays in the list as revoked.',
    tag: 'Account',
    access: 'account' as const,
    params: Joi.object<{ id: string }>({
      id: Joi.string().required().max(64).description('Id of the key.'),
    }),
    query: Joi.object<{ force: boolean }>({
      force: Joi.boolean().default(false).description('Delete it even if it is the last active key.'),
    }),
    responses: {
      200: {
        description: 'The key is deleted.',
        schema: envelope.schema(record({ id: Joi.string(), deleted: Joi.boolean() })),
      },
    },
    problems: [accountProblems.key_not_found, accountProblems.last_active_key],
  }
}

const keySchema = record({
  id: Joi.string(),
  name: Joi.string(),
  prefix: Joi.string(),
  status: Joi.string().valid('active', 'revoked', 'expired'),
  createdAt: instant,
  expiresAt: instant.allow(null),
  lastUsedAt: instant.allow(null),
  revokedAt: instant.allow(null),
  current: Joi.boolean(),
})

function statusOf(row: { revoked_at: Date | null; expires_at: Date | null }, now: Date): string {
  if (row.revoked_at !== null) return 'revoked'
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'active'
}

function expiryOf(text: string | null | undefined, now: Date): Date | null {
  if (text === null || text === undefined) return null
  const at = new Date(text)
  const detail =
    Number.isNaN(at.getTime()) || dayOfDate(text.slice(0, 10)) === undefined
      ? 'expiresAt must be a date of the calendar and a time of the day, such as 2027-01-31T00:00:00Z.'
      : !/(?:Z|[+-]\d\d:?\d\d)$/i.test(text)
        ? 'expiresAt must name its time zone, such as 2027-01-31T00:00:00Z.'
        : at <= now
          ? 'expiresAt must lie in the future.'
          : at >= year10000
            ? 'expiresAt must lie before the year 10000, such as 2027-01-31T00:00:00Z; leave it out for a key that never expires.'
            : undefined
  if (detail !== undefined) throw invalid([{ pointer: '/expiresAt', code: 'not_allowed', detail }])
  return at
}

/** From here on ISO 8601 has no agreed form: Postgres reads the one of JavaScript, the embedded database does not. */
const year10000 = new Date(Date.UTC(10_000, 0))

function tooManyKeys(): HttpError {
  const detail = `An account can have ${mostActiveKeys} active keys; delete one that is no longer needed.`
  return invalid([{ pointer: '', code: 'too_many', detail }])
}

function noSuchKey(): HttpError {
  return new HttpError(
    accountProblems.key_not_found,
    'The account has no key with this id that is still in use. GET /v1/account/keys lists its keys.',
  )
}

function lastActiveKey(): HttpError {
  return new HttpError(
    accountProblems.last_active_key,
    'This is the last active key of the account. Make another one first, or repeat the request with ?force=true.',
  )
}
