import { jackson, placer } from '../../test/homes.ts'
import {
  estimateBurnProbability,
  resolveHazard,
  type CountyHazard,
  type CountyLosses,
  type LossGap,
} from './hazard.ts'

describe('the hazard of a county', () => {
  test('follows from its expected losses', () => {
    expect(resolveHazard(placer, 'exposed', undefined)).toEqual({
      p: 24042066.83 / (13143484407 * 0.3),
      d0: 0.3,
      source: 'nri_expected_loss',
      d0Source: 'nri',
      isForExposure: true,
      lossGap: null,
    })
    expect(resolveHazard(jackson, 'exposed', undefined)?.p).toBeCloseTo(0.012273, 6)
  })

  test('is lower for the average building', () => {
    expect(resolveHazard(placer, 'average', undefined)).toMatchObject({
      p: 24042066.83 / (105723000000 * 0.3),
      source: 'nri_expected_loss',
      isForExposure: true,
    })
  })

  test('gives way to a burn probability of the request, but keeps the loss ratio', () => {
    expect(resolveHazard(withLosses({ lossRatio: 0.25 }), 'average', 0)).toEqual({
      p: 0,
      d0: 0.25,
      source: 'request',
      d0Source: 'nri',
      isForExposure: true,
      lossGap: null,
    })
  })

  test.each<[string, Partial<CountyLosses>, LossGap]>([
    ['nothing exposed', { exposedValue: 0 }, 'no_loss'],
    ['no loss', { expectedLoss: 0 }, 'no_loss'],
    ['no loss and no loss ratio', { expectedLoss: 0, lossRatio: null }, 'no_loss'],
    ['a blank loss', { expectedLoss: null }, 'blank'],
    ['a blank loss ratio', { lossRatio: null }, 'blank'],
    ['a loss ratio of 0', { lossRatio: 0 }, 'implausible'],
    ['a loss ratio of 1', { lossRatio: 1 }, 'implausible'],
    ['a probability over 1', { expectedLoss: 1e12 }, 'implausible'],
    ['a loss that is not a number', { expectedLoss: NaN }, 'implausible'],
  ])('is the published burn probability where the row has %s', (_, losses, lossGap) => {
    expect(resolveHazard(withLosses(losses), 'exposed', undefined)).toEqual({
      p: 0.006092994,
      d0: 0.3,
      source: 'nri_burn_probability',
      d0Source: 'region',
      isForExposure: true,
      lossGap,
    })
  })

  test('of the average building has a value only where all buildings have one', () => {
    const hazard = resolveHazard(withLosses({ totalValue: null }), 'average', undefined)
    expect(hazard).toMatchObject({ p: 0.006092994, isForExposure: false })
  })

  test('of the average building is not taken from losses where nothing is exposed', () => {
    const hazard = resolveHazard(withLosses({ exposedValue: 0 }), 'average', undefined)
    expect(hazard).toMatchObject({ source: 'nri_burn_probability', isForExposure: false })
  })

  test('is estimated from the rank where nothing else is known, and says so', () => {
    const county: CountyHazard = { state: 'FL', nri: null, burnProbabilityRank: 0.564 }
    expect(resolveHazard(county, 'exposed', undefined)).toEqual({
      p: estimateBurnProbability(0.564),
      d0: 0.1,
      source: 'estimated',
      d0Source: 'region',
      isForExposure: true,
      lossGap: 'not_loaded',
    })
    expect(resolveHazard(county, 'average', undefined)?.isForExposure).toBe(false)
  })

  test('is not known without data, unless the request gives it', () => {
    const county: CountyHazard = { state: 'MT', nri: null, burnProbabilityRank: null }
    expect(resolveHazard(county, 'exposed', undefined)).toBeUndefined()
    expect(resolveHazard(county, 'exposed', 0.01)).toMatchObject({ p: 0.01, d0: 0.3, source: 'request' })
  })
})

describe('the estimate from a rank', () => {
  test.each([
    [0.564, 0.000642],
    [0.615, 0.00077],
    [0.998, 0.0193],
    [0.928, 0.00471],
    [0.471, 0.000464],
  ])('of %p is %p', (rank, expected) => {
    expect(Number(estimateBurnProbability(rank).toPrecision(3))).toBe(expected)
  })

  test('grows with the rank and ends at its ends', () => {
    expect(estimateBurnProbability(0.2)).toBeLessThan(estimateBurnProbability(0.3))
    expect(estimateBurnProbability(0)).toBe(estimateBurnProbability(0.001))
    expect(estimateBurnProbability(1)).toBe(estimateBurnProbability(0.985))
    expect(estimateBurnProbability(0)).toBeGreaterThan(0)
    expect(estimateBurnProbability(1)).toBeLessThan(0.0194)
  })
})

function withLosses(losses: Partial<CountyLosses>): CountyHazard {
  const { nri } = placer
  return { ...placer, nri: nri && { ...nri, ...losses } }
}
