import { entityTag, isNamed } from '@hearth/chassis/entity-tag'
import { send } from '@hearth/chassis/http'
import type { Request, Response } from 'express'

/**
 * Answers with a body and its ETag; a client that shows the ETag of what it has gets 304, which costs no quota.
 *
 * @param content what makes two answers the same, whatever their time stamps
 * @param headers of the answer with the body (flat list of names and values)
 */
export function sendTagged(
  req: Request,
  res: Response,
  content: string,
  body: unknown,
  headers: readonly string[] = [],
): Promise<void> | undefined {
  // Weak: the time in `meta` differs from answer to answer.
  const etag = `W/${entityTag(content)}`
  const common = ['ETag', etag, 'Cache-Control', 'private, no-cache', 'Vary', 'X-API-Key']
  if (isNamed(etag, req.headers['if-none-match'])) return send(res, 304, undefined, common)
  return send(res, 200, body, [...common, ...headers])
}
