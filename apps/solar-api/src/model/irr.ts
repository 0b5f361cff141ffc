import type { Series } from './measures.ts'

/**
 * Internal rate of return: the rate between -99 % and 1000 % a year at which the flows are worth nothing.
 * It is given only where it is the one such rate.
 *
 * With u = ln(1 + rate) the value is a polynomial in e^-u. By Descartes' rule a single change of sign means
 * a single root; with more changes a grid of 256 points decides between none, one and several.
 * @param flows USD per year, flows[0] today
 * @param guess a rate to start from, > -1; it changes the number of steps, not the result
 */
export function internalRateOfReturn(flows: Series, guess: number): InternalRateOfReturn {
  const changes = signChanges(flows)
  if (changes === 0) return { irr: null, irrStatus: 'no_sign_change' }
  const [bracket, ...others] = rootBrackets(flows, changes === 1 ? 2 : gridPoints)
  if (bracket === undefined) return { irr: null, irrStatus: 'no_root' }
  if (others.length > 0) return { irr: null, irrStatus: 'multiple' }
  return { irr: Math.expm1(refineRoot(flows, bracket, Math.log1p(guess))), irrStatus: 'ok' }
}

const gridPoints = 256
const lowest = Math.log(0.01)
const highest = Math.log(11)
const tolerance = 1e-13

function signChanges(flows: Series): number {
  let changes = 0
  let before = 0
  for (let year = 0; year < flows.length; year++) {
    const flow = flows[year] ?? 0
    if (flow * before < 0) changes += 1
    if (flow !== 0) before = Math.sign(flow)
  }
  return changes
}

function rootBrackets(flows: Series, points: number): Bracket[] {
  const brackets: Bracket[] = []
  let low = lowest
  let lowSide = valueAt(flows, low) >= 0
  for (let point = 1; point < points; point++) {
    const high = lowest + ((highest - lowest) * point) / (points - 1)
    const highSide = valueAt(flows, high) >= 0
    if (highSide !== lowSide) brackets.push({ low, high, isRising: highSide })
    low = high
    lowSide = highSide
  }
  return brackets
}

/** Newton's method, with a bisection wherever its step leaves the bracket or fails to halve the one before. */
function refineRoot(flows: Series, bracket: Bracket, guess: number): number {
  let { low, high } = bracket
  let u = guess > low && guess < high ? guess : (low + high) / 2
  let stepBefore = high - low
  // Bisection alone would need 47 steps; each is taken at most once more for Newton's sake.
  for (let round = 0; round < 100; round++) {
    const discount = Math.exp(-u)
    let value = 0
    let derivative = 0
    for (let year = flows.length - 1; year >= 0; year--) {
      derivative = derivative * discount + value
      value = value * discount + (flows[year] ?? 0)
    }
    if (value >= 0 === bracket.isRising) high = u
    else low = u
    const newton = u + value / (discount * derivative) // by u the slope is -discount * derivative
    const converges = newton > low && newton < high && Math.abs(newton - u) <= stepBefore / 2
    const next = converges ? newton : (low + high) / 2
    stepBefore = Math.abs(next - u)
    u = next
    if (stepBefore <= tolerance) break
  }
  return u
}

/** The value of the flows at u = ln(1 + rate). */
function valueAt(flows: Series, u: number): number {
  const discount = Math.exp(-u)
  let value = 0
  for (let year = flows.length - 1; year >= 0; year--) value = value * discount + (flows[year] ?? 0)
  return value
}

/** `ok`; or why there is no rate: the flows never change sign, no rate fits, or several do. */
export type IrrStatus = 'ok' | 'no_sign_change' | 'no_root' | 'multiple'

/** irr is a fraction a year, null unless irrStatus is `ok`. */
export type InternalRateOfReturn = Readonly<{ irr: number | null; irrStatus: IrrStatus }>

type Bracket = Readonly<{ low: number; high: number; isRising: boolean }>
