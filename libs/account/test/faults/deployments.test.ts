import { insertAccount, openTestGate, type TestGate } from '../support.ts'

/** Two deployments that share a Redis, though each is meant to have its own: by their prefix they do not meet. */
describe('an account that two deployments have under one name', () => {
  const gates: TestGate[] = []
  afterAll(async () => {
    for (const one of gates) await one.close()
  })

  test('has a quota of its own at each (T04)', async () => {
    const [solar, wildfire] = [await openTestGate('redis'), await openTestGate('redis', { code: 'wfr' })]
    gates.push(solar, wildfire)
    const account = await insertAccount(solar.db)
    const { tag, selector } = account
    const [row] = await solar.db.selectFrom('account').selectAll().where('tag', '=', tag).execute()
    const [key] = await solar.db.selectFrom('api_key').selectAll().where('selector', '=', selector).execute()
    if (row === undefined || key === undefined) throw new Error('The account is not there.')
    await wildfire.db.insertInto('account').values(row).execute()
    await wildfire.db.insertInto('api_key').values(key).execute()
    const usedAt = async ({ gate }: TestGate) => {
      const verdict = await gate.check(account.request(0))
      return 'plan' in verdict ? verdict.usedToday : verdict.outcome
    }

    for (let i = 0; i < 7; i++) await solar.gate.check(account.request(1))

    expect([await usedAt(solar), await usedAt(wildfire)]).toEqual([5, 0])
    expect(await wildfire.gate.check(account.request(1))).toMatchObject({ outcome: 'ok', usedToday: 1 })
    expect([await usedAt(solar), await usedAt(wildfire)]).toEqual([5, 1])
    expect([solar.gate.serving(), wildfire.gate.serving()]).toEqual(['redis', 'redis'])
  })
})
