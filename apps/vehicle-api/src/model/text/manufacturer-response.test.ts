import { manufacturerResponse } from './manufacturer-response.ts'

test.each([
  ['The contact received NHTSA Campaign Number: 23V380000 (Engine).', 'recall', '23V380000'],
  ['RECALL REPAIRS (94V-129).', 'recall', '94V129000'],
  ['Recall 23v905 applies.', 'recall', '23V905000'],
  ['Tire recall 21T004000 was not done.', 'recall', '21T004000'],
  ['The 12E100 fuse blew.', null, null],
  [
    'The contact related the failure to NHTSA Action Number: PE23001 (Structure).',
    'investigation',
    'PE23001',
  ],
  ['BRAKE FAILURE EA94-038.', 'investigation', 'EA94-038'],
  ['It is under investigation PE 23-001.', 'investigation', 'PE23-001'],
  ['Ford published TSB 15-0061 on it.', 'service_bulletin', '15-0061'],
  ['There is a technical service bulletin.', 'service_bulletin', null],
  ['See Customer Satisfaction Program: 21N12.', 'service_bulletin', '21N12'],
  ['No recall or technical service bulletin exists.', null, null],
  ['The manufacturer was notified of the failure but no assistance was offered.', 'notified', null],
  ['The manufacturer was made aware of the failure.', 'notified', null],
  ['The manufacturer was not notified of the failure.', null, null],
  ['Neither the dealer nor the manufacturer was notified.', null, null],
  ['The manufacturer had not been contacted yet.', null, null],
  ['I contacted Corvane customer service.', 'notified', null],
  ['I have not contacted the manufacturer.', null, null],
  ['', null, null],
])('%j: %p %p', (text, type, reference) => {
  const response = manufacturerResponse(text)
  expect([response?.type ?? null, response?.reference ?? null]).toEqual([type, reference])
})

test('is the weightiest that is named, with the sentence that names it', () => {
  const text =
    'The manufacturer was notified. There is a TSB. See recall 19V077000, which came later. It failed.'
  expect(manufacturerResponse(text)).toEqual({
    ...{
      type: 'recall',
      reference: '19V077000',
      date: null,
      summary: 'See recall 19V077000, which came later.',
    },
  })
})
