import Joi from 'joi'
import { parse } from 'node:querystring'
import { HttpError } from '../src/errors.ts'
import { validate, type RequestPart } from '../src/validate.ts'

const schema = Joi.object<{ size: number; loan?: { rate: number } }>({
  size: Joi.number().min(1).required(),
  loan: Joi.object({ rate: Joi.number().max(1) }),
})

describe('a checked input', () => {
  test('is returned with its type, defaults filled in', () => {
    expect(validate(Joi.object({ n: Joi.number().default(3) }), {}, 'body')).toEqual({ n: 3 })
  })

  test('is converted from text in path and query, and not in a body', () => {
    expect(validate(Joi.object({ n: Joi.number() }), { n: '5' }, 'query')).toEqual({ n: 5 })
    expect(problems(Joi.object({ n: Joi.number() }), { n: '5' })).toMatchObject([
      { pointer: '/n', code: 'not_a_number', detail: expect.stringContaining('without quotes') },
    ])
  })

  test('names every field at fault, at its place', () => {
    expect(problems(schema, { size: 0, loan: { rate: 2, 'a/b~c': 1 } })).toMatchObject([
      { pointer: '/size', code: 'too_small' },
      { pointer: '/loan/rate', code: 'too_large' },
      { pointer: '/loan/a~1b~0c', code: 'unknown_field' },
    ])
  })

  test('suggests the name that was meant', () => {
    expect(problems(schema, { size: 1, laon: {} })).toMatchObject([
      { detail: 'laon is not a known field; did you mean loan?' },
    ])
    expect(problems(Joi.object({ limit: Joi.number() }), { limt: '1' }, 'query')).toEqual([
      {
        parameter: 'limt',
        code: 'unknown_parameter',
        detail: 'limt is not a known query parameter; did you mean limit?',
      },
    ])
  })

  test('with thousands of fields is refused at once, with one problem', () => {
    const body = Object.fromEntries(Array.from({ length: 8_000 }, (_, i) => [`field${i}`, i]))
    expect(problems(schema, body)).toMatchObject([{ code: 'too_many' }])
    expect(problems(schema, { size: 1, loan: Array(8_000).fill(0) })).toMatchObject([{ code: 'too_many' }])
  })

  test('with hundreds of wrong fields names the first twenty, and repeats no long names', () => {
    const body = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`${i}${'x'.repeat(100)}`, i]))
    expect(problems(schema, body)).toHaveLength(20)
    const [first] = problems(schema, { size: 1, ['y'.repeat(50_000)]: 1 })
    expect(first?.detail.length).toBeLessThan(400)
  })

  test('may not smuggle in a prototype, however deep', () => {
    const deep = JSON.parse('{"size":1,"loan":{"rate":1,"__proto__":{"admin":true}}}')
    expect(problems(schema, deep)).toMatchObject([{ pointer: '/loan/__proto__', code: 'unknown_field' }])
    const query = { ...parse('limit=1&__proto__=1') }
    expect(problems(Joi.object({ limit: Joi.number() }), query, 'query')).toEqual([
      {
        ...{ parameter: '__proto__', code: 'unknown_parameter' },
        detail: '__proto__ is not a known query parameter.',
      },
    ])
  })

  test('that is beyond what is exact is told its range, as any other number that is out of it', () => {
    const list = Joi.object({ size: Joi.number().min(1).max(50), all: Joi.array().items(Joi.number()) })

    expect(problems(list, { size: 1e308, all: [-1e308] })).toMatchObject([
      { code: 'too_large', detail: 'size must be less than or equal to 50.' },
      { code: 'too_small', detail: 'all[0] must be greater than or equal to -9007199254740991.' },
    ])
    expect(problems(list, { size: -1e308 })).toMatchObject([
      { code: 'too_small', detail: 'size must be greater than or equal to 1.' },
    ])
    expect(problems(list, { size: '1e-400' }, 'query')).toMatchObject([
      { code: 'not_a_number', detail: 'size has more digits than a number can hold; round it.' },
    ])
  })

  test('has one name, whatever is wrong with it', () => {
    const inList = Joi.object({ loans: Joi.array().items(Joi.object({ rate: Joi.number() })) })
    const [wrong, unknown] = problems(inList, { loans: [{ rate: 'a' }, { rat: 1 }] })
    expect([wrong?.detail, unknown?.detail]).toEqual([
      expect.stringMatching(/^loans\[0\]\.rate must be a number/),
      expect.stringMatching(/^loans\[1\]\.rat is not a known field/),
    ])
    expect([wrong?.pointer, unknown?.pointer]).toEqual(['/loans/0/rate', '/loans/1/rat'])
  })
})

function problems(given: Joi.Schema, value: unknown, part: RequestPart = 'body') {
  try {
    validate(given, value, part)
  } catch (error) {
    if (error instanceof HttpError) return error.errors
    throw error
  }
  return []
}

test('the sentence a schema has for its pattern is told; joi’s own, which repeats the value, is not', () => {
  const message = 'code must be five digits, such as 06061'
  const own = Joi.object({
    code: Joi.string()
      .pattern(/^\d{5}$/)
      .messages({ 'string.pattern.base': message }),
  })
  const none = Joi.object({ code: Joi.string().pattern(/^\d{5}$/) })

  expect(() => validate(own, { code: 'x' }, 'query')).toThrow(`${message}.`)
  expect(() => validate(none, { code: 'secret-x' }, 'query')).toThrow(/^code has the wrong form\.$/)
})

test('a query parameter that is given more than once is said to be, once', () => {
  const given = Joi.object({
    limit: Joi.number().max(5),
    sort: Joi.string().valid('asc', 'desc'),
    name: Joi.string().required(),
  })
  const repeated = (parameter: string) => ({
    ...{ parameter, code: 'repeated', detail: `${parameter} is given more than once; give it once.` },
  })

  expect(problems(given, { limit: ['1', '2'], sort: ['asc', 'asc'], name: ['a', 'b'] }, 'query')).toEqual([
    ...['limit', 'sort', 'name'].map(repeated),
  ])
  expect(problems(given, { limit: '9', name: ['a', 'b'], nam: ['a', 'b'] }, 'query')).toMatchObject([
    { parameter: 'limit', code: 'too_large' },
    repeated('name'),
    { parameter: 'nam', code: 'unknown_parameter' },
  ])
  expect(problems(given, { name: ['a', 'b'] })).toMatchObject([{ pointer: '/name', code: 'not_a_string' }])
})

test('JSON is spoken of in bodies alone', () => {
  const schema = Joi.object({ limit: Joi.number() })

  expect(() => validate(schema, { limit: '5' }, 'body')).toThrow(/JSON numbers/)
  expect(() => validate(schema, { limit: 'abc' }, 'query')).toThrow(/^limit must be a number\.$/)
})
