import { endAll, newSecret, send } from '@hearth/chassis/testing/service-process'
import { size } from '@hearth/infra/campaign'
import { commandOf } from '@hearth/infra/processes'
import { applyRedisUsers } from '@hearth/infra/redis-users'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { calculate, openSolarRig, withRedis } from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 300_000))
afterAll(endAll)

test('the passwords of Postgres and Redis are said nowhere, whatever breaks (T33)', async () => {
  const rig = await openSolarRig({ instances: 1, links: false })
  try {
    const instance = rig.instance(0)
    const secrets = [newSecret(), newSecret()] as const
    await applyRedisUsers(rig.redis().url, { solar: secrets[1] })
    await instance.service().stop()
    await instance.start({
      ...{ LOG_LEVEL: 'trace' },
      DATABASE_URL: withLogin(rig.postgres.url, 'postgres', secrets[0]),
      REDIS_URL: withLogin(rig.redis().url, 'solar', secrets[1]),
    })
    await rig.serving('redis')
    const service = instance.service()
    const { baseUrl, internalUrl, pid } = service
    const account = await rig.account()
    const said: string[] = []
    const ask = async () => {
      for (const reply of [await calculate(rig, account.key), await rig.send('/v1/account/keys', account)])
        said.push(JSON.stringify([reply.status, reply.headers, reply.text]))
      for (const url of [`${baseUrl}/readyz`, `${internalUrl}/metrics`])
        said.push(JSON.stringify((await send(url)).body))
    }

    await ask()
    for (const store of [rig.redis(), rig.postgres]) {
      store.pause()
      await ask()
      store.resume()
      await store.kill()
      await ask()
      await store.restart()
    }
    // A Redis that has started anew knows no users: it refuses the name and the password.
    await ask()
    await sleep(1_000)
    said.push(service.output(), commandOf(pid), await dump(rig))

    expect(service.output()).toMatch(/Postgres does not answer|serving from Postgres/)
    expect(said.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([])
  } finally {
    await rig.close()
  }
})

function withLogin(url: string, username: string, password: string): string {
  return Object.assign(new URL(url), { username, password }).href
}

/** Everything that the service has written to its stores. */
async function dump(rig: Awaited<ReturnType<typeof openSolarRig>>): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
    where table_schema = 'solar'`.execute(rig.database.db)
  expect(rows.length).toBeGreaterThanOrEqual(6)
  const tables = rows.map(({ name }) =>
    sql.raw<{ row: string }>(`select t::text as row from ${name} t`).execute(rig.database.db),
  )
  const texts = (await Promise.all(tables)).flatMap((result) => result.rows.map(({ row }) => row))
  return withRedis(rig.redis().url, async (redis) => {
    for (const key of await redis.keys('*')) texts.push(key, await redis.dump(key))
    return texts.join('\n')
  })
}
