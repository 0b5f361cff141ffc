import fc from 'fast-check'
import { repairCost } from './repair-cost.ts'

test.each([
  ['I paid $798.94 to have this fixed.', 798.94, 'paid'],
  ['THEY CHARGED US $ 708.00 TO DO THE REPAIR', 708, 'paid'],
  ['It cost me 900 dollars to replace the windows.', 900, 'paid'],
  ['It will cost me 900 dollars to replace the windows.', 900, 'quoted'],
  ['The dealer quoted $1,880 for the part.', 1880, 'quoted'],
  ['A repair of 1,880.00 dollars', 1880, 'quoted'],
  ['A new engine costs $17k', 17_000, 'quoted'],
  ['The repair is 3 grand? no, 3 thousand dollars', 3000, 'quoted'],
  ['Repairs are $300-$350 per door', 325, 'quoted'],
  ['REPLACEMENT COSTS 5000 TO 6000 DOLLARS', 5500, 'quoted'],
  ['IT IS A FIX OF $5-6k', 5500, 'quoted'],
  ['I paid $200 for the part and $900 for labor.', 900, 'paid'],
  ['They charged $150 to diagnose it.', null, null],
  ['They charged $150 to diagnose and repair it.', 150, 'paid'],
  [
    'They refuse to do a diagnostic on my car unless I pay them for half a day of wages or $160 or more.',
    null,
    null,
  ],
  ['I have to give them $85 for them to tell me how much it will cost to fix.', null, null],
  ['I was charged a $260 diagnostic fee. They replaced nothing.', null, null],
  ['It got diagnosed that it was a bad light housing, I got prices from 700 to 1200 dollars.', 950, 'quoted'],
  ['It was inspected before. They charged $700 for a new pump.', 700, 'paid'],
  ['Pick up a rental car, which will cost her a $50 deposit, and when the repair is done', null, null],
  ['I had to call a tow truck that cost me $650.', null, null],
  ['We went to get the car, which we paid over $15000.00 for) and were afraid.', null, null],
  ['I paid $12,000 for this car and now pay for its repair.', null, null],
  ['Meanwhile vehicles cost $20,000 and nobody pays for faulty parts.', null, null],
  ['The repair was $750 for a car that is old.', 750, 'quoted'],
  ['I paid $900 for the car to be fixed.', 900, 'paid'],
  ['The car that I paid $900 to repair failed again.', 900, 'paid'],
  ['I pay almost $1000.00 per month for this car and its repair.', null, null],
  ['My deductible was $500 for the repair.', null, null],
  ['I bought this car for $40,000 and paid cash.', null, null],
  ['Towing cost me $250.', null, null],
  ['The repair costs $35,199.00.', null, null],
  ['The part costs $5.', null, null],
  ['It was $300.', null, null],
  ['The rental was $60 per day while they fixed it.', null, null],
  ['It failed.', null, null],
])('%j: %p %p', (text, cost, kind) => {
  const found = repairCost(text)
  expect([found?.cost ?? null, found?.kind ?? null]).toEqual([cost, kind])
})

test('comes with the sentence it stands in', () => {
  const text = 'The pump failed. Dr. Miller of St. Louis replaced it for $1,250.50 at noon. It failed again.'
  expect(repairCost(text)?.sentence).toBe('Dr. Miller of St. Louis replaced it for $1,250.50 at noon.')
})

test('a cost lies between 20 and 25,000 dollars, and its sentence in the text', () => {
  const words = fc.constantFrom(
    'repair',
    'cost',
    '$',
    '12,000',
    '7k',
    '500',
    'dollars',
    '.',
    'towing',
    '-',
    'paid',
    'to',
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 14 }), (parts) => {
      const text = parts.join(' ')
      const found = repairCost(text)
      if (found === null) return
      expect(found.cost).toBeGreaterThanOrEqual(20)
      expect(found.cost).toBeLessThanOrEqual(25_000)
      expect(text).toContain(found.sentence)
    }),
  )
})
