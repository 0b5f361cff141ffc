import { Redis } from 'ioredis'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Gives a running Redis the users of redis/users.acl, as `--aclfile` does at its start. The default user, who may do
 * everything until then, is off afterwards.
 *
 * @param url address of the Redis, as the default user
 * @param passwords by name of the user
 */
export async function applyRedisUsers(
  url: string,
  passwords: Readonly<Record<string, string>>,
): Promise<void> {
  const lines = readFileSync(new URL('redis/users.acl', import.meta.url), 'utf8').split('\n')
  const admin = new Redis(url)
  try {
    for (const line of lines.filter((one) => one.startsWith('user ')).toReversed()) {
      const [, name = '', ...rules] = line.split(' ')
      const password = passwords[name]
      if (password === undefined && name !== 'default') continue
      await admin.acl(
        'SETUSER',
        name,
        ...rules.map((rule) => (rule.startsWith('#') ? hashOf(password ?? '') : rule)),
      )
    }
  } finally {
    admin.disconnect()
  }
}

function hashOf(password: string): string {
  return `#${createHash('sha256').update(password).digest('hex')}`
}
