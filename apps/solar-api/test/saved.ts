import type { TestApp } from '@hearth/account/testing/test-app'
import { sql } from 'kysely'
import { databaseOf, threeNumbers } from './support.ts'

/** A request to save, valid unless changed. */
export const saveRequest = { name: 'South roof', kind: 'calculate', input: threeNumbers }

/** Saves a calculation and returns `data` of the answer. */
export async function save(app: TestApp, key: string, change: object = {}) {
  const body = { ...saveRequest, ...change }
  const { status, body: answer } = await app.call('post', '/v1/calculations', { key, body })
  if (status !== 201) throw new Error(`save: ${status} ${JSON.stringify(answer)}`)
  return answer.data
}

/** Puts calculations into the database without calculating, for limits and long lists. */
export async function fill(app: TestApp, tag: string, count: number): Promise<void> {
  await sql`
    with made as (
      insert into calculation (tag, id, name, kind, input, created_at)
      select ${tag}, 'calc_' || lpad(n::text, 26, '0'), 'Filler', 'calculate', '{}', now()
      from generate_series(1, ${count}) as n returning tag, id
    )
    insert into calculation_result (tag, id, revision, model, result, cash_flow, calculated_at)
    select tag, id, 1, 'solar-v1', '{}', '[]', now() from made`.execute(databaseOf(app))
}

/** The body of an answer as text, byte for byte. */
export async function textOf(app: TestApp, path: string, key: string, init: RequestInit = {}) {
  const { port } = app.server.address() as { port: number }
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, ...init })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Every request about one calculation. */
export function requestsFor(id: string): readonly (readonly [method: string, path: string, body?: object])[] {
  return [
    ['get', `/v1/calculations/${id}`],
    ['get', `/v1/calculations/${id}/cash-flow.csv`],
    ['patch', `/v1/calculations/${id}`, { name: 'Mine' }],
    ['post', `/v1/calculations/${id}/rerun`],
    ['delete', `/v1/calculations/${id}`],
  ]
}
