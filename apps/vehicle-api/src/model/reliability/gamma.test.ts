import { digamma, gammaCdf, gammaQuantile, logGamma } from './gamma.ts'

const relativeError = (value: number, expected: number) => Math.abs(value / expected - 1)

// All expected values: mpmath 1.3 with 30 digits.

test.each([
  [0.05, 2.9688792010517308, -20.497844991299869],
  [0.5, 0.57236494292470009, -1.9635100260214235],
  [1.3, -0.10817480950786048, -0.16919088886679961],
  [3.7, 1.4280723266653881, 1.1671535393615114],
  [14.9, 24.924132002217278, 2.6674289762160423],
  [15.1, 25.458999750992663, 2.681216839951709],
  [250.25, 1129.9037609776441, 5.5204610855287914],
  [8000.5, 63898.493498620655, 8.9871968213130146],
])('ln gamma and digamma of %p', (x, logarithm, derivative) => {
  expect(relativeError(logGamma(x), logarithm)).toBeLessThan(1e-13)
  expect(Math.abs(digamma(x) - derivative)).toBeLessThan(1e-12)
})

test.each([
  [0.3, 0.1, 0.5459128495917965],
  [1.69, 0.2, 0.037960813367298234],
  [1.69, 4, 0.93891078392330404],
  [12.5, 9, 0.15760928441953978],
  [120, 150, 0.99489528839684953],
  [3000, 2950, 0.18091121569372458],
  [9000, 9200, 0.98197111910522831],
])('the gamma distribution of shape %p at %p is %p', (shape, x, expected) => {
  expect(relativeError(gammaCdf(shape, x), expected)).toBeLessThan(1e-11)
})

test.each([
  [0.3, 3.2110346997229612e-5, 1.3723499441008873],
  [1.69, 0.23874548015546079, 4.2319109828215374],
  [6.2, 2.7453556668211409, 10.781072029532978],
  [40, 30.195739194344731, 50.939736982717941],
  [513.7, 476.99658391048119, 551.54032528618733],
  [9000, 8844.5260629816286, 9156.6109591565388],
])('the 5 % and 95 % quantiles of shape %p', (shape, low, high) => {
  expect(relativeError(gammaQuantile(shape, 0.05), low)).toBeLessThan(1e-9)
  expect(relativeError(gammaQuantile(shape, 0.95), high)).toBeLessThan(1e-9)
})
