import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './projects.ts'

/* `node infra/compose-secrets.ts`: makes the secrets that compose.yaml mounts; those that exist stay as they are. */

const DIRECTORY = join(ROOT, '.data', 'compose-secrets')

mkdirSync(DIRECTORY, { recursive: true, mode: 0o700 })
create('postgres_password', randomSecret())
for (const service of ['solar', 'wildfire', 'vehicle']) {
  const password = randomSecret()
  // Both or neither: the URL contains the password.
  if (!existsSync(pathOf(`${service}_database_url`))) {
    create(`${service}_database_password`, password)
    create(`${service}_database_url`, `postgres://${service}:${password}@postgres:5432/hearth`)
  }
  for (const name of ['key_pepper', 'jwt_secret', 'operator_token'])
    create(`${service}_${name}`, randomSecret())
}

function create(name: string, value: string): void {
  // The container's user is not the one who runs this command, so the directory keeps others out, not the file.
  if (!existsSync(pathOf(name))) writeFileSync(pathOf(name), value, { mode: 0o644, flag: 'wx' })
}

function pathOf(name: string): string {
  return join(DIRECTORY, name)
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}
