import { HttpError } from '@hearth/chassis/errors'
import Joi from 'joi'
import { wildfireProblems } from './problems.ts'
import type { County, Snapshot } from './snapshot.ts'

/** A county code in a request: 5 digits, or 4 where a spreadsheet has lost the first zero. */
export const countyCodeSchema = Joi.string()
  .pattern(/^\d{4,5}$/)
  .messages({
    'string.pattern.base':
      '{#label} must have 5 digits, 2 of the state and 3 of the county, such as 06061; 4 digits are taken to lack the first zero',
  })
  .description('FIPS code of the county: 5 digits; with 4 the first zero is added.')

/** 5 digits. @param text 4 or 5 digits */
export function padCountyCode(text: string): string {
  return text.padStart(5, '0')
}

/**
 * The county with a code of a request.
 *
 * @throws HttpError county_not_found, with what superseded the code where it is a retired one
 */
export function findCounty({ counties }: Snapshot, text: string): County {
  const code = padCountyCode(text)
  const county = counties.get(code)
  if (county !== undefined) return county
  const superseded = retiredCodes[code]
  if (superseded !== undefined) {
    const detail = `County ${code} (${superseded.name}) was retired in ${superseded.year}. Ask for what took its place: ${superseded.by.join(', ')}.`
    throw new HttpError(wildfireProblems.county_not_found, detail, {
      members: { supersededBy: superseded.by },
    })
  }
  const suggestions = nearestCodes(counties, code)
  const hint =
    suggestions.length > 0
      ? ` Codes near it: ${suggestions.join(', ')}.`
      : ' No state has its first two digits.'
  throw new HttpError(wildfireProblems.county_not_found, `No county has the code ${code}.${hint}`, {
    members: suggestions.length > 0 ? { suggestions } : {},
  })
}

/** Codes of the same state that are nearest as numbers. */
function nearestCodes(counties: ReadonlyMap<string, County>, code: string): string[] {
  const distance = (other: string) => Math.abs(Number(other) - Number(code))
  return [...counties.keys()]
    .filter((other) => other.slice(0, 2) === code.slice(0, 2))
    .toSorted((a, b) => distance(a) - distance(b))
    .slice(0, 3)
    .toSorted()
}

/**
 * County codes that are found in older data. The counties of Connecticut do not map one to one to its planning
 * regions: each is named with all regions that have towns of it.
 */
export const retiredCodes: Readonly<
  Record<string, { readonly name: string; readonly year: number; readonly by: readonly string[] }>
> = {
  '02261': { name: 'Valdez-Cordova, AK', year: 2019, by: ['02063', '02066'] },
  '02270': { name: 'Wade Hampton, AK', year: 2015, by: ['02158'] },
  '09001': { name: 'Fairfield, CT', year: 2022, by: ['09120', '09140', '09190'] },
  '09003': { name: 'Hartford, CT', year: 2022, by: ['09110', '09140', '09160'] },
  '09005': { name: 'Litchfield, CT', year: 2022, by: ['09140', '09160', '09190'] },
  '09007': { name: 'Middlesex, CT', year: 2022, by: ['09130'] },
  '09009': { name: 'New Haven, CT', year: 2022, by: ['09140', '09170'] },
  '09011': { name: 'New London, CT', year: 2022, by: ['09130', '09180'] },
  '09013': { name: 'Tolland, CT', year: 2022, by: ['09110', '09150'] },
  '09015': { name: 'Windham, CT', year: 2022, by: ['09150', '09180'] },
  '12025': { name: 'Dade, FL', year: 1997, by: ['12086'] },
  '46113': { name: 'Shannon, SD', year: 2015, by: ['46102'] },
  '51515': { name: 'Bedford city, VA', year: 2013, by: ['51019'] },
  '51560': { name: 'Clifton Forge city, VA', year: 2001, by: ['51005'] },
  '51780': { name: 'South Boston city, VA', year: 1995, by: ['51083'] },
}
