import { sentenceBefore } from '../sentence-before.ts'
import { hints, hintsOf } from './hints.ts'
import { sentenceAt } from './sentences.ts'

/** What a repair has cost, or would. */
export type RepairCost = {
  /** US dollars, 20 to 25,000. */
  readonly cost: number
  readonly kind: 'paid' | 'quoted'
  /** The sentence it stands in. */
  readonly sentence: string
}

/**
 * The largest repair cost that a narrative names; of a range its middle. Deductibles, deposits, rentals, tows, the price
 * of the vehicle and the like are none, nor is what a diagnosis alone has cost.
 */
export function repairCost(text: string): RepairCost | null {
  if ((hintsOf(text) & hints.money) === 0) return null
  const found = amountsIn(text).filter((amount) => isRepair(text, amount))
  const [largest] = found.sort((a, b) => b.cost - a.cost || a.start - b.start)
  if (largest === undefined) return null
  const { cost, start } = largest
  return { cost, kind: kindOf(text, largest), sentence: sentenceAt(text, start) }
}

type Amount = { readonly cost: number; readonly start: number; readonly end: number }

const number = String.raw`(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?\s?(k\b|thousand\b|grand\b)?`
const withSign = new RegExp(
  String.raw`(?:US\s?)?\$\s?${number}(?:\s?(?:-|–|to|and)\s?\$?\s?${number})?`,
  'gi',
)
const withWord = new RegExp(
  String.raw`(?<![\d.,$])${number}(?:\s?(?:-|–|to)\s?${number})?\s?(?:dollars|bucks|usd)\b`,
  'gi',
)

function amountsIn(text: string): Amount[] {
  return [...text.matchAll(withSign), ...text.matchAll(withWord)]
    .map((match) => ({ cost: costOf(match), start: match.index, end: match.index + match[0].length }))
    .filter(({ cost }) => cost >= 20 && cost <= 25_000)
}

function costOf([, ...groups]: RegExpExecArray | RegExpMatchArray): number {
  const [whole, cents, unit, toWhole, toCents, toUnit] = groups
  const low = dollars(whole, cents, unit ?? (toWhole === undefined ? undefined : toUnit))
  if (toWhole === undefined) return low
  const high = dollars(toWhole, toCents, toUnit ?? unit)
  return high > low && high < low * 10 ? Math.round((low + high) * 50) / 100 : low
}

function dollars(whole = '', cents: string | undefined, unit: string | undefined): number {
  const value = Number(`${whole.replaceAll(',', '')}.${cents ?? '0'}`)
  return unit === undefined ? value : Math.round(value * 100_000) / 100
}

const repairWords =
  /repair|fix|replac|install|quot|estimat|charg|bill|invoice|labor|part|cost|paid|pay|tune of|price|expense/i
const otherWords =
  /deductible|deposit|tow|\btoll\b|rental|hospital|medical|worth|msrp|bought|per day|miles|insurance|option|ticket|damages? to|reimbursed|discount|trade|compensation|\bfeature|\bloan\b|per month/i
const diagnosis = /diagnos|look at|tested|inspect/i
const aDiagnosis = /diagnos[it]/i
const mending = /repair|fix|replac|install/i

function isRepair(text: string, { start, end }: Amount): boolean {
  const around = `${text.slice(Math.max(0, start - 60), start)} ${text.slice(end, end + 40)}`
  const close = `${text.slice(Math.max(0, start - 28), start)} ${text.slice(end, end + 22)}`
  if (!repairWords.test(around) || otherWords.test(close)) return false
  return !isForLooking(text, start, end) && !isPrice(text, start, end)
}

/** Whether it is for looking what is wrong and for nothing else, as far as the sentence says. */
function isForLooking(text: string, start: number, end: number): boolean {
  const [before, after] = [sentenceBefore(text, start, 90), text.slice(end, end + 40)]
  if (lookingNext.test(after)) return true
  const around = `${before.slice(-60)} ${after}`
  return (diagnosis.test(around) || aDiagnosis.test(before)) && !mending.test(around)
}

/** `$85 for them to tell me how much it costs to fix`, `$260 diagnostic fee` */
const lookingNext =
  /^\W*(?:(?:for|just|only|in order|them|him) )*(?:to (?:tell|look|see|find|check|inspect|determine|figure)\b|(?:diagnos\w*|inspection) (?:fee|charge|cost))/i

/** Whether it is what the vehicle itself has cost. */
function isPrice(text: string, start: number, end: number): boolean {
  const [before, after] = [sentenceBefore(text, start, 90), text.slice(end, end + 40)]
  return (
    vehicleCosts.test(before) ||
    (paying.test(before) && (forVehicle.test(after) || (forNothing.test(after) && vehiclePaid.test(before))))
  )
}

/** `vehicles cost $20,000`; a vehicle may also cost somebody what its repair does. */
const vehicleCosts =
  /\b(?:vehicles?|cars?|trucks?|suvs?|vans?)\s+(?:that\s+)?costs?(?:ing)?(?:\s+(?:over|about|around|almost|nearly))?\s*$/i
const paying = /\b(?:pay|paid|paying|spent|spend|spending)\b.{0,25}$/is
/** `for my car`, but not `for the car to be fixed` and `for the vehicle repair` */
const forVehicle =
  /^\+?\s*(?:for|on) (?:an?|the|this|that|my|our|it) ?(?:brand )?(?:new |used )?(?:vehicle|car|truck|suv|van)\b(?! (?:to |\w*repair|part|batter|window|door|key))/i
/** `the car, which we paid $15,000 for` */
const forNothing = /^\+?\s*for\s*(?:[).,;!]|$)/i
const vehiclePaid = /\b(?:vehicle|car|truck|suv|van)\b.{0,60}$/is

const paid = /paid|charged|(?<!\b(?:will|would|could|to|gonna) )cost me|bill was|had to pay|total cost/i

function kindOf(text: string, { start, end }: Amount): RepairCost['kind'] {
  return paid.test(text.slice(Math.max(0, start - 60), end + 40)) ? 'paid' : 'quoted'
}
