import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { HttpError, httpProblems } from './errors.ts'
import { bodyTooLarge, notUtf8Json } from './problems.ts'
import { isWholeBody, parseWholeBody } from './whole-body.ts'

/**
 * Parses JSON bodies of at most 64 KiB in UTF-8; refuses other media types. A body that is there already, as most are
 * when the meter has answered, is parsed as it stands; Express's parser, which reads streams, takes all others.
 */
export function json(): RequestHandler {
  // Not strict: a number is JSON, and the schema of the endpoint says better than a parser that it is no object.
  const parse: RequestHandler = express.json({ limit: bodyLimitBytes, type: isJson, strict: false })
  return (req, res, next) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = req.headers
    if ((length === undefined || length === '0') && encoding === undefined) {
      next()
    } else if (isWholeBody(req, bodyLimitBytes)) {
      req.body = parseWholeBody(req)
      next()
    } else if (Number(length) > bodyLimitBytes) {
      throw bodyTooLarge()
    } else if (!isJson(req)) {
      throw notJson()
    } else if (!isUtf8(req)) {
      throw notUtf8Json()
    } else {
      parseUpToLimit(parse, req, res, next)
    }
  }
}

/**
 * Express's parser reads a body that is too large to its end before it says so. Here the answer comes as soon as the
 * limit is passed, and Node reads over what still arrives.
 */
function parseUpToLimit(parse: RequestHandler, req: Request, res: Response, next: NextFunction): void {
  let [bytes, isOver] = [0, false]
  function finish(error?: unknown): void {
    if (isOver) return
    isOver = true
    req.off('data', count)
    next(error)
  }
  function count(chunk: Buffer): void {
    bytes += chunk.length
    if (bytes > bodyLimitBytes) finish(bodyTooLarge())
  }
  // The parser begins to read within this call, so that neither misses a part.
  req.on('data', count)
  void parse(req, res, finish)
}

const bodyLimitBytes = 64 * 1024

function isJson(req: HasContentType): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(req.headers['content-type'] ?? '')
}

/** JSON is UTF-8 (RFC 8259 §8.1), said or unsaid. */
function isUtf8(req: HasContentType): boolean {
  const [, charset = 'utf-8'] =
    /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(req.headers['content-type'] ?? '') ?? []
  return charset.toLowerCase() === 'utf-8'
}

type HasContentType = { readonly headers: { readonly 'content-type'?: string | undefined } }

function notJson(): HttpError {
  return new HttpError(
    httpProblems.unsupported_media_type,
    'The body must be JSON: send it with the header `Content-Type: application/json`.',
    { headers: ['Accept', 'application/json'] },
  )
}
