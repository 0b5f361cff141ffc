/**
 * Nearest decimal with `places` digits after the point, judged on the exact binary value; never -0. What is
 * answered is rounded far more coarsely than the last bits of logarithms and exponentials, in which versions of V8
 * may differ, so that all versions answer the same.
 */
export function roundTo(x: number, places: number): number {
  return Number(x.toFixed(places)) + 0
}

/** 100 * part / whole with one decimal; 0 where the whole is 0. */
export function percentageOf(part: number, whole: number): number {
  return whole === 0 ? 0 : roundTo((100 * part) / whole, 1)
}
