import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import type { HttpError } from '@hearth/chassis/errors'
import { send } from '@hearth/chassis/http'
import Joi from 'joi'
import { callerOf, revoke } from './api-keys.ts'
import { changeAccount, type AccountContext } from './context.ts'
import { unauthorized } from './credentials.ts'
import type { AccountDatabase } from './database.ts'
import { idempotencyHeaders } from './fields.ts'
import { firstAnswer, rememberAnswer, scopeOf, type FirstAnswer } from './idempotency.ts'
import {
  deriveSecret,
  digestKey,
  keyId,
  keyPrefix,
  makeKey,
  randomBase62,
  secretLength,
  selectorLength,
} from './keys.ts'
import type { Caller } from './admission.ts'
import { accountProblems } from './problems.ts'
import { newKeyFields } from './signup.ts'

/** POST /v1/account/keys/rotate */
export function rotateKey(context: AccountContext): Endpoint {
  const { deployment, envelope } = context
  return endpoint(describeRotateKey(context), async ({ headers }, _req, res) => {
    const caller = callerOf(res)
    const request = rotation(context, caller, headers['idempotency-key'])
    const made = await replaceKey(context, caller, request)
    const name = { service: deployment.code, tag: made.tag, selector: made.selector }
    const data = {
      message: 'Key rotated. The old key no longer works; store the new one now: it is not shown again.',
      id: keyId(made.tag, made.selector),
      apiKeyPrefix: keyPrefix(name),
      apiKey: makeKey(name, request.secret(made.selector)),
      revokedKeyId: keyId(caller.tag, caller.selector),
    }
    await send(res, 201, envelope.wrap(data, made.at), ['Location', '/v1/account/keys'])
  })
}

function describeRotateKey({ envelope }: AccountContext) {
  return {
    id: 'rotateKey',
    summary: 'Replace the key of this request by a new one',
    description:
      'The old key is dead on every instance before the answer is sent; counters go on. With an `Idempotency-Key` a lost answer can be had again for 10 minutes by repeating the request with the old key.',
    tag: 'Account',
    access: 'key' as const,
    headers: idempotencyHeaders,
    responses: {
      201: {
        description: 'The new key.',
        schema: envelope.schema(
          record({ message: Joi.string(), id: Joi.string(), ...newKeyFields, revokedKeyId: Joi.string() }),
        ),
      },
    },
    problems: [accountProblems.idempotency_conflict],
  }
}

/** A rotation that gives the same new key again to who shows the old key and the same Idempotency-Key. */
function rotation({ pepper, db, clock }: AccountContext, caller: Caller, idempotencyKey?: string) {
  const now = new Date(clock())
  const nonce = idempotencyKey ?? randomBase62(secretLength)
  const scope = scopeOf('rotate', caller.tag, caller.selector, nonce)
  const since = new Date(now.getTime() - repeatableForMs)
  return {
    now,
    secret: (selector: string) => deriveSecret(pepper, 'rotate', caller.key, nonce, selector),
    earlier: async (trx: AccountDatabase = db) =>
      idempotencyKey === undefined ? undefined : firstAnswer(trx, scope, '', since),
    remember: async (trx: AccountDatabase, answer: FirstAnswer) =>
      idempotencyKey === undefined ? undefined : rememberAnswer(trx, scope, '', answer, since),
  }
}

const repeatableForMs = 10 * 60 * 1000

async function replaceKey(
  context: AccountContext,
  { tag, selector }: Caller,
  request: ReturnType<typeof rotation>,
): Promise<FirstAnswer> {
  const earlier = await request.earlier()
  if (earlier !== undefined) return earlier
  const made = await changeAccount(context, tag, async (trx) => {
    const old = await trx
      .selectFrom('api_key')
      .selectAll()
      .where('tag', '=', tag)
      .where('selector', '=', selector)
      .executeTakeFirst()
    // The row of the account is locked: of two rotations at once the second finds the key revoked.
    if (old === undefined || old.revoked_at !== null) return request.earlier(trx)
    const answer = { tag, selector: randomBase62(selectorLength), at: request.now }
    const key = makeKey(
      { service: context.deployment.code, tag, selector: answer.selector },
      request.secret(answer.selector),
    )
    await revoke(trx, tag, selector, request.now)
    await trx
      .insertInto('api_key')
      .values({
        tag,
        selector: answer.selector,
        digest: digestKey(key, context.pepper),
        name: old.name,
        created_at: request.now,
        expires_at: old.expires_at,
      })
      .execute()
    await request.remember(trx, answer)
    return answer
  })
  if (made === undefined) throw alreadyRevoked(context)
  return made
}

function alreadyRevoked({ deployment }: AccountContext): HttpError {
  return unauthorized(
    deployment,
    accountProblems.revoked_api_key,
    'The API key was revoked by another rotation or deletion while this request was under way. Use the key that replaced it, or sign in and make a new one.',
  )
}
