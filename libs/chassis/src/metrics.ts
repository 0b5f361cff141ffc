import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** The metrics of one process. */
export type Metrics = {
  readonly contentType: string
  /**
   * Records a finished request. Meant for every request: it costs about half a microsecond.
   * @param route template of the route (`/v1/account/keys/:id`), never the path that was asked for
   * @param seconds from the first byte of the request to the last of the answer
   */
  observeRequest: (method: string, route: string, status: number, seconds: number) => void
  /** Adds a gauge whose value is read whenever metrics are asked for. @throws Error when the name is taken */
  gauge: (name: string, help: string, read: () => number) => void
  /** All metrics in the text format of Prometheus. */
  metricsText: () => Promise<string>
}

/** Makes a registry of its own with the metrics of the Node process and the histogram of requests. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP requests in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  const routes = new Set<string>()
  return {
    contentType: registry.contentType,
    observeRequest(method, route, status, seconds) {
      if (!routes.has(route)) {
        if (routes.size >= MAX_ROUTES) route = OTHER
        else routes.add(route)
      }
      duration.observe({ method: METHODS.has(method) ? method : OTHER, route, status }, seconds)
    },
    gauge(name, help, read) {
      new Gauge({
        ...{ name, help, registers: [registry] },
        collect() {
          this.set(read())
        },
      })
    },
    metricsText: () => registry.metrics(),
  }
}

/** Seconds; the bounds that the OpenTelemetry semantic conventions advise for this metric. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const OTHER = '_OTHER'
/** Raw paths passed by mistake must not fill the memory of this process and of Prometheus. */
const MAX_ROUTES = 200
