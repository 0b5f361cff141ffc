import { newAddress, type TestRequest } from '@hearth/account/testing/test-app'
import { sql } from 'kysely'
import type { AddressInfo } from 'node:net'
import { goodRequest, operationsOf } from '../operations.ts'
import { startSolar, type SolarApp } from '../support.ts'

import.meta.jest.setTimeout(60_000)

/** Members that no body has, as text: JSON.stringify would leave `__proto__` out. */
const smuggled = [
  ...['"plan":"api_business"', '"role":"admin"', '"id":"acc_x"', '"accountId":"acc_x"', '"tag":"x"'],
  ...['"createdAt":"2000-01-01T00:00:00Z"', '"suspendedAt":null', '"version":99', '"revision":99'],
  ...['"__proto__":{"polluted":true}', '"constructor":{"prototype":{"polluted":true}}'],
]

test('members that no body has are refused by every operation, change nothing, and reach no prototype (T53)', async () => {
  const app = await startSolar({ settings: { signupsPerHour: 0, burstPerSecond: 0 } })
  try {
    const owner = await app.signUp('api_business')
    const operations = (await operationsOf(app)).filter(({ hasBody }) => hasBody)
    expect(operations.length).toBeGreaterThanOrEqual(9)

    for (const operation of operations) {
      const { path, request } = await goodRequest(app, operation, owner)
      const before = await rowsOf(app)
      for (const member of smuggled) {
        for (const text of bodiesWith(member, request.body as object)) {
          const status = await send(app, operation.method, path, request, text)
          expect([operation.id, text, status]).toEqual([operation.id, text, 400])
        }
      }
      expect([operation.id, await rowsOf(app)]).toEqual([operation.id, before])
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(Object.keys(Object.prototype)).toEqual([])
  } finally {
    await app.close()
  }
})

test('nor by those of operators (T53)', async () => {
  const app = await startSolar()
  try {
    const { email } = await app.signUp()
    const before = await rowsOf(app)
    for (const extra of [{ id: 'acc_x' }, { role: 'admin' }, { createdAt: '2000-01-01T00:00:00Z' }]) {
      const answers = await Promise.all([
        app.operate('put', `/operator/accounts/${email}/plan`, { plan: 'pro', ...extra }),
        app.operate('put', `/operator/accounts/${email}/suspended`, { suspended: true, ...extra }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([400, 400])
    }
    expect(await rowsOf(app)).toEqual(before)
  } finally {
    await app.close()
  }
})

/** A good body with one more member, at its top and in each object inside. */
function bodiesWith(member: string, body: object): string[] {
  const json = JSON.stringify(body)
  const starts = [...json.matchAll(/\{/g)].map(({ index }) => index + 1)
  return starts.map((at) => `${json.slice(0, at)}${member},${json.slice(at)}`)
}

async function send(
  app: SolarApp,
  method: string,
  path: string,
  { key, session }: TestRequest,
  body: string,
): Promise<number> {
  const { port } = app.server.address() as AddressInfo // it listens on a port
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...{ method: method.toUpperCase(), body },
    headers: {
      ...{ 'Content-Type': 'application/json', 'X-Forwarded-For': newAddress() },
      ...(key !== undefined && { 'X-API-Key': key }),
      ...(session !== undefined && { Authorization: `Bearer ${session}` }),
    },
  })
  await response.arrayBuffer()
  return response.status
}

async function rowsOf({ database }: SolarApp): Promise<unknown> {
  const { rows } = await sql`
    select (select jsonb_agg(a order by a.tag) from account a) as accounts,
      (select jsonb_agg(k order by k.tag, k.selector) from (
        select tag, selector, name, digest, revoked_at, expires_at from api_key) k) as keys,
      (select jsonb_agg(c order by c.id) from calculation c) as calculations`.execute(database.db)
  return rows
}
