import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportOptions } from '../src/importing/import-command.ts'
import { createLogger } from '../src/logger.ts'
import type { MigrationList } from '../src/migrate.ts'

/** What an import printed, and its exit code. */
export type ImportOutcome = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** A directory for files, with a function that imports into one database. */
export type Workshop = {
  readonly directory: string
  /** Writes a file and returns its path. */
  readonly file: (name: string, content: string | Buffer) => string
  readonly run: (...args: readonly string[]) => Promise<ImportOutcome>
  readonly close: () => void
}

const log = createLogger({ level: 'silent', service: 'test' })

/** Imports in this process, as the command of a service does. */
export function openImportWorkshop(
  databaseUrl: string,
  migrations: readonly MigrationList[],
  runImport: (args: readonly string[], options: ImportOptions) => Promise<number>,
): Workshop {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-import-'))
  return {
    directory,
    file: (name, content) => {
      const path = join(directory, name)
      writeFileSync(path, content)
      return path
    },
    run: async (...args) => {
      const [out, err]: [string[], string[]] = [[], []]
      const code = await runImport(args, {
        ...{ databaseUrl, dataDir: directory, migrateOnStart: false, migrations, log },
        print: (line) => out.push(line),
        printError: (line) => err.push(line),
      })
      return { code, stdout: out.join('\n'), stderr: err.join('\n') }
    },
    close: () => {
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
