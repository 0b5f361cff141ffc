import { repairAttempted } from './repair-attempted.ts'

test.each([
  ['The vehicle was repaired.', true],
  ['THE VEHICLE WAS NOT REPAIRED.', false],
  ['The vehicle was not diagnosed or repaired.', false],
  ['THE VEHICLE WAS NOT DIAGNOSED NOR REPAIRED', false],
  ['The vehicle had yet to be repaired.', false],
  ['It has never been fixed.', false],
  ["They couldn't get it fixed.", false],
  ['The dealer refused to repair it.', false],
  ['The vehicle was repaired but the failure recurred. The vehicle was not repaired again.', true],
  ['The dealer replaced the module twice.', true],
  ['I replaced the battery.', true],
  ['THE MECHANIC, WHO REPLACED THE PUMP, FOUND NOTHING', true],
  ['I have had the fuel pump replaced.', true],
  ['The vehicle was taken to the dealer and was repaired.', true],
  ['It was diagnosed that the pump needed to be replaced.', null],
  ['It should have been fixed under warranty.', null],
  ['The vehicle was to be inspected, diagnosed and repaired.', null],
  ['I want it fixed.', null],
  ['This recall repair is late.', null],
  ['', null],
])('%j: %p', (text, expected) => {
  expect(repairAttempted(text)).toBe(expected)
})
