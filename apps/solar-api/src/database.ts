import type { AccountTables } from '@hearth/account'
import type { Generated, Kysely } from 'kysely'

/** The tables of the schema `solar`: those of the accounts, and the saved calculations. */
export type SolarTables = AccountTables & {
  calculation: CalculationTable
  calculation_result: CalculationResultTable
}

export type SolarDatabase = Kysely<SolarTables>

type CalculationTable = {
  /** The account. */
  tag: string
  /** See newCalculationId. */
  id: string
  name: string
  kind: 'calculate' | 'monteCarlo'
  /** The request as it came, as JSON. */
  input: string
  /** The latest result. */
  revision: Generated<number>
  created_at: Date
}

/** Results are added, never changed. */
type CalculationResultTable = {
  tag: string
  id: string
  /** 1, 2, 3 without gaps. */
  revision: number
  /** The model that made it, such as `solar-v1`. */
  model: string
  /** What was answered, as JSON, byte for byte. */
  result: string
  /** The yearly table of the same inputs without uncertainty, as a JSON list of rows. */
  cash_flow: string
  calculated_at: Date
}
