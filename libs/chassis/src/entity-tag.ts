import { createHash } from 'node:crypto'

/**
 * A strong ETag: answers with the same tag are equal byte for byte. A weak one has `W/` in front.
 * @param parts what the bytes follow from
 */
export function entityTag(...parts: readonly string[]): string {
  return `"${createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 22)}"`
}

/** Whether a client has what the tag stands for. If-None-Match compares weakly (RFC 9110 §13.1.2). */
export function isNamed(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  const tags = ifNoneMatch.split(',').map(bare)
  return tags.includes(bare(etag)) || tags.includes('*')
}

/** Proxies that compress add W/. */
function bare(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
