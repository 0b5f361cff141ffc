import { sentenceBefore } from '../sentence-before.ts'
import { hints, hintsOf } from './hints.ts'

/**
 * Miles on the vehicle at the failure, as the narrative has them: `THE FAILURE MILEAGE WAS 57,000`, `AT 76K MILES`.
 * Distances driven, intervals, warranties, speeds, the miles at the purchase and those on other vehicles are none of it;
 * nor is the current mileage where the text says that the one of the failure is unknown.
 *
 * @returns 1 to 400,000; null when it has none, or several of which none is said to be that of the failure
 */
export function narrativeMileage(text: string): number | null {
  if ((hintsOf(text) & hints.miles) === 0) return null
  const named = milesIn(text, failureMileage)
  if (named.length > 0) return named[0] ?? null
  if (unknownMileage.test(text)) return null
  const [only, ...others] = new Set(milesIn(text, onVehicle))
  if (only !== undefined) return others.length === 0 ? only : null
  const [bare, ...more] = new Set(milesIn(text, anyMiles).filter((miles) => miles >= leastBare))
  return bare !== undefined && more.length === 0 ? bare : null
}

/** Fewer miles without a word around them are the way home. */
const leastBare = 1_000
const mostMiles = 400_000

const amount = String.raw`(\d{1,3}(?:(?:,\s?|\.)\d{3})+|\d+(?:\.\d+)?)\s?(k\b|thousand\b)?`
const about = String.raw`(?:\s*(?:approximately|approximate|approx\.?|about|around|roughly|only|just|over|under|at|~|is|was|were|of|:|=))*`

/** The hotline closes with it: "The approximate failure mileage was 16,700." */
const failureMileage = new RegExp(
  String.raw`\bfail(?:ure|ed)?\s+mileages?${about}\s*${amount}(?!\s*(?:-|and|to|through)\s*\d)`,
  'gi',
)

/** The hotline again: "The failure mileage was unknown and the current mileage was 175,000." */
const unknownMileage =
  /\bfail(?:ure|ed)?\s+mileages?\s+(?:(?:was|were|is)\s+)?(?:un(?:known|available|determined)|not\s+(?:known|available|provided|given|recorded))/i

const unit = '(?:miles?|mileage)'

/** Miles that something says are those on the vehicle; the current mileage, as the hotline has it, is not of the failure. */
const onVehicle = new RegExp(
  [
    String.raw`\b(?:(?<!(?<!\b(?:failure|failed) and )current (?:vehicle )?)mileage|odometer(?:\s+(?:reading|reads?|shows?))?)${about}\s*${amount}`,
    String.raw`(?<!\bevery |\bfor |\blast |\bnext )\b(?:at|with|has|have|had|having|reached|hit|got)${about}\s+\$?${amount}\s*\+?\s*(?:original\s+|actual\s+|total\s+)?${unit}\b`,
    String.raw`(?<![\d.,/-])${amount}\s*\+?\s*(?:original\s+|actual\s+|total\s+)?miles?\s+(?:(?:were|was|are|is|put)\s+)?on\s+(?:it|the|my|this|our|her|his|car|vehicle|truck|odometer|clock|engine)\b`,
  ].join('|'),
  'gi',
)

const anyMiles = new RegExp(
  String.raw`(?<![\d.,/$-])${amount}\s*\+?\s*(?:original\s+|actual\s+|total\s+)?${unit}\b`,
  'gi',
)

function milesIn(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [digits = '', thousand] = match.slice(match.findIndex(isFilled))
    const miles = milesOf(digits, thousand)
    if (miles === null || isSomethingElse(text, match.index, match.index + match[0].length)) return []
    const [, first, unit] = firstOfTwo.exec(text.slice(Math.max(0, match.index - 16), match.index)) ?? []
    return first === undefined || !startsWithDigit(match[0]) ? [miles] : [milesOf(first, unit) ?? 0, miles]
  })
}

/** `between 30,000 and 80,000 miles`: neither is that of the failure. */
const firstOfTwo = /(\d[\d,.]*)\s?(k\b|thousand\b)?\s?(?:to|and|or|-|–)\s?$/i

function startsWithDigit(text: string): boolean {
  return /^\d/.test(text)
}

/** The groups that did not take part are undefined, which the types of matches do not say. */
function isFilled(group: string | undefined, index: number): boolean {
  return index > 0 && group !== undefined
}

function milesOf(digits: string, thousand: string | undefined): number | null {
  const plain = /^\d{1,3}(?:(?:,\s?|\.)\d{3})+$/.test(digits) ? digits.replaceAll(/[,.\s]/g, '') : digits
  const value = Math.round(Number(plain) * (thousand === undefined ? 1 : 1_000))
  return value >= 1 && value <= mostMiles ? value : null
}

function isSomethingElse(text: string, start: number, end: number): boolean {
  return (
    notBefore.test(text.slice(Math.max(0, start - 50), start)) ||
    notAfter.test(text.slice(end, end + 60)) ||
    atPurchase.test(sentenceBefore(text, start, 120))
  )
}

/** Warranties, intervals, distances, and what other vehicles had. */
const notBefore =
  /(?:warrant\w*[^.]{0,30}|(?:every\w?|within|another|additional|first|last|next|previous|per|extra|in (?:less|under)|year\w*(?:\s?\/|,? or| and)?|months?(?:\s?\/|,? or| and)?|yrs?(?:\s?\/|,? or)?|drove|driven|drive|driving|moving|travel\w*|bought|purchas\w*|up to|\d\s?\/|coverage \w*|speed\w*\sof|going|doing|typical\w*|usual\w*|common\w*|loaner|as low as|(?:vehicles|cars|trucks|automobiles|engines|models)\b[^.]{0,20})(?:\s(?:approximately|approx\.?|about|around|only|maybe|happen\w*|occur\w*|seen|the|it|a|this|used|new|car|vehicle|truck|with|at|then|than|less|more|over|of|to|[12]\d{3}))*\s*)$/i

const notAfter =
  /^\W{0,2}\s*(?:per\b|an\s*hour|hour|hr\b|(?:of\s+|'?s\s+)?warrant|(?:'?s\s+)?(?:main\w+|servic\w+)|of (?:driving|battery|range|power)|later|away|from\b|down\b|up the|to (?:the|my|go|empty)|till|until|trip|before\b|ago|since|after (?:the|that|this|my|last)|which\s?ever|whatever|extended|power\s?train|bumper|limit|drive home|road|or \d+\s*(?:years|months)|(?:on (?:it|the \w+) )?(?:certified|pre-?owned|(?:at|on|upon|when) (?:the )?(?:time of )?(?:my |our )?(?:purchase|delivery|(?:i|we) (?:bought|purchased|got|leased))))/i

/** A purchase is told of, and nothing that came later. */
const atPurchase =
  /\b(?:bought|purchas\w*|leased|acquired|took delivery)\b(?!.*\b(?:now|currently|when|until|after|since|then|but|fail\w*|broke\w*|start\w*|began|happen\w*|notice\w*|problem\w*|issue\w*)\b)/is
