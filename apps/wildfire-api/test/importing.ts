import { accountMigrations } from '@hearth/account'
import { openImportWorkshop, type Workshop } from '@hearth/chassis/testing/import-workshop'
import { wildfireMigrations } from '../migrations/index.ts'
import { runImport } from '../src/import/run-import.ts'

export type { Workshop }

/** Imports in this process, as the command does. */
export function openWorkshop(databaseUrl: string): Workshop {
  return openImportWorkshop(databaseUrl, [accountMigrations, wildfireMigrations], runImport)
}
