import { accountMigrations } from '@hearth/account'
import { openImportWorkshop, type Workshop } from '@hearth/chassis/testing/import-workshop'
import { vehicleMigrations } from '../migrations/index.ts'
import { runImport } from '../src/import/run-import.ts'

export type { Workshop }

/** Imports in this process, as the command does, in November 2026. */
export function openWorkshop(databaseUrl: string): Workshop {
  const now = new Date('2026-11-21T00:00:00Z')
  return openImportWorkshop(databaseUrl, [accountMigrations, vehicleMigrations], (args, options) =>
    runImport(args, { ...options, now }),
  )
}
