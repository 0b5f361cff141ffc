import type { SolarInput } from './model/input.ts'
import { solarDefaults } from './model/input.ts'
import { assumptionOf, describeAssumptions, fieldNames } from './solar-input.ts'
import { presentResult } from './solar-result.ts'

/**
 * The JSON text of presentCalculation(input, raw, withCashFlow), in half the time. Two thirds of it are assumptions,
 * and most assumptions of most requests are defaults, whose text never changes.
 */
export function calculationText(input: SolarInput, raw: unknown, withCashFlow: boolean): string {
  const { result, warnings } = presentResult(input, raw, withCashFlow)
  const start = JSON.stringify(result).slice(0, -1)
  return `${start},"assumptions":${assumptionsText(input, raw)},"warnings":${JSON.stringify(warnings)}}`
}

/** The JSON text of describeAssumptions(input, raw). */
function assumptionsText(input: SolarInput, raw: unknown): string {
  if (input.loan !== undefined) return JSON.stringify(describeAssumptions(input, raw))
  const given = typeof raw === 'object' && raw !== null ? raw : {}
  let text = ''
  for (const name of names) {
    const isDefault = !(name in given) && input[name] === defaults[name]
    text += isDefault ? (defaultTexts[name] ?? '') : member(name, assumptionOf(input, given, name))
  }
  return `{${text.slice(1)}}`
}

function member(name: string, row: object): string {
  return `,${JSON.stringify(name)}:${JSON.stringify(row)}`
}

/** In the order of describeAssumptions, which has the loan last. */
const names = [...fieldNames.filter((name) => name !== 'loan'), 'loan'] as const
const defaults: Partial<SolarInput> = solarDefaults
const defaultTexts = Object.fromEntries(
  names.map((name) => [name, member(name, assumptionOf(defaults, {}, name))]),
)
