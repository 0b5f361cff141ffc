import { createMetrics } from '../src/metrics.ts'

test('counts requests by method, route template and status into the bounds of the histogram', async () => {
  const metrics = createMetrics()

  metrics.observeRequest('GET', '/v1/account/keys/:id', 200, 0.003)
  metrics.observeRequest('GET', '/v1/account/keys/:id', 200, 0.06)
  metrics.observeRequest('GET', '/v1/account/keys/:id', 404, 11)

  const text = await metrics.metricsText()
  const of = (status: number) => `method="GET",route="/v1/account/keys/:id",status="${status}"} `
  expect(text).toContain(`_bucket{le="0.005",${of(200)}1\n`)
  expect(text).toContain(`_bucket{le="0.075",${of(200)}2\n`)
  expect(text).toContain(`http_server_request_duration_seconds_count{${of(200)}2\n`)
  expect(text).toContain(`_bucket{le="10",${of(404)}0\n`)
  expect(text).toContain(`_bucket{le="+Inf",${of(404)}1\n`)
})

test('reports the process, and shares nothing with other registries', async () => {
  const first = createMetrics()
  const second = createMetrics()

  first.observeRequest('GET', '/livez', 200, 0.001)

  expect(await first.metricsText()).toContain('process_resident_memory_bytes')
  expect(await second.metricsText()).not.toContain('/livez')
  expect(first.contentType).toMatch(/^text\/plain/)
})

test('keeps the number of series bounded whatever it is told', async () => {
  const metrics = createMetrics()

  for (let request = 0; request < 1_000; request++) {
    metrics.observeRequest(`METHOD${request}`, `/v1/raw/${request}`, 200, 0.001)
  }

  const text = await metrics.metricsText()
  expect(text.match(/_count\{/g)?.length).toBeLessThan(250)
  expect(text).not.toContain('METHOD')
  expect(text).toContain('route="_OTHER"')
})
