import { nearNames } from './near-names.ts'

const models = ['corolla', 'corollacross', 'camry', 'rav4', 'sienna', 'ion', '4runner'].map((key) => ({
  key,
}))
const near = (key: string) => nearNames(key, models).map((model) => model.key)

test.each([
  ['corola', ['corolla']],
  ['camery', ['camry']],
  ['rav5', ['rav4']],
  ['iom', ['ion']],
  ['runner', ['4runner']],
  ['corollacros', ['corollacross', 'corolla']],
  ['xyzzy', []],
  ['', []],
])('%j is near %j', (key, expected) => {
  expect(near(key)).toEqual(expected)
})

test('names at most five, however many there are', () => {
  const many = Array.from({ length: 100 }, (_, at) => ({ key: `model${at}` }))
  expect(nearNames('model', many)).toHaveLength(5)
})

test('a very long word is no reason to work long', () => {
  expect(near('wxyz'.repeat(5_000))).toEqual([])
})
