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
