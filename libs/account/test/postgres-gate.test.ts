import { setTimeout as sleep } from 'node:timers/promises'
import { burstOf } from '../src/gate.ts'
import { createLedger } from '../src/ledger.ts'
import { postgresGate } from '../src/postgres-gate.ts'
import { insertAccount, openTestDatabase, testPlans } from './support.ts'

test('a call that was told that its quota could not be checked in time moves its account no further', async () => {
  const database = await openTestDatabase('postgres')
  const { db } = database
  const account = await insertAccount(db, { plan: 'pro' })
  await db.updateTable('account').set({ counted_in: 'moving' }).where('tag', '=', account.tag).execute()
  let moves = 0
  const place = {
    async toPostgres() {
      moves += 1
      await sleep(600) // as long as others take, and then it has been moved back
    },
    toRedis: () => Promise.resolve(),
  }
  const gate = postgresGate({
    ...{ db, plans: testPlans, burst: burstOf(0), ledger: createLedger(db), clock: undefined, place },
  })

  await expect(gate.check(account.request(1))).rejects.toThrow('could not be checked in time')
  await sleep(1_000)

  expect(moves).toBe(2)
  await database.close()
})
