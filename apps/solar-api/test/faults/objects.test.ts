import { newAddress } from '@hearth/account/testing/test-app'
import type { AddressInfo } from 'node:net'
import { signIn } from '../operations.ts'
import { startSolar, threeNumbers, type SolarApp } from '../support.ts'

const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** An id of another account for each path that takes one, and one that nobody has. */
type Ids = Readonly<Record<string, { readonly foreign: string; readonly unknown: string }>>

test('an id of another account is answered like one that does not exist, for every path and verb (T51)', async () => {
  const app = await startSolar({ settings: { burstPerSecond: 0 } })
  try {
    const [owner, other] = [await app.signUp('pro'), await app.signUp('pro')]
    const ids = await idsOf(app, owner.key)
    const session = { Authorization: `Bearer ${await signIn(app, other)}` }
    const callers: readonly Readonly<Record<string, string>>[] = [{ 'X-API-Key': other.key }, session]
    const { body: document } = await app.call('get', '/openapi.json')
    const paths = Object.keys(document.paths).filter((path) => /^\/v1\/.*\{/.test(path))
    expect(paths.length).toBeGreaterThanOrEqual(4)

    for (const path of paths) {
      const [prefix = ''] = /^\/v1\/[^{]+/.exec(path) ?? []
      const known = ids[prefix]
      if (known === undefined) throw new Error(`The path ${path} takes an id that this test does not know.`)
      for (const [verb, credentials] of verbs.flatMap((verb) => callers.map((one) => [verb, one] as const))) {
        const [foreign, unknown] = await Promise.all(
          [known.foreign, known.unknown].map((id) =>
            ask(app, verb, path.replace(/\{\w+\}/, id), credentials, id),
          ),
        )
        expect([verb, path, foreign]).toEqual([verb, path, unknown])
        expect([404, 405, 204, 401]).toContain(foreign?.status)
        // Only calculations are for keys alone: a session is refused there, whatever it asks for.
        if (foreign?.status === 401) expect([credentials, prefix]).toEqual([session, '/v1/calculations/'])
      }
    }
    // What others have tried has changed nothing.
    for (const [prefix, { foreign }] of Object.entries(ids)) {
      const listed = await app.call('get', prefix.slice(0, -1), { key: owner.key })
      expect(JSON.stringify(listed.body)).toContain(foreign)
    }
  } finally {
    await app.close()
  }
})

async function idsOf(app: SolarApp, key: string): Promise<Ids> {
  const made = await app.call('post', '/v1/account/keys', { key, body: { name: 'another' } })
  const saved = await app.call('post', '/v1/calculations', {
    ...{ key, body: { name: 'mine', kind: 'calculate', input: threeNumbers } },
  })
  const keyOf: string = made.body.data.id
  const calculation: string = saved.body.data.id
  return {
    '/v1/account/keys/': { foreign: keyOf, unknown: `key_${'0'.repeat(14)}` },
    '/v1/calculations/': { foreign: calculation, unknown: `calc_${'0'.repeat(26)}` },
  }
}

/** The answer without what differs between any two requests, and without the id itself. */
async function ask(
  app: SolarApp,
  method: string,
  path: string,
  credentials: Readonly<Record<string, string>>,
  id: string,
) {
  const { port } = app.server.address() as AddressInfo // it listens on a port
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...{ ...credentials, 'X-Forwarded-For': newAddress() },
      ...(hasBody && { 'Content-Type': 'application/json' }),
    },
    ...(hasBody && { body: method === 'PATCH' ? '{"name":"theirs"}' : '{}' }),
  })
  const text = (await response.text()).replaceAll(id, 'ID').replaceAll(/req_\w+/g, 'REQUEST')
  const headers = Object.fromEntries(
    [...response.headers].filter(
      ([name]) => !/^(date|x-request-id|ratelimit|x-ratelimit.*|content-length)$/.test(name),
    ),
  )
  return { status: response.status, headers, text }
}
