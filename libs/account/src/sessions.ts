import jwt from 'jsonwebtoken'

/** What a session token says. */
export type Session = { readonly tag: string; readonly version: number }

/** Makes and checks session tokens. */
export type Sessions = {
  readonly issue: (session: Session) => { token: string; expiresAt: Date }
  /** The session of a token that is genuine and not expired, else undefined. */
  readonly read: (token: string) => Session | undefined
}

/**
 * JSON Web Tokens (RFC 7519) that open the account endpoints of one deployment for 15 minutes. Algorithm, issuer,
 * audience and expiry are pinned (RFC 8725).
 *
 * @param secrets the first signs, all are accepted: put a new one first and drop the old one 15 minutes later
 */
export function createSessions(issuer: string, secrets: readonly string[], clock: () => number): Sessions {
  const [signing] = secrets
  if (signing === undefined) throw new RangeError('At least one session secret is needed.')
  return {
    issue({ tag, version }) {
      const issuedAt = Math.floor(clock() / 1000)
      const token = jwt.sign({ sv: version, iat: issuedAt, exp: issuedAt + lifetimeSeconds }, signing, {
        algorithm,
        issuer,
        audience,
        subject: tag,
      })
      return { token, expiresAt: new Date((issuedAt + lifetimeSeconds) * 1000) }
    },
    read(token) {
      if (token.length > longestToken || !isCanonical(token)) return undefined
      for (const secret of secrets) {
        const session = verify(token, secret, issuer, Math.floor(clock() / 1000))
        if (session !== undefined) return session
      }
      return undefined
    },
  }
}

const algorithm = 'HS256'
const audience = 'account'
const lifetimeSeconds = 15 * 60
const longestToken = 1024

/** The last character of a signature has bits that mean nothing: of the texts that differ in them, one is the token. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}

function verify(token: string, secret: string, issuer: string, clockTimestamp: number): Session | undefined {
  try {
    const claims = jwt.verify(token, secret, { algorithms: [algorithm], issuer, audience, clockTimestamp })
    if (typeof claims === 'string' || claims.exp === undefined || claims.sub === undefined) return undefined
    const version: unknown = claims.sv
    return typeof version === 'number' ? { tag: claims.sub, version } : undefined
  } catch {
    return undefined // every reason to refuse a token is the same to the caller
  }
}
