import type { SolarInput } from './model/input.ts'
import { solarDefaults } from './model/input.ts'
import { assumptionOf, describeAssumptions, fieldNames } from './solar-input.ts'
import { presentResult } from './solar-result.ts'

/**
 * The JSON text of presentCalculation(input, raw, withCashFlow), in half the time. Two thirds of it are assumptions,
 * and of most assumptions of most requests the text is known before: those that the request does not give.
 */
export function calculationText(input: SolarInput, raw: unknown, withCashFlow: boolean): string {
  const { result, warnings } = presentResult(input, raw, withCashFlow)
  const start = JSON.stringify(result).slice(0, -1)
  return `${start},"assumptions":${assumptionsText(input, raw)},"warnings":${JSON.stringify(warnings)}}`
}

/** The JSON text of describeAssumptions(input, raw). */
function assumptionsText(input: SolarInput, raw: unknown): string {
  if (input.loan !== undefined) return JSON.stringify(describeAssumptions(input, raw))
  const { given, texts } = layoutFor(typeof raw === 'object' && raw !== null ? raw : {})
  let text = texts[0] ?? ''
  for (const [position, name] of given.entries()) {
    const value = input[name] ?? null
    const valueText = typeof value === 'number' ? String(value) : JSON.stringify(value)
    text += valueText + (texts[position + 1] ?? '')
  }
  return text
}

/** The text before, between and behind the values of the inputs that a request gives. */
type Layout = { readonly given: readonly (keyof SolarInput)[]; readonly texts: readonly string[] }

/** The layout for the fields of a request: few combinations of them make up nearly all requests. */
function layoutFor(raw: object): Layout {
  const fields = Object.keys(raw).join()
  const known = layouts.get(fields)
  if (known !== undefined) return known
  if (layouts.size >= mostLayouts) layouts.clear()
  const layout = makeLayout(raw)
  layouts.set(fields, layout)
  return layout
}

const layouts = new Map<string, Layout>()
const mostLayouts = 1000

function makeLayout(raw: object): Layout {
  const given = names.filter((name) => name in raw)
  const rows = names.map((name) => {
    const row = name in raw ? { value: slot, source: 'request' } : assumptionOf(defaults, {}, name)
    return `${JSON.stringify(name)}:${JSON.stringify(row)}`
  })
  return { given, texts: `{${rows.join()}}`.split(JSON.stringify(slot)) }
}

/** Stands where a value goes; no text of ours has it. */
const slot = '\0'
/** In the order of describeAssumptions, which has the loan last. */
const names = [...fieldNames.filter((name) => name !== 'loan'), 'loan'] as const
const defaults: Partial<SolarInput> = solarDefaults
