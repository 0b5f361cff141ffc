import type { Request } from 'express'
import { HttpError } from '@hearth/chassis/errors'
import { parseKey, serviceCodes, type KeyName, type ServiceCode } from './keys.ts'
import { accountProblems } from './problems.ts'

/** How a deployment wants its keys. */
export type KeyHeader = 'X-API-Key' | 'Authorization'

/** What a deployment is called and how it is spoken to. */
export type Deployment = {
  /** Name in sentences and realms, such as `solar`. */
  readonly name: string
  readonly code: ServiceCode
  readonly keyHeader: KeyHeader
}

/** What a request shows of its caller. */
export type Credentials =
  | { readonly kind: 'key'; readonly text: string; readonly session?: string }
  | { readonly kind: 'session'; readonly token: string }

/**
 * Finds the one credential of a request, without any look-up.
 *
 * @throws HttpError missing_api_key, ambiguous_credentials
 */
export function readCredentials(deployment: Deployment, req: Request): Credentials {
  const { own, misplaced, session } = findTexts(deployment, req)
  const inQuery = keysInQuery(req)
  const found = own.length + misplaced.length + inQuery.length
  if (found > 1 && new Set([...own, ...misplaced, ...inQuery]).size > 1) {
    throw new HttpError(
      accountProblems.ambiguous_credentials,
      `The request carries two different keys. Send one key, in the header ${deployment.keyHeader}.`,
    )
  }
  const [text] = own
  if (text !== undefined && inQuery.length === 0) {
    return session === undefined ? { kind: 'key', text } : { kind: 'key', text, session }
  }
  if (session !== undefined && misplaced.length + inQuery.length === 0)
    return { kind: 'session', token: session }
  const why = whyMissing(deployment, req, misplaced.length > 0)
  throw unauthorized(deployment, accountProblems.missing_api_key, why)
}

/** What stands in the header of this deployment, what looks like a key in the other header, and a session token. */
function findTexts({ keyHeader }: Deployment, req: Request) {
  const inKeyHeader = valuesOf(req.headers['x-api-key'])
  const bearers = bearersOf(req)
  const session = bearers.find((text) => text.includes('.'))
  const inBearer = bearers.filter((text) => text !== session)
  return keyHeader === 'X-API-Key'
    ? { own: inKeyHeader, misplaced: inBearer.filter(looksLikeKey), session }
    : { own: inBearer, misplaced: inKeyHeader.filter(looksLikeKey), session }
}

/** What looks like a key in the query string, where none may be, not even one that is in its header too. */
function keysInQuery({ originalUrl }: Request): readonly string[] {
  const start = originalUrl.indexOf('?')
  return start < 0 ? [] : (originalUrl.slice(start).match(keyInText) ?? [])
}

const keyInText = new RegExp(`(?:${serviceCodes.join('|')})_live_\\w+`, 'g')

/** What a key says of itself. @throws HttpError malformed_api_key, invalid_api_key (another deployment's) */
export function readName(deployment: Deployment, text: string): KeyName {
  const name = parseKey(text)
  if (name === undefined) {
    throw unauthorized(
      deployment,
      accountProblems.malformed_api_key,
      'The API key is malformed: a key has 61 characters and a checksum that did not fit. Copy it again, whole, without spaces or quotes.',
    )
  }
  if (name.service !== deployment.code) {
    throw unauthorized(
      deployment,
      accountProblems.invalid_api_key,
      `This is a key of another deployment; the ${deployment.name} deployment has accounts and keys of its own. Sign up at POST /v1/signup.`,
    )
  }
  return name
}

/** A 401 with the challenge that RFC 9110 asks for. */
export function unauthorized(
  deployment: Deployment,
  kind: (typeof accountProblems)[keyof typeof accountProblems],
  detail: string,
): HttpError {
  const scheme = deployment.keyHeader === 'Authorization' ? 'Bearer' : 'ApiKey'
  const error =
    scheme === 'Bearer' && kind !== accountProblems.missing_api_key ? ', error="invalid_token"' : ''
  return new HttpError(kind, detail, {
    headers: ['WWW-Authenticate', `${scheme} realm="${deployment.name}"${error}`],
  })
}

/** The 401 of a well-formed key that is not good. */
export function badKey(deployment: Deployment, why: keyof typeof badKeys): HttpError {
  const [kind, detail] = badKeys[why]
  return unauthorized(deployment, kind, detail)
}

const badKeys = {
  unknown: [
    accountProblems.invalid_api_key,
    'The API key is well formed but is not one of this service. Check that it is whole and of this deployment; a lost key is replaced by signing in.',
  ],
  revoked: [
    accountProblems.revoked_api_key,
    'The API key was revoked by rotation or deletion. Use the key that replaced it, or sign in and make a new one.',
  ],
  expired: [
    accountProblems.expired_api_key,
    'The API key has expired. Use another key, or sign in and make a new one.',
  ],
} as const

/** The 401 of endpoints that a session opens. */
export function sessionNeeded({ name }: Deployment, what: string): HttpError {
  return new HttpError(
    accountProblems.invalid_credentials,
    `${what}. Sign in at POST /v1/account/sessions and send the token as \`Authorization: Bearer TOKEN\`.`,
    { headers: ['WWW-Authenticate', `Bearer realm="${name}", error="invalid_token"`] },
  )
}

/** The 401 of a request whose account went away while it was under way. */
export function accountGone(deployment: Deployment): HttpError {
  return unauthorized(
    deployment,
    accountProblems.invalid_api_key,
    'The account was deleted while this request was under way.',
  )
}

function whyMissing({ keyHeader }: Deployment, req: Request, inOtherHeader: boolean): string {
  const how =
    keyHeader === 'X-API-Key' ? 'in the header `X-API-Key: KEY`' : 'in the header `Authorization: Bearer KEY`'
  if (inOtherHeader) {
    return `The key came in ${keyHeader === 'X-API-Key' ? 'Authorization' : 'X-API-Key'}; this deployment takes it ${how}.`
  }
  if (/[?&](?:api[-_]?key|key|token|access_token)=|_live_/i.test(req.originalUrl.slice(req.path.length))) {
    return `Keys in the query string are refused, because addresses end up in logs; send the key ${how}, and rotate the one that was sent.`
  }
  if (req.headers.authorization !== undefined && bearerToken(req.headers.authorization) === undefined) {
    return `The Authorization scheme is not one of this deployment; send the key ${how}.`
  }
  return `This request needs an API key ${how}. Sign up at POST /v1/signup to get one.`
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]
}

/** Of a second Authorization header Node shows nothing in `headers`. */
function bearersOf(req: Request): string[] {
  if (req.headers.authorization === undefined) return []
  const all = req.headersDistinct['authorization'] ?? []
  return all.flatMap((value) => valuesOf(bearerToken(value)))
}

/** A header that was sent twice arrives as one value, joined by commas. */
function valuesOf(value: string | string[] | undefined): string[] {
  if (value === undefined) return []
  const text = String(value)
  const texts = text.includes(',') ? new Set(text.split(',').map((one) => one.trim())) : [text.trim()]
  return [...texts].filter((one) => one !== '')
}

function looksLikeKey(text: string): boolean {
  return serviceCodes.some((code) => text.startsWith(`${code}_`))
}
