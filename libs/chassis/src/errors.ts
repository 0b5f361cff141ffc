/**
 * What can go wrong, as data. A problem kind is one row of the closed list of error codes: its HTTP status, its
 * title (RFC 9457: constant per type) and the text of its page under /errors/{code}.
 */
export type ProblemKind = {
  readonly code: string
  readonly status: number
  readonly title: string
  /** What it means and what the caller can do about it, in whole sentences. */
  readonly meaning: string
}

/** One field at fault. Exactly one of `pointer` (JSON Pointer into the body), `parameter` and `header` is given. */
export type FieldProblem = {
  readonly pointer?: string
  readonly parameter?: string
  readonly header?: string
  readonly code: string
  readonly detail: string
}

/**
 * An answer that is not a success. Handlers throw it; the error mapper of http.ts turns it into
 * application/problem+json.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly kind: ProblemKind
  readonly errors: readonly FieldProblem[]
  readonly headers: readonly string[]
  readonly members: Readonly<Record<string, unknown>>

  /**
   * @param kind a row of the closed list of codes
   * @param detail one or more whole sentences: what was wrong, what was expected, what to do
   * @param extra the fields at fault, further headers (flat list of names and values), further members of the body
   */
  constructor(kind: ProblemKind, detail: string, extra: HttpErrorExtra = {}) {
    super(detail, { cause: extra.cause })
    this.kind = kind
    this.errors = extra.errors ?? []
    this.headers = extra.headers ?? []
    this.members = extra.members ?? {}
  }
}

/** Builds a list of problem kinds from rows keyed by code. */
export function problemKinds<Code extends string>(
  rows: Readonly<Record<Code, readonly [status: number, title: string, meaning: string]>>,
): Readonly<Record<Code, ProblemKind>> {
  const entries = Object.entries(rows) as [Code, readonly [number, string, string]][]
  const kinds = entries.map(([code, [status, title, meaning]]) => [
    code,
    Object.freeze({ code, status, title, meaning }),
  ])
  return Object.freeze(Object.fromEntries(kinds)) as Readonly<Record<Code, ProblemKind>> // the keys of `rows`
}

/** The problems any of our HTTP services can have. */
export const httpProblems = problemKinds({
  malformed_json: [
    400,
    'The request body is not valid JSON',
    'The body could not be parsed as JSON. Check quotes, commas and braces, and send it as UTF-8.',
  ],
  validation_failed: [
    400,
    'The request is not valid',
    'A field of the body, the path or the query is missing, unknown, or outside its range. The member `errors` names every field at fault; the API description lists what each field accepts.',
  ],
  not_found: [
    404,
    'There is nothing at this address',
    'The path is not one of the service. The API description lists every path.',
  ],
  method_not_allowed: [
    405,
    'The method is not allowed here',
    'The path exists, but not with this method. The header `Allow` lists the methods that it has.',
  ],
  request_timeout: [
    408,
    'The request took too long to arrive',
    'The headers or the body were not complete in time. Send the request again over a new connection.',
  ],
  body_too_large: [
    413,
    'The request body is too large',
    'A body may have at most 64 KiB, counted after decompression.',
  ],
  unsupported_media_type: [
    415,
    'The media type is not supported',
    'Bodies are JSON: send `Content-Type: application/json`, UTF-8, without compression or with gzip, deflate, br or zstd.',
  ],
  malformed_request: [
    400,
    'The request is not valid HTTP',
    'The request could not be parsed as HTTP/1.1. Look for bad header names, a wrong Content-Length, or a proxy that changes the request.',
  ],
  headers_too_large: [
    431,
    'The request headers are too large',
    'The request line and the headers together may have at most 8 KiB.',
  ],
  internal_error: [
    500,
    'Something went wrong on our side',
    'This is a bug. It is logged under the request id; the request cost no quota and can be sent again.',
  ],
  temporarily_unavailable: [
    503,
    'The service is temporarily unavailable',
    'Something the service depends on is away, or a queue is full. Nothing was charged. Wait for the time in `Retry-After` and send the request again.',
  ],
})

/** 503 with Retry-After; `what` says in one sentence what is away. */
export function unavailable(what: string, cause?: unknown): HttpError {
  return new HttpError(
    httpProblems.temporarily_unavailable,
    `${what} Nothing was charged; send the request again after the time in Retry-After.`,
    { headers: ['Retry-After', '5'], cause, members: { retryable: true } },
  )
}

type HttpErrorExtra = {
  readonly errors?: readonly FieldProblem[]
  readonly headers?: readonly string[]
  readonly members?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}
