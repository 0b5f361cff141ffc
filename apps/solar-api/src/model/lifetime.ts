import { flowsOf } from './cash-flow.ts'
import type { CashFlowColumns, CashFlowRow, Flows } from './cash-flow.ts'

/** What the yearly flows come to: those of the first year, and what they add up to, the installation included. */
export type Lifetime = Readonly<{
  firstYear: Flows
  productionKWh: number
  savings: number
  /** maintenance and inverters */
  operatingCost: number
  netCashFlow: number
  co2AvoidedKg: number
}>

export function lifetimeOf(columns: CashFlowColumns): Lifetime {
  const { om, inverter } = columns
  let operatingCost = 0
  for (let year = 0; year < om.length; year++) operatingCost += (om[year] ?? 0) + (inverter[year] ?? 0)
  return {
    firstYear: flowsOf(columns, 1),
    productionKWh: sum(columns.productionKWh),
    savings: sum(columns.savings),
    operatingCost,
    netCashFlow: sum(columns.netCashFlow),
    co2AvoidedKg: sum(columns.co2AvoidedKg),
  }
}

/** @param table of cashFlowTable(), or one like it */
export function lifetimeOfTable(table: readonly CashFlowRow[]): Lifetime {
  const [, firstYear] = table
  if (!firstYear) throw new RangeError('A table has a row for the installation and at least one more.')
  return {
    firstYear,
    productionKWh: total(table, (row) => row.productionKWh),
    savings: total(table, (row) => row.savings),
    operatingCost: total(table, (row) => row.om + row.inverter),
    netCashFlow: total(table, (row) => row.netCashFlow),
    co2AvoidedKg: total(table, (row) => row.co2AvoidedKg),
  }
}

/** The sum of all values. */
export function sum(values: Float64Array): number {
  let all = 0
  for (let at = 0; at < values.length; at++) all += values[at] ?? 0 // for...of would make an object of each
  return all
}

/** The sum of an amount over all rows. */
export function total<Row>(table: readonly Row[], amount: (row: Row) => number): number {
  return table.reduce((all, row) => all + amount(row), 0)
}
