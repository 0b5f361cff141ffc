import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { HttpError } from '@hearth/chassis/errors'
import { send } from '@hearth/chassis/http'
import type { Request, Response } from 'express'
import Joi from 'joi'
import { addressBucket } from './address-limits.ts'
import { peekAttempts, returnAttempt, takeAttempt, type AttemptLimit } from './attempts.ts'
import { needsRehash } from './argon2-hasher.ts'
import type { AccountContext } from './context.ts'
import { emailField, instant, normaliseEmail, passwordField } from './fields.ts'
import { scopeOf } from './idempotency.ts'
import { rateLimited } from './limits.ts'
import { accountProblems } from './problems.ts'

/** POST /v1/account/sessions */
export function signIn(context: AccountContext): Endpoint {
  const { envelope, sessions, passwords } = context
  return endpoint(describeSignIn(context), async ({ body }, req, res) => {
    const now = new Date(context.clock())
    const account = await passwords.ifRoom(() => withinLimits(context, body, req, res))
    if (account === undefined) throw wrongPassword(context)
    const { token, expiresAt } = sessions.issue({ tag: account.tag, version: account.session_version })
    await send(res, 201, envelope.wrap({ token, expiresAt: expiresAt.toISOString() }, now))
  })
}

/** Checks a password and counts it per address while it is not known to be right; undefined when it is wrong. */
async function withinLimits(
  context: AccountContext,
  { email, password }: { readonly email: string; readonly password: string },
  req: Request,
  res: Response,
) {
  const { db, signInLimit } = context
  const address = addressBucket(req.ip ?? '')
  const { allowed, ...shown } = await takeAttempt(db, signInLimit, address, context.at())
  if (!allowed) throw rateLimited(shown, 'Too many sign-ins failed from this address.', res)
  res.locals.shown = shown
  if (shown.window.remaining < signInLimit.limit - 1) await refuseGuessing(context, email, res)
  const account = await checkPassword(context, email, password).catch(async (error: unknown) => {
    // Nobody has looked at the password: the attempt does not count.
    await returnAttempt(db, signInLimit, address).catch(() => undefined)
    throw error
  })
  if (account === undefined) await takeAttempt(db, guessLimit, guessesOf(email), context.at())
  else await returnAttempt(db, signInLimit, address)
  return account
}

function describeSignIn({ envelope }: AccountContext) {
  return {
    id: 'signIn',
    summary: 'Sign in: a token for the account endpoints',
    description:
      'For when a key is lost: the token opens the account endpoints for 15 minutes, on every deployment as `Authorization: Bearer TOKEN`.',
    tag: 'Account',
    access: 'public' as const,
    body: Joi.object<{ email: string; password: string }>({
      email: emailField.required().description('E-mail address of the account.'),
      password: passwordField.required().description('Password of the account.'),
    }),
    responses: {
      201: {
        description: 'A session.',
        schema: envelope.schema(
          record({ token: Joi.string().description('JSON Web Token.'), expiresAt: instant }),
        ),
      },
    },
    problems: [accountProblems.invalid_credentials],
    examples: [
      {
        name: 'sign-in',
        status: 201,
        body: { email: 'ann@example.com', password: 'a long password of mine' },
      },
    ],
  }
}

/** Wrong passwords for one e-mail address, whether or not it has an account, from all network addresses together. */
const guessLimit: AttemptLimit = { name: 'sign-in-email', limit: 100, seconds: 3600 }

function guessesOf(email: string): string {
  return scopeOf('sign-in', normaliseEmail(email))
}

/**
 * Many network addresses that guess one password together get one attempt each per window of their own. The owner,
 * whose first attempt is right, is not locked out by them.
 *
 * @throws HttpError rate_limited
 */
async function refuseGuessing(context: AccountContext, email: string, res: Response): Promise<void> {
  const shown = await peekAttempts(context.db, guessLimit, guessesOf(email), context.at())
  if (shown.window.remaining > 0) return
  throw rateLimited(shown, 'Too many sign-ins failed for this e-mail address.', res)
}

/** The account with this address and password; the same work is done whether or not there is one. */
async function checkPassword({ db, passwords }: AccountContext, email: string, password: string) {
  const account = await db
    .selectFrom('account')
    .select(['tag', 'session_version', 'password_hash'])
    .where('email_normalised', '=', normaliseEmail(email))
    .executeTakeFirst()
  if (!(await passwords.verify(account?.password_hash, password)) || account === undefined) return undefined
  if (needsRehash(account.password_hash)) {
    const password_hash = await passwords.hash(password)
    // Hashing takes a while: a password that was changed meanwhile stays changed.
    await db
      .updateTable('account')
      .set({ password_hash })
      .where('tag', '=', account.tag)
      .where('password_hash', '=', account.password_hash)
      .execute()
  }
  return account
}

function wrongPassword({ deployment }: AccountContext): HttpError {
  return new HttpError(
    accountProblems.invalid_credentials,
    'There is no account with this e-mail address and password on this deployment.',
    { headers: ['WWW-Authenticate', `Bearer realm="${deployment.name}"`] },
  )
}
