/** A header of answers, as /openapi.json shows it. */
export type HeaderDescription = {
  readonly description: string
  /** Whether every answer that is described with it has it. */
  readonly required: boolean
  readonly schema: object
}

const text = { type: 'string' }

/** The headers that only some answers have. An answer that has one is described with it. */
export const answerHeaders = {
  Accept: { description: 'The media type that bodies must have.', required: true, schema: text },
  Allow: { description: 'The methods that the path has.', required: true, schema: text },
  'Content-Disposition': {
    description: 'The name of the file, for programs that save it.',
    required: true,
    schema: text,
  },
  ETag: {
    description:
      'Names this answer: sent back as `If-None-Match`, it gives 304 as long as nothing has changed.',
    required: true,
    schema: text,
  },
  Link: {
    description: 'The next page, as `<URL>; rel="next"`; the last page has none.',
    required: false,
    schema: text,
  },
  Location: { description: 'Where what was made can be read.', required: true, schema: text },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 9110): the scheme, and of a token that is not valid, `error`.',
    required: true,
    schema: text,
  },
} as const satisfies Readonly<Record<string, HeaderDescription>>

/** Name of a header that only some answers have. */
export type AnswerHeader = keyof typeof answerHeaders

/** The headers that follow from the status of a problem. */
export const headersOfStatus: Readonly<Record<number, readonly AnswerHeader[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  415: ['Accept'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}
