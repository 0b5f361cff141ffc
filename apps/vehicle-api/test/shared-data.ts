import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where real files of the authority lie on machines that have them. */
const shared = new URL('../../../../shared/data/vehicle/', import.meta.url)

/** Path of a real file, or undefined where there is none. */
export function sharedFile(name: string): string | undefined {
  const path = fileURLToPath(new URL(name, shared))
  return existsSync(path) ? path : undefined
}

/** Describes what holds for a real file; where it is not on this machine, a line says so. */
export function describeShared(name: string, tests: (path: string) => void): void {
  const path = sharedFile(name)
  if (path !== undefined) {
    describe(name, () => {
      tests(path)
    })
    return
  }
  console.log(`skipped: ${name} is not on this machine`)
  describe(name, () => {
    test.skip('what holds for the real file', () => undefined)
  })
}
