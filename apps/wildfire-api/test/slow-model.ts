import type { Hazard } from '../src/model/hazard.ts'
import type { HardeningInput } from '../src/model/input.ts'
import { measures, type CaseName, type Measure } from '../src/model/measures.ts'

/**
 * The model a second time, with nothing in common with the first but the catalogue: odds are multiplied instead of
 * log-odds added, costs are paid year by year, and bundles are found by trying every list of ids.
 */
export function slowModel(input: HardeningInput, hazard: Hazard, caseName: CaseName = 'central') {
  const bare = (id: string) =>
    (input.deckSqft === 0 && ['deck_noncombustible', 'underdeck_clear'].includes(id)) ||
    (input.fenceFt === 0 && id === 'fence_break')
  const has = (id: string) => bare(id) || input.existingMeasures.some((existing) => existing === id)
  const missing = measures.filter(({ id }) => !has(id))
  const present = measures.filter(({ id }) => has(id))
  const value = input.replacementCost + input.replacementCost * (input.contentsRatio + input.aleRatio)
  const shift = { optimistic: 1.3498588075760032, central: 1, pessimistic: 0.7408182206817179 }[caseName]
  const p = Math.min(1, hazard.p * shift)

  const stock = measures.reduce((product, row) => product * row.oddsRatio[caseName] ** row.stockShare, 1)
  const bareOdds = (hazard.d0 / (1 - hazard.d0)) * damped(stock)
  const before = destroyed(bareOdds, present, caseName)

  function npv(added: readonly Measure[]): number {
    const after = destroyed(bareOdds, [...present, ...added], caseName)
    let sum = 0
    for (let year = 0; year <= input.horizonYears; year++) {
      const discount = (1 + input.discountRate) ** -year
      if (year > 0) sum += p * (before - after) * value * discount
      for (const row of added) sum -= paid(row, year) * discount
    }
    return sum
  }

  function paid(row: Measure, year: number): number {
    const isBought = year % row.lifeYears === 0 && (year === 0 || year < input.horizonYears)
    return (isBought ? price(row) : 0) + (year > 0 ? row.upkeep : 0)
  }

  function price(row: Measure): number {
    return row.unitCost[caseName] * amount(row, input)
  }

  function isFeasible(added: readonly Measure[], budget: number): boolean {
    const spent = added.reduce((sum, row) => sum + price(row), 0)
    const present = (id: string) => has(id) || added.some((row) => row.id === id)
    return spent <= budget + 0.005 && added.every((row) => row.requires.every(present))
  }

  function best(budget: number): { npv: number; ids: string[] } {
    const lists = missing.reduce<Measure[][]>(
      (all, row) => [...all, ...all.map((list) => [...list, row])],
      [[]],
    )
    const worth = lists
      .filter((list) => isFeasible(list, budget))
      .map((list) => ({ npv: npv(list), ids: list.map(({ id }) => id) }))
    return worth.reduce((one, other) => (other.npv > one.npv ? other : one))
  }

  return { missing, before, npv, best }
}

function destroyed(bareOdds: number, inPlace: readonly Measure[], caseName: CaseName): number {
  const ratio = inPlace.reduce((product, row) => product * row.oddsRatio[caseName], 1)
  const odds = bareOdds / damped(ratio)
  return odds / (1 + odds)
}

/** exp(S) for a product of odds ratios. */
function damped(ratio: number): number {
  return Math.exp(2.12 - 2.12 * ratio ** (1 / 2.12))
}

function amount(row: Measure, home: HardeningInput): number {
  const footprint = home.sqft / home.stories
  const around = 4.4 * footprint ** 0.5
  switch (row.quantity) {
    case 'roofArea':
      return 1.265 * footprint
    case 'perimeter':
      return around
    case 'wallArea':
      return around * home.stories * 7.65
    case 'windows':
      return Math.round(home.sqft / 150)
    case 'vents':
      return Math.max(8, Math.round(footprint / 150))
    case 'zone0Area':
      return 5 * around + 100
    case 'deckArea':
      return home.deckSqft
    case 'fenceLength':
      return home.fenceFt
    case 'doors':
      return 2
    case 'job':
      return 1
  }
}
