import type { Request, Response } from 'express'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { entityTag, isNamed } from './entity-tag.ts'
import { send } from './http.ts'

/** A text that changes only with a release, ready to be sent: hashed and packed once. */
export type StaticText = {
  readonly text: string
  readonly etag: string
  readonly packed: () => Promise<Buffer>
}

/** Prepares a text; it is packed when it is first asked for that way. */
export function staticText(text: string): StaticText {
  return { text, etag: entityTag(text), packed: once(() => promisify(gzip)(text)) }
}

/** Sends it with its ETag, 304 where the client has it, gzip where the client prefers it. */
export async function sendStatic(
  req: Request,
  res: Response,
  type: string,
  { text, etag, packed }: StaticText,
  headers: readonly string[] = [],
): Promise<void> {
  const isPacked = req.acceptsEncodings('gzip', 'identity') === 'gzip'
  // A strong tag stands for bytes, which are others when they are packed (RFC 9110 §8.8.3.3).
  const tag = isPacked ? packedTag(etag) : etag
  const common = ['ETag', tag, 'Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding', ...headers]
  if (isNamed(tag, req.headers['if-none-match'])) return send(res, 304, undefined, common)
  if (!isPacked) return send(res, 200, text, ['Content-Type', type, ...common])
  return send(res, 200, await packed(), ['Content-Type', type, 'Content-Encoding', 'gzip', ...common])
}

function packedTag(etag: string): string {
  return etag.replace(/"$/, '-gzip"')
}

/** A function that does its work at the first call and gives the same promise to all others. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined
  return () => (value ??= load())
}
