import { sentencesOf, withoutFormulas } from './formulas.ts'

test.each([
  'The contact owns a 2013 Acme Comet Hybrid.',
  'TL* THE CONTACT OWNS A 2013 ACME COMET HYBRID.',
  'The VIN, engine size, number of cylinders and fuel type were unknown.',
  'THE FAILURE MILEAGE WAS 57,000.',
  'He was told of NHTSA Campaign Number: 23V905000 (Engine and Engine Cooling) by a dealer.',
  'My car is not part of recall 23V-905.',
  'There were no warning lights illuminated.',
  'I don’t recall if there was an audible alarm or not.',
  'Attached is the summary of the work order.',
  'The manufacturer was notified of the brakes and did not assist.',
  'Has the problem been reproduced or confirmed by a dealer?',
])('%j stands in complaints about anything', (formula) => {
  expect(withoutFormulas(`Gears slip. ${formula} It stalled!`)).toBe('Gears slip. It stalled!')
})

test.each([
  'The contact owns a hybrid, and while driving its battery died.',
  'There should be a recall for the power steering.',
  'A warning light came on. The manufacturer replaced the 3.5 l engine.',
  'It is unknown why it stalls.',
  '',
  '...',
])('%j says something', (text) => {
  expect(withoutFormulas(text)).toBe(text)
})

test('a sentence ends at a mark with a blank behind it', () => {
  expect(sentencesOf('It cost $12.50. See a.b.com! Why?')).toEqual([
    'It cost $12.50.',
    ' See a.b.com!',
    ' Why?',
  ])
})
