import type { HardeningInput } from './input.ts'
import type { QuantityName } from './measures.ts'

/**
 * How much of each part a home has, in feet, square feet or pieces, from its living area and stories: a rectangle
 * whose perimeter is 4.4 times the root of its footprint, walls of 9 ft with 15 % openings, a roof 26.5 % larger
 * than the footprint. Only the deck and the fence are taken as given.
 */
export function homeQuantities(
  home: Pick<HardeningInput, 'sqft' | 'stories' | 'deckSqft' | 'fenceFt'>,
): Readonly<Record<QuantityName, number>> {
  const footprint = home.sqft / home.stories
  const perimeter = 4.4 * Math.sqrt(footprint)
  return {
    roofArea: footprint * 1.265,
    perimeter,
    wallArea: perimeter * 9 * home.stories * 0.85,
    windows: Math.round(home.sqft / 150),
    doors: 2,
    vents: Math.max(8, Math.round(footprint / 150)),
    zone0Area: perimeter * 5 + 100,
    deckArea: home.deckSqft,
    fenceLength: home.fenceFt,
    job: 1,
  }
}

/** The same in words, for people. */
export const quantityTexts: Readonly<Record<QuantityName, string>> = {
  roofArea: '1.265 x footprint, the footprint being sqft / stories',
  perimeter: '4.4 x square root of the footprint',
  wallArea: 'perimeter x 9 ft x stories, less 15 % for openings',
  windows: 'sqft / 150, rounded',
  doors: 'always 2',
  vents: 'footprint / 150, rounded, at least 8',
  zone0Area: 'perimeter x 5 ft + 100 sq ft for the corners',
  deckArea: 'deckSqft',
  fenceLength: 'fenceFt',
  job: 'one job',
}
