/**
 * 1 + q + q^2 + ... + q^(terms - 1), by binary doubling: no division, so it is exact at q = 1 and loses no digits
 * near it, where the quotient (q^n - 1) / (q - 1) does.
 * @param q any finite ratio
 * @param terms whole, 0..2^30; 0 gives 0
 */
export function geometricSum(q: number, terms: number): number {
  let sum = 0
  let power = 1
  for (let bit = highestBit(terms); bit > 0; bit >>>= 1) {
    sum *= 1 + power
    power *= power
    if (terms & bit) {
      sum = sum * q + 1
      power *= q
    }
  }
  return sum
}

/**
 * q^exponent by repeated squaring. The built-in power differs in its last bit between versions of Node; products
 * do not.
 * @param q any finite number
 * @param exponent whole, 0..2^30; q^0 is 1, also for q = 0
 */
export function wholePower(q: number, exponent: number): number {
  let power = 1
  for (let bit = highestBit(exponent); bit > 0; bit >>>= 1) {
    power *= power
    if (exponent & bit) power *= q
  }
  return power
}

function highestBit(whole: number): number {
  return whole > 0 ? 1 << (31 - Math.clz32(whole)) : 0
}
