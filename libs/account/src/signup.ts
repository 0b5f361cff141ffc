import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { HttpError, httpProblems } from '@hearth/chassis/errors'
import { send } from '@hearth/chassis/http'
import { invalid } from '@hearth/chassis/validate'
import type { Request, Response } from 'express'
import Joi from 'joi'
import { addressBucket } from './address-limits.ts'
import { returnAttempt, takeAttempt } from './attempts.ts'
import { sharedNow, type AccountContext } from './context.ts'
import type { AccountDatabase } from './database.ts'
import {
  emailField,
  idempotencyHeaders,
  nameField,
  newKeyFields,
  normaliseEmail,
  newPasswordField,
} from './fields.ts'
import {
  fingerprintOfRequest,
  firstAnswer,
  rememberAnswer,
  scopeOf,
  type FirstAnswer,
} from './idempotency.ts'
import {
  deriveSecret,
  digestKey,
  keyPrefix,
  makeKey,
  randomBase62,
  secretLength,
  selectorLength,
  tagLength,
} from './keys.ts'
import { rateLimited } from './limits.ts'
import { passwordProblem } from './passwords.ts'
import { accountProblems } from './problems.ts'

/** POST /v1/signup */
export function signup(context: AccountContext): Endpoint {
  const { envelope } = context
  return endpoint(describeSignup(context), async ({ body, headers }, req, res) => {
    const problem = passwordProblem(body.password, body.email, body.name)
    if (problem !== undefined) {
      throw invalid([{ pointer: '/password', code: 'weak_password', detail: problem }])
    }
    const request = signupRequest(context, body, headers['idempotency-key'])
    const made =
      (await request.earlier()) ??
      (await context.passwords.ifRoom(() =>
        withinLimit(context, req, res, () => createAccount(context, request)),
      ))
    const name = { service: context.deployment.code, tag: made.tag, selector: made.selector }
    const data = {
      message: 'Account created. Store the key now: it is not shown again.',
      apiKeyPrefix: keyPrefix(name),
      apiKey: makeKey(name, request.secret(made)),
    }
    await send(res, 201, envelope.wrap(data, made.at), ['Location', '/v1/account'])
  })
}

function describeSignup({ envelope }: AccountContext) {
  return {
    id: 'signUp',
    summary: 'Make an account and its first key',
    description:
      'The key is in this answer and never again. With an `Idempotency-Key` a lost answer can be had again for 24 hours by repeating the request.',
    tag: 'Account',
    access: 'public' as const,
    headers: idempotencyHeaders,
    body: Joi.object<SignupInput>({
      name: nameField(200).required().description('Your name or that of your application.'),
      email: emailField.required().description('E-mail address; one account per address.'),
      password: newPasswordField
        .required()
        .description('8 to 256 characters, not one of the common ones; 15 or more are better.'),
    }),
    responses: {
      201: {
        description: 'The account and its key.',
        schema: envelope.schema(record({ message: Joi.string(), ...newKeyFields })),
        headers: ['Location'] as const,
      },
    },
    problems: [
      accountProblems.email_taken,
      accountProblems.idempotency_conflict,
      httpProblems.validation_failed,
    ],
    examples: [
      {
        name: 'signup',
        status: 201,
        body: { name: 'Ann', email: 'ann@example.com', password: 'a long password of mine' },
      },
    ],
  }
}

type SignupInput = { readonly name: string; readonly email: string; readonly password: string }

/** A signup that gives the same key again when it is repeated with the same Idempotency-Key. */
function signupRequest(context: AccountContext, input: SignupInput, idempotencyKey?: string) {
  const { db, pepper } = context
  let asked: Promise<Date> | undefined
  /** Asked for when it is needed: who is told to come back later costs the database nothing. */
  const now = () => (asked ??= sharedNow(context))
  const since = async () => new Date((await now()).getTime() - repeatableForMs)
  const nonce = idempotencyKey ?? randomBase62(secretLength)
  const scope = scopeOf('signup', nonce)
  const { name, email, password } = input
  // In this order, whatever order the request has them in.
  const fingerprint = fingerprintOfRequest(pepper, { name, email, password })
  return {
    input,
    now,
    secret: ({ tag, selector }: FirstAnswer) =>
      deriveSecret(pepper, 'signup', nonce, password, tag, selector),
    earlier: async (trx: AccountDatabase = db) =>
      idempotencyKey === undefined ? undefined : firstAnswer(trx, scope, fingerprint, await since()),
    remember: async (trx: AccountDatabase, answer: FirstAnswer) =>
      idempotencyKey === undefined
        ? undefined
        : rememberAnswer(trx, scope, fingerprint, answer, await since()),
  }
}

type SignupRequest = ReturnType<typeof signupRequest>

const repeatableForMs = 24 * 3600 * 1000

/** Counts signups per address; those that fail for another reason than a taken e-mail address do not count. */
async function withinLimit<T>(
  context: AccountContext,
  req: Request,
  res: Response,
  run: () => Promise<T>,
): Promise<T> {
  const { db, signupLimit } = context
  const address = addressBucket(req.ip ?? '')
  const { allowed, ...shown } = await takeAttempt(db, signupLimit, address, context.at())
  if (!allowed) throw rateLimited(shown, 'Too many signups came from this address.', res)
  res.locals.shown = shown
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof HttpError && error.kind === accountProblems.email_taken)) {
      await returnAttempt(db, signupLimit, address).catch(() => undefined)
    }
    throw error
  }
}

/** The password is hashed before anybody looks whether the address is taken: both answers take the same time. */
async function createAccount(context: AccountContext, request: SignupRequest): Promise<FirstAnswer> {
  const { deployment, db, passwords, pepper } = context
  const { input } = request
  const now = await request.now()
  const made = { tag: randomBase62(tagLength), selector: randomBase62(selectorLength), at: now }
  const key = makeKey({ service: deployment.code, ...made }, request.secret(made))
  const passwordHash = await passwords.hash(input.password)
  return db.transaction().execute(async (trx) => {
    const inserted = await trx
      .insertInto('account')
      .values({
        tag: made.tag,
        name: input.name,
        email: input.email,
        email_normalised: normaliseEmail(input.email),
        password_hash: passwordHash,
        created_at: now,
      })
      .onConflict((conflict) => conflict.column('email_normalised').doNothing())
      .returning('tag')
      .executeTakeFirst()
    if (inserted === undefined) {
      // Of the same request twice at once, the second one waited here for the first one's account.
      const earlier = await request.earlier(trx)
      if (earlier === undefined) throw emailTaken()
      return earlier
    }
    const { tag, selector } = made
    await trx
      .insertInto('api_key')
      .values({ tag, selector, digest: digestKey(key, pepper), name: 'default', created_at: now })
      .execute()
    await request.remember(trx, made)
    return made
  })
}

function emailTaken(): HttpError {
  return new HttpError(
    accountProblems.email_taken,
    'There is already an account with this e-mail address. Sign in at POST /v1/account/sessions to make a new key for it.',
  )
}
