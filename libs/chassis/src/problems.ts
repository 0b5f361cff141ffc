import { isUnavailable } from './database.ts'
import { HttpError, httpProblems, unavailable, type ProblemKind } from './errors.ts'
import { isError } from './system-error.ts'

/** The body of a problem answer (RFC 9457). */
export function problemBody(
  options: { readonly publicUrl: string; readonly problemMembers?: Readonly<Record<string, unknown>> },
  kind: ProblemKind,
  detail: string,
  rest: { readonly instance?: string; readonly requestId: string; readonly members?: object },
): Record<string, unknown> {
  return {
    ...options.problemMembers,
    type: `${options.publicUrl}/errors/${kind.code}`,
    title: kind.title,
    status: kind.status,
    detail,
    instance: rest.instance,
    code: kind.code,
    requestId: rest.requestId,
    ...rest.members,
  }
}

/** Whatever was thrown, as an answer: what is not known is a bug, and its answer says nothing of it. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  if (isUnavailable(error)) {
    return unavailable('A database the service depends on did not answer in time.', error)
  }
  return expressProblem(error) ?? new HttpError(httpProblems.internal_error, internalDetail, { cause: error })
}

const internalDetail =
  'The request could not be completed because of a fault on our side. It was logged under this request id and cost no quota.'

/** Errors of Express's body parser and path decoder, by their documented `type` and `status`. */
function expressProblem(error: unknown): HttpError | undefined {
  if (!isError(error) || !('status' in error) || typeof error.status !== 'number') return undefined
  if (error.status < 400 || error.status >= 500) return undefined
  const type = 'type' in error && typeof error.type === 'string' ? error.type : ''
  const problem = bodyProblems[type]
  if (problem !== undefined) return problem()
  return type === '' && error.message.startsWith('Failed to decode param')
    ? new HttpError(
        httpProblems.validation_failed,
        'The path has a percent sign that starts no valid escape.',
      )
    : new HttpError(
        httpProblems.malformed_json,
        'The body could not be read. Send one JSON object, in UTF-8.',
      )
}

/** The answer to a body that cannot be parsed. */
export function malformedJson(): HttpError {
  return new HttpError(
    httpProblems.malformed_json,
    'The body is not valid JSON. Send one JSON object, in UTF-8.',
  )
}

/** The answer to a body over the limit. */
export function bodyTooLarge(): HttpError {
  return new HttpError(
    httpProblems.body_too_large,
    'The body is larger than 64 KiB (65,536 bytes). Send less.',
  )
}

/** The answer to a body in a charset or compression that we do not read. */
export function notUtf8Json(): HttpError {
  return new HttpError(
    httpProblems.unsupported_media_type,
    'The body must be UTF-8 JSON, uncompressed or compressed with gzip, deflate, br or zstd.',
    { headers: ['Accept', 'application/json'] },
  )
}

const bodyProblems: Readonly<Record<string, () => HttpError>> = {
  'entity.parse.failed': malformedJson,
  'entity.too.large': bodyTooLarge,
  'charset.unsupported': notUtf8Json,
  'encoding.unsupported': notUtf8Json,
}
