import { fitAlpha } from './dispersion.ts'

const exposures = [30, 90, 55, 200, 80, 110, 25, 300, 160, 40, 70, 95]
const vehicles = (complaints: number[]) =>
  complaints.map((count, index) => ({ complaints: count, exposure: exposures[index] ?? 1 }))
const rate = (list: { complaints: number; exposure: number }[]) =>
  list.reduce((sum, { complaints }) => sum + complaints, 0) / list.reduce((sum, v) => sum + v.exposure, 0)

test('alpha has the highest likelihood', () => {
  const list = vehicles([3, 40, 7, 120, 15, 66, 9, 230, 31, 5, 18, 77])
  // scipy: minimize_scalar over the logarithm of alpha of -nbinom.logpmf(n, alpha, alpha / (alpha + mu * E)).sum()
  expect(fitAlpha(list, rate(list))).toBeCloseTo(2.271849220745151, 6)
})

test('it does not depend on the unit of exposure', () => {
  const list = vehicles([3, 40, 7, 120, 15, 66, 9, 230, 31, 5, 18, 77])
  const doubled = list.map(({ complaints, exposure }) => ({ complaints, exposure: 2 * exposure }))
  expect(fitAlpha(doubled, rate(doubled))).toBeCloseTo(fitAlpha(list, rate(list)) ?? NaN, 7)
})

test('counts that vary less than chance give none', () => {
  const list = vehicles([9, 27, 16, 60, 24, 33, 8, 90, 48, 12, 21, 28])
  expect(fitAlpha(list, rate(list))).toBeNull()
})

test('no vehicles give none', () => {
  expect(fitAlpha([], 0.3)).toBeNull()
})
