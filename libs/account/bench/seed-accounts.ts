import { createLogger } from '@hearth/chassis/logger'
import { openDatabase } from '@hearth/chassis/database'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readSnapshots, type Snapshot } from '../src/account-snapshot.ts'
import type { AccountTables } from '../src/database.ts'
import { burstOf } from '../src/gate.ts'
import { digestKey, makeKey, randomBase62, secretLength, selectorLength, tagLength } from '../src/keys.ts'
import { redisRecords } from '../src/redis-records.ts'
import { dayOf } from '../src/windows.ts'

/*
 * Makes accounts with one key each in a migrated solar schema, and their records in Redis as the service would after
 * the first call of each, for infra/bench/gate.ts. Writes the keys to a file, one a line; prints a line of progress
 * for every two thousand.
 *
 * The first account has been given back so many units that its plan does not end: it takes all calls of a measurement
 * with one key.
 */

const { DATABASE_URL = '', REDIS_URL = '', KEY_PEPPER = '', KEY_FILE = '', COUNT = '' } = process.env
const count = Number(COUNT)
const rowsAtOnce = 2_000
/** Later than any epoch a service will take: records of earlier ones would be read from Postgres again. */
const epoch = 8e15
const plan = 'api_business'
const log = createLogger({ level: 'silent', service: 'bench' })
const database = await openDatabase<AccountTables>({
  ...{ url: DATABASE_URL, dataDir: '', schema: 'solar', log },
  queryTimeoutMs: 60_000,
})
/** Without the deadlines of a service: this is bulk work. */
const redis = new Redis(REDIS_URL)
const records = redisRecords({
  ...{ redis, prefix: 'slr', burst: burstOf(0) },
  plans: { free: { name: 'Free', daily: 1, monthly: 1, features: [] } },
  ...{ epoch: () => epoch, clock: undefined, floor: () => undefined, answerWithinMs: 60_000 },
})
const day = dayOf(Date.now())
const file = createWriteStream(KEY_FILE)
/** A new account as Postgres has it; all are alike but for their keys. */
let fresh: Snapshot | undefined
let firstKey: string | undefined
for (let done = 0; done < count; done += rowsAtOnce) {
  const accounts = Array.from({ length: Math.min(rowsAtOnce, count - done) }, newAccount)
  await insert(accounts)
  firstKey ??= accounts[0]?.key
  fresh ??= await snapshotOf(accounts[0]?.tag ?? '')
  if (done === 0) await giveBack(accounts[0]?.tag ?? '')
  await Promise.all(accounts.map(writeRecord))
  file.write(accounts.map(({ key }) => `${key}\n`).join(''))
  process.stdout.write(`${done + accounts.length}\n`)
}
file.end()
await once(file, 'finish')
await database.close()
redis.disconnect()

function newAccount(): Account {
  const [tag, selector] = [randomBase62(tagLength), randomBase62(selectorLength)]
  const key = makeKey({ service: 'slr', tag, selector }, randomBase62(secretLength))
  return { tag, selector, key, digest: digestKey(key, KEY_PEPPER) }
}

async function insert(accounts: readonly Account[]): Promise<void> {
  const tags = accounts.map(({ tag }) => tag)
  await sql`
    insert into account (tag, name, email, email_normalised, password_hash, plan)
    select tag, 'Bench', tag || '@example.com', tag || '@example.com', '', ${plan} from unnest(${tags}::text[]) as t (tag)`.execute(
    database.db,
  )
  await sql`
    insert into api_key (tag, selector, digest, name)
    select tag, selector, digest, 'Bench' from unnest(${tags}::text[],
      ${accounts.map(({ selector }) => selector)}::text[], ${accounts.map(({ digest }) => digest)}::text[]
    ) as t (tag, selector, digest)`.execute(database.db)
}

async function giveBack(tag: string): Promise<void> {
  await sql`insert into usage_day (tag, day, direct_refunded) values (${tag}, ${day}, 2000000000)`.execute(
    database.db,
  )
}

async function snapshotOf(tag: string): Promise<Snapshot | undefined> {
  return (await readSnapshots(database.db, [tag], day, new Date())).get(tag)
}

/** Only the first account differs from a new one, so only it is read back. */
async function writeRecord({ key, tag, selector, digest }: Account): Promise<void> {
  const snapshot = key === firstKey ? await snapshotOf(tag) : fresh
  if (snapshot === undefined) throw new Error('An account that was just made is not there.')
  await records.write(tag, epoch, { ...snapshot, keys: [{ selector, digest, expiresAt: 0 }] })
}

type Account = {
  readonly tag: string
  readonly selector: string
  readonly key: string
  readonly digest: string
}
