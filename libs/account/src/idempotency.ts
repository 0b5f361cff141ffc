import { createHash, createHmac } from 'node:crypto'
import { HttpError } from '@hearth/chassis/errors'
import { sql } from 'kysely'
import type { AccountDatabase } from './database.ts'
import { accountProblems } from './problems.ts'

/** What was answered to the first request with an Idempotency-Key. */
export type FirstAnswer = { readonly tag: string; readonly selector: string; readonly at: Date }

/** Where the answer to a request is remembered: a digest of the route and the Idempotency-Key. */
export function scopeOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

/** What makes two requests the same: a keyed digest of their content, which may hold a password. */
export function fingerprintOfRequest(pepper: string, content: unknown): string {
  return createHmac('sha256', pepper).update(JSON.stringify(content)).digest('base64url')
}

/**
 * The first answer, when there is one that is not too old.
 *
 * @throws HttpError idempotency_conflict when the first request had other content
 */
export async function firstAnswer(
  db: AccountDatabase,
  scope: string,
  fingerprint: string,
  since: Date,
): Promise<FirstAnswer | undefined> {
  const row = await db
    .selectFrom('idempotency')
    .selectAll()
    .where('scope', '=', scope)
    .where('created_at', '>', since)
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.fingerprint !== fingerprint) throw conflict()
  return { tag: row.tag, selector: row.selector, at: row.created_at }
}

/** Remembers an answer; call it in the transaction that makes what is answered. A stale one is replaced. */
export async function rememberAnswer(
  db: AccountDatabase,
  scope: string,
  fingerprint: string,
  answer: FirstAnswer,
  since: Date,
): Promise<void> {
  const row = { scope, fingerprint, tag: answer.tag, selector: answer.selector, created_at: answer.at }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('idempotency')
    .values(row)
    .onConflict((where) =>
      where.column('scope').doUpdateSet(row).where('idempotency.created_at', '<=', since),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw conflict()
}

/** Deletes answers that are too old to be given again, by the clock of the database. */
export async function forgetAnswers(db: AccountDatabase): Promise<void> {
  await sql`delete from idempotency where created_at < now() - interval '2 days'`.execute(db)
}

function conflict(): HttpError {
  return new HttpError(
    accountProblems.idempotency_conflict,
    'This Idempotency-Key was already used for a request with other content, or the first request with it is still under way. Use a new random value for a new request; repeat the first one unchanged after a second.',
    { headers: ['Retry-After', '1'] },
  )
}
