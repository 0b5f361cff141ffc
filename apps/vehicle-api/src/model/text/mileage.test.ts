import fc from 'fast-check'
import { narrativeMileage } from './mileage.ts'

test.each([
  ['THE FAILURE MILEAGE WAS 57,000.', 57_000],
  ['The approximate failure mileage was 16,700.', 16_700],
  ['The failure mileage was approximately 52, 500.', 52_500],
  ['THE FAILURE MILEAGE WAS UNKNOWN.', null],
  ['THE FAILURE AND CURRENT MILEAGE WAS 4,200. THE FAILURE MILEAGE WAS 4,000.', 4_000],
  ['It failed at 76k miles.', 76_000],
  ['It happened at about 25 thousand miles', 25_000],
  ['MY TRUCK ONLY HAS 18,000 MILES AND NO ACCIDENTS', 18_000],
  ['I have a 2015 with 120000 miles on it', 120_000],
  ['The odometer reads 310 miles', 310],
  ['ONLY 57,000 MILES.', 57_000],
  ['Mileage: 81,234', 81_234],
  ['IT BROKE AT 30,000 MILES AND AGAIN AT 60,000 MILES', null],
  ['I WAS DRIVING AT 70 MILES PER HOUR', null],
  ['THE DOOR OPENED AT 70 MILES AN HOUR AFTER 20 MINUTES', null],
  ['THE WARRANTY OF 36 MONTHS OR 36,000 MILES IS OVER', null],
  ['EXTENDED TO 10 YRS OR 100,000 MILES WHICHEVER OCCURS FIRST', null],
  ['I CHANGE THE OIL EVERY 5,000 MILES', null],
  ['WE DROVE 1,200 MILES TO FLORIDA', null],
  ['IT STOPPED 3 MILES FROM HOME', null],
  ['I BOUGHT IT WITH 36K MILES', null],
  ['THE FAILURE MILEAGE WAS UNKNOWN AND THE CURRENT MILEAGE WAS 175,000.', null],
  ['The failure mileage was not available. The vehicle had 30,194 miles on it.', null],
  ['The tire failure mileage was unknown. The vehicle failure mileage was 18,000.', 18_000],
  ['THERE HAD BEEN NO FAILURE TO DATE. THE CURRENT MILEAGE WAS 30,000.', null],
  ['THE FAILURE AND CURRENT MILEAGE WAS 20,000.', 20_000],
  ['I purchased the vehicle in August of 2016 brand new with 34 miles on it.', null],
  ['The odometer on the new truck read ~124 miles on it at the time of purchase.', null],
  ['I purchased my 2020 wagon in Dec 2021 with 8,000 miles at a dealer.', null],
  ['I bought it new, and now at 30,000 miles the engine knocks.', 30_000],
  ['I bought it new. It has 30,000 miles.', 30_000],
  ['It was a dealer loaner with 9000 miles on it.', null],
  ['The engine burns 3 quarts in less then 2k miles, it currently has 57,818 on odometer', null],
  ['They failed at 48060 mileage and again at 92830 mileage. They were to last 50,000 miles.', null],
  ['It failed at 48060 mileage.', 48_060],
  ['This happens to cars with less than 90,000 miles.', null],
  ['It slips somewhere between 30,000 and 80,000 miles.', null],
  ['A forum says it is typically seen around 69,000 miles.', null],
  ['My previous 300,000 miles of driving were without a fault.', null],
  ['MY 60,000 MILES WARRANTY AND THE 40,000 MILE SERVICE', null],
  ['My car is a 2017 and at 56000 miles.', 56_000],
  ['THEY WERE CUT AT 2000 AND 6000 MILES ON THE CAR. I PAID FOR NEW ONES A YEAR AGO (36000 MILES).', null],
  ['THE FUEL GAUGE SAYS 100 MILES TILL EMPTY', null],
  ['THE FAILURE MILEAGE WAS 900,000.', null],
  ['', null],
  ['No distance is named.', null],
])('%j: %p', (text, miles) => {
  expect(narrativeMileage(text)).toBe(miles)
})

test('a mileage is a whole number that can be', () => {
  const words = fc.constantFrom(
    'mileage',
    'miles',
    'at',
    'was',
    '12,000',
    '7k',
    '9'.repeat(30),
    '0',
    'failure',
    '1.5',
    '-',
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
      const miles = narrativeMileage(parts.join(' '))
      expect(miles === null || (Number.isInteger(miles) && miles >= 1 && miles <= 400_000)).toBe(true)
    }),
  )
})
