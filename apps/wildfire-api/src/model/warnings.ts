import type { Hazard, LossGap } from './hazard.ts'
import type { HardeningInput } from './input.ts'

/** What a reader of these very numbers should know, beyond the limits of the model. */
export function warningsFor(input: HardeningInput, hazard: Hazard): Warning[] {
  const discounts = input.state === 'CA' || Object.keys(input.premiumDiscounts).length > 0
  return [
    ...when(hazard.source === 'estimated', 'BURN_PROBABILITY_ESTIMATED', [
      'No burn probability of this county is loaded; it is estimated from the county’s national rank and is likely',
      'to be off by a third. Give burnProbability if you know it.',
    ]),
    ...when(hazard.lossGap !== null, 'DESTRUCTION_PROBABILITY_ASSUMED', [
      `${gaps[hazard.lossGap ?? 'not_loaded']}; the loss ratio that is usual in its region is used.`,
    ]),
    ...when(!hazard.isForExposure, 'AVERAGE_EXPOSURE_UNKNOWN', [
      `${gaps[hazard.lossGap ?? 'not_loaded']}, so how likely fire is to arrive at its average home does not follow.`,
      'The values are those of an exposed home; for the average one they are too high.',
    ]),
    ...when(input.annualPremium === 0, 'NO_PREMIUM', [
      'No insurance premium was given, so the household view counts no premium saving.',
    ]),
    ...when(input.annualPremium > 0 && !discounts, 'NO_KNOWN_DISCOUNT', [
      'Insurers outside California need not reward these measures, so no premium saving is counted.',
      'If yours does, give premiumDiscounts.',
    ]),
  ]
}

const gaps: Readonly<Record<LossGap, string>> = {
  not_loaded: 'No row of the National Risk Index is loaded for this county',
  blank:
    'The National Risk Index leaves the loss ratio, the exposure or the expected loss of this county blank',
  no_loss: 'The National Risk Index expects no wildfire loss of buildings in this county',
  implausible:
    'The loss ratio, exposure and expected loss of this county in the National Risk Index do not go together',
}

/** What the model leaves out; part of every answer. */
export const limits: readonly string[] = [
  'The hazard is that of the county, not of the parcel: a home in the forest can face ten times as much, one in the middle of a town far less. A burn probability for the parcel can be given as burnProbability.',
  'The burn probability stays what it is today; no change of climate or vegetation is assumed.',
  'Neighbouring houses are not part of the model, although the distance to them weighs more than anything else once houses burn.',
  'The effects of the measures are calibrated: together they reproduce what was found after fires, but how they divide among single measures is judgement.',
  'Costs are typical ones of 2024 for a house of this size, not bids.',
  'Lives, smoke, the chance of getting insurance at all and the worth of the house on the market are not valued.',
  'This is not an insurance quote, and no measure makes a house safe: in a conflagration most of the risk remains.',
]

function when(holds: boolean, code: WarningCode, sentences: readonly string[]): Warning[] {
  return holds ? [{ code, message: sentences.join(' ') }] : []
}

/** The closed list of warnings. */
export type WarningCode =
  | 'BURN_PROBABILITY_ESTIMATED'
  | 'DESTRUCTION_PROBABILITY_ASSUMED'
  | 'AVERAGE_EXPOSURE_UNKNOWN'
  | 'NO_PREMIUM'
  | 'NO_KNOWN_DISCOUNT'

/** message is one or more full sentences for people; code is for programs. */
export type Warning = Readonly<{ code: WarningCode; message: string }>
