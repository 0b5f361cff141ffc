import type { LoadReply } from '@hearth/account/testing/http-load'
import type { ServiceRig } from '@hearth/account/testing/service-rig'
import { endAll, send } from '@hearth/chassis/testing/service-process'
import { isCampaign, measured, size } from '@hearth/infra/campaign'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from './load.ts'
import { calculate, openSolarRig, statuses } from './solar-rig.ts'

import.meta.jest.setTimeout(size(120_000, 900_000))
afterAll(endAll)

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('keys that are random or have a typing error are refused without a question to any store (T32)', async () => {
  const rig = await openSolarRig({ instances: 1, links: false })
  try {
    await rig.serving('redis')
    const { key } = await rig.account()
    const characters = (count: number) =>
      Array.from({ length: count }, () => base62[Math.floor(rig.random() * 62)]).join('')
    const garbage = () => {
      const at = 9 + Math.floor(rig.random() * 52)
      const typo = key[at] === 'a' ? 'b' : 'a'
      return rig.random() < 0.5 ? `slr_live_${characters(52)}` : key.slice(0, at) + typo + key.slice(at + 1)
    }
    const sendMany = async (count: number): Promise<LoadReply[]> => {
      const replies: LoadReply[] = []
      while (replies.length < count) {
        const wave = Array.from({ length: 50 }, () => calculate(rig, garbage()))
        replies.push(...(await Promise.all(wave)))
      }
      return replies
    }
    await sendMany(size(500, 10_000)) // warms up
    await sleep(200) // the last lines of the access log
    const before = await residentMb(rig)

    // A question to either store would not be answered any more.
    rig.postgres.pause()
    rig.redis().pause()
    const [from, count] = [rig.instance().mark(), size(2_000, 100_000)]
    const replies = await sendMany(count)
    await sleep(200)
    const times = rig
      .instance()
      .logged(from)
      .filter(({ route }) => route === '/v1/calculate')
      .map(({ ms }) => ms)
    rig.redis().resume()
    rig.postgres.resume()

    expect([rig.seed, statuses(replies)]).toEqual([rig.seed, { 401: count }])
    expect(new Set(replies.map(({ body }) => body.code))).toEqual(new Set(['malformed_api_key']))
    expect(times).toHaveLength(count)
    const [p99, grownMb] = [percentile(times, 99), (await residentMb(rig)) - before]
    measured(`T32: ${count} malformed keys, p99 ${p99} ms, memory grown by ${grownMb.toFixed(1)} MB`)
    if (isCampaign) expect([p99 < 10, grownMb < 20]).toEqual([true, true])
  } finally {
    await rig.close()
  }
})

async function residentMb(rig: ServiceRig): Promise<number> {
  const { body } = await send(`${rig.instance().service().internalUrl}/metrics`)
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(String(body))?.[1]) / 2 ** 20
}
