import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { send } from '@hearth/chassis/http'
import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import { callerOf } from './caller.ts'
import { changeAccount, type AccountContext } from './context.ts'
import { accountGone } from './credentials.ts'
import { instant, newPasswordField } from './fields.ts'
import { planOf } from './plans.ts'
import { passwordProblem } from './passwords.ts'

/** GET /v1/account */
export function getAccount(context: AccountContext): Endpoint {
  const { envelope, plans, db, clock } = context
  return endpoint(
    {
      id: 'getAccount',
      summary: 'The account and its plan',
      tag: 'Account',
      access: 'account' as const,
      responses: {
        200: {
          description: 'The account.',
          schema: envelope.schema(
            record({
              id: Joi.string(),
              name: Joi.string(),
              email: Joi.string(),
              plan: Joi.string().valid(...Object.keys(plans)),
              features: Joi.array().items(Joi.string()),
              createdAt: instant,
            }),
          ),
        },
      },
    },
    async (_input, _req, res) => {
      const { tag } = callerOf(res)
      const account = await db.selectFrom('account').selectAll().where('tag', '=', tag).executeTakeFirst()
      if (account === undefined) throw accountGone(context.deployment)
      const { name, email, created_at: createdAt } = account
      const plan = Object.hasOwn(plans, account.plan) ? account.plan : 'free'
      const { features } = planOf(plans, plan)
      await send(
        res,
        200,
        envelope.wrap({ id: `acc_${tag}`, name, email, plan, features, createdAt }, new Date(clock())),
      )
    },
  )
}

/** PUT /v1/account/password */
export function changePassword(context: AccountContext): Endpoint {
  const { envelope, passwords, sessions, clock } = context
  return endpoint(describeChangePassword(context), async ({ body }, _req, res) => {
    const { tag } = callerOf(res)
    const owner = await context.db.selectFrom('account').selectAll().where('tag', '=', tag).executeTakeFirst()
    if (owner !== undefined) refuseWeak(body.password, owner)
    const password_hash = await passwords.hash(body.password)
    const version = await changeAccount(context, tag, async (trx, account) => {
      const session_version = account.session_version + 1
      await trx
        .updateTable('account')
        .set({ password_hash, session_version })
        .where('tag', '=', tag)
        .execute()
      return session_version
    })
    if (version === undefined) throw accountGone(context.deployment)
    const { token, expiresAt } = sessions.issue({ tag, version })
    const data = { changed: true, token, expiresAt: expiresAt.toISOString() }
    await send(res, 200, envelope.wrap(data, new Date(clock())))
  })
}

function describeChangePassword({ envelope }: AccountContext) {
  return {
    id: 'changePassword',
    summary: 'Change the password',
    description:
      'Ends all sessions and opens a new one. Keys go on working; rotate them when they may have leaked.',
    tag: 'Account',
    access: 'session' as const,
    body: Joi.object<{ password: string }>({
      password: newPasswordField
        .required()
        .description('The new password: 8 to 256 characters, not a common one.'),
    }),
    responses: {
      200: {
        description: 'The password is changed; the token of a new session.',
        schema: envelope.schema(record({ changed: Joi.boolean(), token: Joi.string(), expiresAt: instant })),
      },
    },
    examples: [{ name: 'new password', status: 200, body: { password: 'another long password' } }],
  }
}

/** DELETE /v1/account */
export function deleteAccount(context: AccountContext): Endpoint {
  const { envelope, clock } = context
  return endpoint(
    {
      id: 'deleteAccount',
      summary: 'Delete the account',
      description:
        'Deletes the account with its keys, its usage and all that was saved under it. This cannot be undone.',
      tag: 'Account',
      access: 'session' as const,
      responses: {
        200: {
          description: 'The account is deleted.',
          schema: envelope.schema(record({ id: Joi.string(), deleted: Joi.boolean() })),
        },
      },
    },
    async (_input, _req, res) => {
      const { tag } = callerOf(res)
      const deleted = await changeAccount(context, tag, async (trx) => {
        await trx.deleteFrom('account').where('tag', '=', tag).execute()
        return true
      })
      if (deleted === undefined) throw accountGone(context.deployment)
      await send(res, 200, envelope.wrap({ id: `acc_${tag}`, deleted: true }, new Date(clock())))
    },
  )
}

function refuseWeak(
  password: string,
  { email, name }: { readonly email: string; readonly name: string },
): void {
  const detail = passwordProblem(password, email, name)
  if (detail !== undefined) throw invalid([{ pointer: '/password', code: 'weak_password', detail }])
}
