import type { Request } from 'express'
import { malformedJson } from './problems.ts'

/**
 * Whether all of a JSON body has arrived, in the plainest form there is: as nearly all bodies have when the meter has
 * answered. Such a body needs no stream to be read.
 *
 * @param limit bytes
 */
export function isWholeBody(req: Request, limit: number): boolean {
  const { 'content-length': length, 'content-type': type = '', 'content-encoding': encoding } = req.headers
  return (
    req.complete &&
    Number(length) === req.readableLength &&
    req.readableLength <= limit &&
    encoding === undefined &&
    (type === 'application/json' || /^application\/json(?:; ?charset=utf-8)?$/i.test(type))
  )
}

/**
 * The JSON value that a whole body holds.
 *
 * @throws HttpError malformed_json, as for what Express's own parser refuses
 */
export function parseWholeBody(req: Request): unknown {
  const bytes = req.read() as Buffer // a whole body is not empty
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw malformedJson()
  }
}

/** Passes over a byte order mark and puts U+FFFD for what is not UTF-8, as Express's parser does. */
const utf8 = new TextDecoder()
