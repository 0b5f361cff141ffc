import { anyHome, placerHome } from '../../test/homes.ts'
import { homeQuantities } from './geometry.ts'
import { bareParts, presumedMeasures } from './input.ts'

describe('the quantities of a home', () => {
  test('follow from its living area', () => {
    const home = homeQuantities(placerHome)
    expect(home).toMatchObject({ roofArea: 2530, windows: 13, vents: 13, doors: 2, job: 1 })
    expect(home).toMatchObject({ deckArea: 300, fenceLength: 16 })
    expect(home.perimeter).toBeCloseTo(196.773982, 6)
    expect(home.wallArea).toBeCloseTo(1505.320962, 6)
    expect(home.zone0Area).toBeCloseTo(1083.86991, 6)
  })

  test('share a footprint between stories', () => {
    const [one, two] = [1, 2].map((stories) => homeQuantities({ ...anyHome, sqft: 2000, stories }))
    expect(two?.roofArea).toBe(1265)
    expect(two?.windows).toBe(one?.windows)
    expect(two?.wallArea).toBeCloseTo(2 * 4.4 * Math.sqrt(1000) * 9 * 0.85, 9)
  })

  test('have at least eight vents', () => {
    expect(homeQuantities({ ...anyHome, sqft: 300 }).vents).toBe(8)
  })
})

describe('what a home is presumed to have', () => {
  test.each([
    [undefined, 'CA', ['roof_class_a']],
    [1989, 'CA', ['roof_class_a']],
    [1990, 'CA', ['roof_class_a', 'windows_multipane']],
    [2007, 'CA', ['roof_class_a', 'windows_multipane']],
    [2008, 'OR', ['roof_class_a', 'windows_multipane']],
  ])('built %p in %s: %p', (year, state, expected) => {
    expect(presumedMeasures(year, state)).toEqual(expected)
  })

  test('is what the code asks for, in California from 2008 on', () => {
    expect(presumedMeasures(2008, 'CA')).toEqual([
      'roof_class_a',
      'ember_vents',
      'enclosed_eaves',
      'siding_noncombustible',
      'windows_multipane',
      'base_clearance',
    ])
  })
})

test('a part that a home does not have needs no hardening', () => {
  expect(bareParts({ deckSqft: 0, fenceFt: 16 })).toEqual(['deck_noncombustible', 'underdeck_clear'])
  expect(bareParts({ deckSqft: 200, fenceFt: 0 })).toEqual(['fence_break'])
  expect(bareParts({ deckSqft: 0.1, fenceFt: 0.1 })).toEqual([])
})
