import { until, type ServiceRig } from '@hearth/account/testing/service-rig'
import { endAll, newSecret } from '@hearth/chassis/testing/service-process'
import { size } from '@hearth/infra/campaign'
import { commandOf } from '@hearth/infra/processes'
import { connect } from 'node:net'
import { activeKeys, calculate, openSolarRig, patiently, statuses } from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 1_800_000))
afterAll(endAll)

describe('three processes', () => {
  let rig: ServiceRig
  beforeAll(async () => {
    rig = await openSolarRig({ links: false })
    await rig.serving('redis')
  })
  afterAll(() => rig.close())

  test('make one account of many signups of one address at once (T30)', async () => {
    for (let run = 0; run < size(1, 20); run++) {
      const id = newSecret()
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, '')
      const spellings = [
        `jos\u00e9.${id}@b\u00fccher.example`,
        `JOSE\u0301.${id}@xn--bcher-kva.example`,
        ` jos\u00e9.${id}@B\u00dcCHER.example `,
      ]
      const signups = Array.from({ length: size(18, 50) }, (_, i) => {
        const body = { name: 'Ann', email: spellings[i % 3], password: 'an unusual pass phrase' }
        return patiently(() => rig.send('/v1/signup', { body, instance: i }))
      })

      const replies = await Promise.all(signups)

      expect(statuses(replies)).toEqual({ 201: 1, 409: signups.length - 1 })
    }
  })

  test('give a rotated key again whose answer was lost, and nothing else for its Idempotency-Key (T31)', async () => {
    for (let run = 0; run < size(3, 30); run++) {
      const { key, tag } = await rig.account()
      const idempotencyKey = newSecret()
      await rotateAndHangUp(rig, key, tag, idempotencyKey)
      const headers = { 'Idempotency-Key': idempotencyKey }

      const again = await rig.send('/v1/account/keys/rotate', { method: 'POST', key, headers })
      const other = await rig.send('/v1/account/keys/rotate', { method: 'POST', key })

      expect([again.status, other.status, other.body.code]).toEqual([201, 401, 'revoked_api_key'])
      expect(await activeKeys(rig, tag)).toBe(1)
      expect((await calculate(rig, again.body.data.apiKey)).status).toBe(200)
    }
  })

  test('give a signup again with its Idempotency-Key, refuse another with it, and sign in who has lost the key (T31)', async () => {
    const body = { name: 'Ann', email: `${newSecret()}@example.com`, password: newSecret() }
    const headers = { 'Idempotency-Key': newSecret() }
    const first = await rig.send('/v1/signup', { body, headers })
    const again = await rig.send('/v1/signup', { body, headers })
    const other = await rig.send('/v1/signup', { body: { ...body, name: 'Bob' }, headers })

    expect([first.status, again.status, again.body.data.apiKey]).toEqual([201, 201, first.body.data.apiKey])
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
    const { email, password } = body
    const session = await rig.send('/v1/account/sessions', { body: { email, password } })
    const made = await rig.send('/v1/account/keys', {
      ...{ body: { name: 'found again' }, headers: { Authorization: `Bearer ${session.body.data.token}` } },
    })
    expect((await calculate(rig, made.body.data.apiKey)).status).toBe(200)
  })

  test('show no secret in the list of processes (T33)', () => {
    const lines = rig.instances.map(({ service }) => commandOf(service().pid))
    expect(lines.every((line) => line.includes('main.ts'))).toBe(true)
    expect(lines.filter((line) => /PEPPER|SECRET|TOKEN|postgres:|redis:/i.test(line))).toEqual([])
  })
})

/** Rotates a key and cuts the connection as soon as the rotation is in the database. */
async function rotateAndHangUp(
  rig: ServiceRig,
  key: string,
  tag: string,
  idempotencyKey: string,
): Promise<void> {
  const { port } = new URL(rig.instance().service().baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  const lines = [
    'POST /v1/account/keys/rotate HTTP/1.1',
    ...['Host: x', `X-API-Key: ${key}`, `Idempotency-Key: ${idempotencyKey}`, 'Content-Length: 0', '', ''],
  ]
  socket.write(lines.join('\r\n'))
  const keys = () => rig.database.db.selectFrom('api_key').select('selector').where('tag', '=', tag).execute()
  await until('the key is rotated', async () => (await keys()).length === 2)
  socket.resetAndDestroy()
}
