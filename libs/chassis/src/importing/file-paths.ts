import { resolve } from 'node:path'
import { UsageError } from './import-error.ts'

/**
 * Where relative paths in the arguments of an import start: npm runs a script in the folder of its package, but files
 * are named as they are called where npm was.
 *
 * @returns the directory that `npm run import` was called in; undefined (the working directory) without npm
 */
export function filesFrom(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  return environment['npm_lifecycle_event'] === 'import' ? environment['INIT_CWD'] : undefined
}

/** A path that starts where {@link filesFrom} says; addresses, and paths without `from`, stay as they are. */
export function located(fileOrUrl: string, from: string | undefined): string {
  const stays = from === undefined || fileOrUrl === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(fileOrUrl)
  return stays ? fileOrUrl : resolve(from, fileOrUrl)
}

/**
 * Refuses a report that is one of the files: it is written anew before anything is read.
 * @throws UsageError
 */
export function refuseOverwriting(report: string | undefined, files: readonly string[]): void {
  if (report === undefined || !files.some((file) => resolve(file) === resolve(report))) return
  throw new UsageError(
    `The report would take the place of the file ${report}: name another one with --report.`,
  )
}
