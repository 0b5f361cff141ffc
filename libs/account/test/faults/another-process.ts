/*
 * An instance without Redis, in a process of its own: while it works, the one that has started it and waits for it stands
 * still. Arguments: URL of the database, what to do, and with which account, plans and time as JSON.
 */
import { openDatabase } from '@hearth/chassis/database'
import { openRedis } from '@hearth/chassis/redis'
import { createLogger } from '@hearth/chassis/logger'
import { randomUUID } from 'node:crypto'
import { changeAccount } from '../../src/context.ts'
import type { AccountTables } from '../../src/database.ts'
import { burstOf, type GateRequest } from '../../src/gate.ts'
import type { Plans } from '../../src/plans.ts'
import { openGate } from '../../src/quota-gate.ts'

/** What the process is told, and the account it is about. */
export type Order = { readonly request: GateRequest; readonly plans: Plans; readonly now: number }

const [url = '', what, json = ''] = process.argv.slice(2)
const { request, plans, now } = JSON.parse(json) as Order
const log = createLogger({ level: 'silent', service: 'test' })
const database = await openDatabase<AccountTables>({ url, dataDir: '', schema: 'test', log })
const gate = await openGate({
  ...{ plans, database, log, clock: () => now, instance: randomUUID(), burst: burstOf(0) },
  redis: openRedis('redis://127.0.0.1:1', { log }),
  deployment: { name: 'test', code: 'slr', keyHeader: 'X-API-Key' },
})
if (what === 'call') process.stdout.write((await gate.check(request)).outcome)
else {
  await changeAccount({ db: database.db, outbox: gate.outbox }, request.tag, (trx) =>
    trx
      .updateTable('api_key')
      .set({ revoked_at: new Date(now) })
      .where('tag', '=', request.tag)
      .execute(),
  )
  process.stdout.write('revoked')
}
process.exit(0)
