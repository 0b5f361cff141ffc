import { narrativeCategory } from './narrative-category.ts'

test.each([
  ['THE ENGINE OVERHEATED AND THE HEAD GASKET BLEW', 'engine'],
  ['THE TRANSMISSION SLIPS OUT OF GEAR', 'transmission'],
  ['THE ALTERNATOR AND THE WIRING BURNT', 'electrical'],
  ['THE BRAKES WENT TO THE FLOOR, THE MASTER CYLINDER WAS EMPTY', 'brakes'],
  ['THE LOWER BALL JOINT AND THE CONTROL ARM BROKE', 'suspension'],
  ['THE POWER STEERING FAILED, HARD TO STEER', 'steering'],
  ['THE AIR CONDITIONING AND THE HEATER DO NOT WORK', 'interior'],
  ['THE SUNROOF SHATTERED', 'exterior'],
  ['THE AIR BAGS DID NOT DEPLOY', 'safety'],
  ['THE ENGINE STALLED AND THE TRANSMISSION FAILED', null],
  ['THE CAR WAS BAD FROM THE FIRST DAY', null],
  ['I WAS BRAKING IN TRAFFIC', null],
  ['', null],
])('%j: %p', (text, category) => {
  expect(narrativeCategory(text)).toBe(category)
})
