import type { TestApp } from '@hearth/account/testing/test-app'
import { startSolar, threeNumbers } from './support.ts'

describe('POST /v1/calculate', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startSolar()
  })
  afterAll(() => app.close())

  test('answers three numbers with a whole calculation', async () => {
    const { key } = await app.signUp()

    const { status, headers, body } = await app.call('post', '/v1/calculate', { key, body: threeNumbers })

    expect(status).toBe(200)
    expect(body.data.system).toMatchObject({
      systemSizeKW: 7.714,
      panelCount: null,
      year1ProductionKWh: 10800,
    })
    expect(body.data.metrics).toMatchObject({ npv: 542.68, irr: 0.062156, paybackYears: 13.82 })
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': '49' })
  })
})
