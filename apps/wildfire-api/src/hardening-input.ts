import { invalid } from '@hearth/chassis/validate'
import Joi from 'joi'
import { countyCodeSchema } from './county-code.ts'
import { hardeningDefaults, presumedMeasures, type HardeningInput } from './model/input.ts'
import { measureIds, type MeasureId } from './model/measures.ts'
import { discountOf, missingMeasures } from './model/scenario.ts'

/** A checked request, defaults filled in. */
export type HardeningRequest = Pick<
  HardeningInput,
  'replacementCost' | 'sqft' | keyof typeof hardeningDefaults
> & {
  readonly countyCode: string
  readonly yearBuilt?: number | null
  readonly existingMeasures?: readonly MeasureId[] | null
  readonly burnProbability?: number | null
  readonly budget?: number | null
  readonly premiumDiscounts?: HardeningInput['premiumDiscounts']
}

/** Every input as it was used, and where its value comes from. */
export type Assumptions = Readonly<Record<string, Assumption>>

type Assumption = {
  readonly value: unknown
  readonly source: Source
  /** Of a value that has parts which come from different places. */
  readonly sources?: Readonly<Record<string, Source>>
}

type Source = 'default' | 'request'

/** The inputs as fields of a joi object. */
export const hardeningFields: Readonly<Record<keyof HardeningRequest, Joi.Schema>> = {
  countyCode: countyCodeSchema.required(),
  replacementCost: number(50_000, 20_000_000)
    .required()
    .description('USD that it costs to build the home anew; not its market value, which includes the land.'),
  sqft: number(300, 20_000).required().description('Living area of all stories in square feet.'),
  stories: assumed(integer(1, 4), 'stories').description('Stories above ground.'),
  yearBuilt: integer(1850, 2100)
    .allow(null)
    .description(
      'Year of construction, not in the future. Only used when existingMeasures is left out: then a home has a Class A roof, from 1990 on multi-pane windows, and in California from 2008 on what the building code asks for.',
    ),
  existingMeasures: Joi.array()
    .items(Joi.string().valid(...measureIds))
    .unique()
    .allow(null)
    .description(
      'Ids of the measures in place today. A home with a wood-shake roof lacks `roof_class_a`; one without outbuildings has `outbuildings_30ft`. Left out: presumed from yearBuilt. `[]` means none.',
    ),
  deckSqft: assumed(number(0, 3000), 'deckSqft').description('Area of the decks in square feet; 0: no deck.'),
  fenceFt: assumed(number(0, 500), 'fenceFt').description(
    'Feet of combustible fence within 5 ft of the house; 0: none.',
  ),
  annualPremium: assumed(number(0, 1_000_000), 'annualPremium').description(
    'USD a year for the home insurance; only for the household view.',
  ),
  deductible: assumed(number(0, 20_000_000), 'deductible').description(
    'USD of a loss that the household pays first; only for the household view.',
  ),
  uninsuredShare: assumed(number(0, 1), 'uninsuredShare').description(
    'Share of a total loss that no insurance pays; only for the household view.',
  ),
  contentsRatio: assumed(number(0, 5), 'contentsRatio').description(
    'Value of the contents as a share of replacementCost.',
  ),
  aleRatio: assumed(number(0, 5), 'aleRatio').description(
    'Cost of living elsewhere while rebuilding, as a share of replacementCost.',
  ),
  exposure: Joi.string()
    .valid('exposed', 'average')
    .default(hardeningDefaults.exposure)
    .description(
      '`exposed`: the home stands where fire can reach it. `average`: like the average building of the county, most of which fire cannot reach.',
    ),
  burnProbability: number(0, 0.2)
    .allow(null)
    .description(
      'Annual probability that fire arrives at the home, in place of the county’s; 0.01 is once in a hundred years.',
    ),
  horizonYears: assumed(integer(1, 50), 'horizonYears').description('Years that are looked at.'),
  discountRate: assumed(number(0, 0.15), 'discountRate').description(
    'Real discount rate a year, as a fraction: 0.031 is 3.1 %.',
  ),
  budget: number(0, 20_000_000)
    .allow(null)
    .description('Most USD that bestBundle may cost at once. Left out or null: no limit.'),
  premiumDiscounts: Joi.object(Object.fromEntries(measureIds.map((id) => [id, number(0, 0.2)]))).description(
    'Share of the premium that the insurer of this home takes off for a measure, by id, such as 0.005 for 0.5 %. Replaces the catalogue’s figures, which hold for California only; elsewhere they are 0. All together take off at most 0.2.',
  ),
}

/**
 * The model's input for a checked request.
 *
 * @param state two letters, of the county
 * @param year the current year, UTC
 * @throws HttpError validation_failed for a year of construction in the future
 */
export function resolveInput(request: HardeningRequest, state: string, year: number): HardeningInput {
  const { yearBuilt, existingMeasures, burnProbability, budget, premiumDiscounts } = request
  if (typeof yearBuilt === 'number' && yearBuilt > year) {
    const detail = `yearBuilt must be ${year} or earlier. For a home that is still being built, name what it has in existingMeasures instead.`
    throw invalid([{ pointer: '/yearBuilt', code: 'too_large', detail }])
  }
  return {
    ...request,
    state,
    existingMeasures: existingMeasures ?? presumedMeasures(yearBuilt ?? undefined, state),
    burnProbability: burnProbability ?? undefined,
    budget: budget ?? undefined,
    premiumDiscounts: premiumDiscounts ?? {},
  }
}

/** Every input as it was used. `raw` is the request before defaults were filled in; null counts as left out. */
export function describeAssumptions(
  input: HardeningInput,
  request: HardeningRequest,
  raw: unknown,
): Assumptions {
  const given = new Map<string, unknown>(typeof raw === 'object' && raw !== null ? Object.entries(raw) : [])
  const used = new Map<string, unknown>(Object.entries({ ...request, ...input }))
  const described = Object.keys(hardeningFields).map((name): [string, Assumption] => {
    const source = (given.get(name) ?? null) === null ? 'default' : 'request'
    return [name, { value: used.get(name) ?? null, source }]
  })
  return { ...Object.fromEntries(described), premiumDiscounts: describeDiscounts(input) }
}

/** The discounts of the central case, which the catalogue fills in where the request says nothing. */
function describeDiscounts(input: HardeningInput): Assumption {
  const missing = missingMeasures(input)
  const sourceOf = (id: MeasureId): Source =>
    input.premiumDiscounts[id] === undefined ? 'default' : 'request'
  return {
    value: Object.fromEntries(missing.map((measure) => [measure.id, discountOf(measure, input, 'central')])),
    source: Object.keys(input.premiumDiscounts).length === 0 ? 'default' : 'request',
    sources: Object.fromEntries(missing.map(({ id }) => [id, sourceOf(id)])),
  }
}

function assumed(schema: Joi.NumberSchema, name: keyof typeof hardeningDefaults): Joi.NumberSchema {
  return schema.default(hardeningDefaults[name])
}

function number(min: number, max: number): Joi.NumberSchema {
  return Joi.number().min(min).max(max)
}

function integer(min: number, max: number): Joi.NumberSchema {
  return number(min, max).integer()
}
