import { Writable } from 'node:stream'
import { createLogger } from '../src/logger.ts'

/** A real logger that keeps its lines instead of printing them. */
export function recordingLogger() {
  const lines: Record<string, unknown>[] = []
  const destination = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      for (const line of chunk.trimEnd().split('\n')) lines.push(JSON.parse(line) as Record<string, unknown>)
      done()
    },
  })
  return { log: createLogger({ level: 'debug', service: 'test', destination }), lines }
}
