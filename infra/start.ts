import { findServices } from './services.ts'
import { startAll } from './start-all.ts'

/* `npm start`: every service of the repository on its embedded defaults, until Ctrl-C. */

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Not once: npm passes a Ctrl-C on that the terminal has already sent.
  process.on(signal, () => {
    stop.abort()
  })
}

// A command that answered while announcing may still hold a timer; the result is final, so the process ends here.
process.exit(
  await startAll({
    services: findServices(),
    environment: process.env,
    print: (line) => process.stdout.write(`${line}\n`),
    stop: stop.signal,
    stopDeadlineMs: 25_000,
  }),
)
