import fc from 'fast-check'
import type { CountyHazard, Hazard } from '../src/model/hazard.ts'
import { hardeningDefaults, type HardeningInput } from '../src/model/input.ts'
import { measureIds } from '../src/model/measures.ts'

/** Two counties as the National Risk Index v1.20 (December 2025) has them. */
export const placer: CountyHazard = {
  state: 'CA',
  burnProbabilityRank: 0.961,
  nri: {
    expectedLoss: 24042066.83,
    exposedValue: 13143484407,
    totalValue: 105723000000,
    lossRatio: 0.3,
    burnProbability: 0.006092994,
  },
}
export const jackson: CountyHazard = {
  state: 'OR',
  burnProbabilityRank: 0.98,
  nri: {
    expectedLoss: 23549688.56,
    exposedValue: 6396159180,
    totalValue: 54701142974,
    lossRatio: 0.3,
    burnProbability: 0.011023223,
  },
}

/** What every home below starts from. */
export const anyHome: HardeningInput = {
  ...hardeningDefaults,
  state: 'CA',
  replacementCost: 500_000,
  sqft: 2000,
  existingMeasures: [],
  burnProbability: undefined,
  budget: undefined,
  premiumDiscounts: {},
}

/** A partly hardened home in Placer County. */
export const placerHome: HardeningInput = {
  ...anyHome,
  replacementCost: 600_000,
  deckSqft: 300,
  annualPremium: 4800,
  deductible: 5000,
  existingMeasures: ['roof_class_a', 'windows_multipane', 'defensible_5_30'],
}

/** A home with a wooden roof in Jackson County. */
export const jacksonHome: HardeningInput = {
  ...anyHome,
  state: 'OR',
  replacementCost: 450_000,
  sqft: 1800,
  annualPremium: 2400,
  deductible: 2500,
  existingMeasures: ['windows_multipane'],
}

/** Any home within the ranges of the model. */
export function validHome(): fc.Arbitrary<HardeningInput> {
  return fc.record({
    state: fc.constantFrom('CA', 'OR', 'FL'),
    replacementCost: real(50_000, 20_000_000),
    sqft: real(300, 20_000),
    stories: fc.integer({ min: 1, max: 4 }),
    existingMeasures: fc.subarray([...measureIds]),
    deckSqft: fc.oneof(fc.constant(0), real(0, 3000)),
    fenceFt: fc.oneof(fc.constant(0), real(0, 500)),
    annualPremium: real(0, 1_000_000),
    deductible: real(0, 20_000_000),
    uninsuredShare: real(0, 1),
    contentsRatio: real(0, 5),
    aleRatio: real(0, 5),
    exposure: fc.constantFrom('exposed', 'average'),
    burnProbability: fc.constant(undefined),
    horizonYears: fc.integer({ min: 1, max: 50 }),
    discountRate: fc.oneof(fc.constant(0), real(0, 0.15)),
    budget: fc.option(real(0, 100_000), { nil: undefined }),
    premiumDiscounts: fc.constantFrom({}, { ember_vents: 0.01 }, { zone0: 0.2, roof_class_a: 0.2 }),
  })
}

/** Any hazard that the model can be asked about, mostly such as counties have. */
export function validHazard(): fc.Arbitrary<Hazard> {
  return fc.record({
    p: fc.oneof(real(0, 0.05), real(0, 1)),
    d0: fc.oneof(fc.constantFrom(0.1, 0.3), real(0.001, 0.999)),
    source: fc.constant('request'),
    d0Source: fc.constantFrom('nri', 'region'),
    isForExposure: fc.boolean(),
    lossGap: fc.constantFrom(null, 'not_loaded', 'no_loss'),
  })
}

/** A number as a request can hold it. */
export function real(min: number, max: number): fc.Arbitrary<number> {
  return fc.double({ min, max, noNaN: true })
}

/** Every number inside a result. */
export function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}
