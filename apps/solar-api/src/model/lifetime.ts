import type { CashFlowRow } from './cash-flow.ts'

/** What a table comes to: its first year, and the sums of its columns over all years. */
export class Lifetime {
  productionKWh = 0
  savings = 0
  /** maintenance and inverters */
  operatingCost = 0
  unleveredCashFlow = 0
  netCashFlow = 0
  co2AvoidedKg = 0
  #firstYear: CashFlowRow | undefined

  static of(cashFlow: readonly CashFlowRow[]): Lifetime {
    const lifetime = new Lifetime()
    for (const row of cashFlow) lifetime.add(row)
    return lifetime
  }

  add(row: CashFlowRow): void {
    if (row.year === 1) this.#firstYear = { ...row }
    this.productionKWh += row.productionKWh
    this.savings += row.savings
    this.operatingCost += row.om + row.inverter
    this.unleveredCashFlow += row.unleveredCashFlow
    this.netCashFlow += row.netCashFlow
    this.co2AvoidedKg += row.co2AvoidedKg
  }

  /** @throws RangeError when there is none: analysisYears must be at least 1 */
  get firstYear(): CashFlowRow {
    if (!this.#firstYear) throw new RangeError('There is no first year: analysisYears must be at least 1.')
    return this.#firstYear
  }
}
