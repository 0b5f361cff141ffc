import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import type { HttpError } from '@hearth/chassis/errors'
import { send } from '@hearth/chassis/http'
import Joi from 'joi'
import { callerOf, type Caller } from './caller.ts'
import { changeAccount, sharedNow, type AccountContext } from './context.ts'
import { accountGone, badKey, unauthorized } from './credentials.ts'
import type { AccountDatabase } from './database.ts'
import { idempotencyHeaders, newKeyFields } from './fields.ts'
import {
  fingerprintOfRequest,
  firstAnswer,
  rememberAnswer,
  scopeOf,
  type FirstAnswer,
} from './idempotency.ts'
import { freeSelector, insertKey, revoke } from './key-rows.ts'
import { deriveSecret, digestKey, keyId, keyPrefix, makeKey, randomBase62, secretLength } from './keys.ts'
import { accountProblems } from './problems.ts'

/** POST /v1/account/keys/rotate */
export function rotateKey(context: AccountContext): Endpoint {
  const { deployment, envelope } = context
  return endpoint(describeRotateKey(context), async ({ headers }, _req, res) => {
    const caller = callerOf(res)
    const request = await rotation(context, caller, headers['idempotency-key'])
    const earlier = await earlierAnswer(context, caller, request)
    // Without a standing the key was revoked before the request came: nothing but its first answer can be had.
    if (earlier === undefined && res.locals.standing === undefined) throw badKey(deployment, 'revoked')
    const made = earlier ?? (await replaceKey(context, caller, request))
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
        headers: ['Location'] as const,
      },
    },
    problems: [accountProblems.idempotency_conflict],
  }
}

/** A rotation that gives the same new key again to who shows the old key and the same Idempotency-Key. */
async function rotation(context: AccountContext, caller: Caller, idempotencyKey?: string) {
  const { pepper, db } = context
  const now = await sharedNow(context)
  const nonce = idempotencyKey ?? randomBase62(secretLength)
  const scope = scopeOf('rotate', caller.tag, caller.selector, nonce)
  // Under another pepper another key would follow: the repeated request is then another one.
  const fingerprint = fingerprintOfRequest(pepper, 'rotate')
  const since = new Date(now.getTime() - repeatableForMs)
  return {
    now,
    secret: (selector: string) => deriveSecret(pepper, 'rotate', caller.key, nonce, selector),
    earlier: async (trx: AccountDatabase = db) =>
      idempotencyKey === undefined ? undefined : firstAnswer(trx, scope, fingerprint, since),
    remember: async (trx: AccountDatabase, answer: FirstAnswer) =>
      idempotencyKey === undefined ? undefined : rememberAnswer(trx, scope, fingerprint, answer, since),
  }
}

type Rotation = Awaited<ReturnType<typeof rotation>>

const repeatableForMs = 10 * 60 * 1000

/** The first answer to a request that is repeated, once every instance knows of what it tells. */
async function earlierAnswer(
  { outbox }: AccountContext,
  { tag }: Caller,
  request: Rotation,
): Promise<FirstAnswer | undefined> {
  const earlier = await request.earlier()
  if (earlier !== undefined) await outbox.deliver(tag)
  return earlier
}

async function replaceKey(context: AccountContext, caller: Caller, request: Rotation): Promise<FirstAnswer> {
  const { tag, selector } = caller
  const made = await changeAccount(context, tag, async (trx) => {
    const old = await trx
      .selectFrom('api_key')
      .selectAll()
      .where('tag', '=', tag)
      .where('selector', '=', selector)
      .executeTakeFirst()
    // The row of the account is locked: of two rotations at once the second finds the key revoked.
    if (old === undefined || old.revoked_at !== null) {
      const first = await request.earlier(trx)
      if (first === undefined) throw alreadyRevoked(context)
      return first
    }
    await revoke(trx, tag, selector, request.now)
    return insertSuccessor(context, trx, request, old)
  })
  if (made === undefined) throw accountGone(context.deployment)
  return made
}

async function insertSuccessor(
  { deployment, pepper }: AccountContext,
  trx: AccountDatabase,
  request: Rotation,
  {
    tag,
    name,
    expires_at,
  }: { readonly tag: string; readonly name: string; readonly expires_at: Date | null },
): Promise<FirstAnswer> {
  const { now } = request
  const selector = await freeSelector(trx, tag)
  const key = makeKey({ service: deployment.code, tag, selector }, request.secret(selector))
  await insertKey(
    trx,
    { tag, selector, digest: digestKey(key, pepper), name, created_at: now, expires_at },
    now,
  )
  const answer = { tag, selector, at: now }
  await request.remember(trx, answer)
  return answer
}

function alreadyRevoked({ deployment }: AccountContext): HttpError {
  return unauthorized(
    deployment,
    accountProblems.revoked_api_key,
    'The API key was revoked by another rotation or deletion while this request was under way. Use the key that replaced it, or sign in and make a new one.',
  )
}
