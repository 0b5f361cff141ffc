import fc from 'fast-check'
import Joi from 'joi'
import { quickCheck } from '../src/quick-check.ts'
import { validate } from '../src/validate.ts'

const schema = Joi.object({
  least: Joi.number().min(1).max(10).required(),
  above: Joi.number().greater(0).less(1),
  whole: Joi.number().integer().min(0).default(3),
  unknown: Joi.number().max(5).allow(null),
  oneOf: Joi.number().valid(1, 2, 12).default(12),
  list: Joi.array().items(Joi.number()).default([13]),
  text: Joi.string().max(4).default('a'),
  inner: Joi.object({ deep: Joi.number() }).allow(null),
})

const anyNumber = fc.oneof(
  fc.constantFrom(0, -0, 1, 5, 10, 0.5, 3, 12, 11, -1, 2 ** 53, 2 ** 53 - 1, 1e300),
  fc.double({ min: -2, max: 12, noNaN: true }),
)
const anyValue = fc.oneof(
  { weight: 4, arbitrary: anyNumber },
  fc.constantFrom<unknown>(null, true, '5', 'abcde', [], [1, 2], ['x'], {}, { deep: 1 }, { deeper: 1 }),
)
const anyBody = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      {
        ...{ least: anyValue, above: anyValue, whole: anyValue, unknown: anyValue, oneOf: anyValue },
        ...{ list: anyValue, text: anyValue, inner: anyValue, other: anyValue },
      },
      { requiredKeys: [] },
    ),
  },
  fc.jsonValue(),
  fc.constantFrom<unknown>(JSON.parse('{"least":2,"__proto__":{"above":7}}'), undefined, [{ least: 2 }]),
)

test('what it is sure of is what joi says, to the last field', () => {
  const check = quickCheck(schema)
  fc.assert(
    fc.property(anyBody, (body) => {
      const sure = check(body)
      if (sure !== undefined) expect(sure).toStrictEqual(validate(schema, body, 'body'))
    }),
    { numRuns: 3_000 },
  )
})

test('it is sure of numbers within their rules', () => {
  const check = quickCheck(schema)
  const filled = { whole: 3, oneOf: 12, list: [13], text: 'a' }
  expect(check({ least: 1 })).toStrictEqual({ ...filled, least: 1 })
  expect(check({ least: 10, above: 0.5, whole: 0, unknown: null })).toStrictEqual({
    ...{ ...filled, least: 10 },
    ...{ above: 0.5, whole: 0, unknown: null },
  })
})

test.each([
  ['a field that is missing', {}],
  ['a field that is not known', { least: 1, other: 1 }],
  ['a limit that is passed', { least: 11 }],
  ['text for a number', { least: '1' }],
  ['-0, which joi turns into 0', { least: 1, whole: -0 }],
  ['a number that is not exact', { least: 1, whole: 2 ** 53 }],
  ['a value of another kind, even a good one', { least: 1, text: 'b' }],
])('it leaves %s to joi', (_what, body) => {
  expect(quickCheck(schema)(body)).toBeUndefined()
})

test('defaults that are lists cannot be changed for the next request', () => {
  const { list } = quickCheck<{ list: number[] }>(schema)({ least: 1 }) ?? { list: [] }
  expect(() => list.push(14)).toThrow(TypeError)
})

test.each([
  ['no object', Joi.number()],
  ['rules between fields', Joi.object({ a: Joi.number(), b: Joi.number() }).with('a', 'b')],
  [
    'fields that follow others',
    Joi.object({ a: Joi.number(), b: Joi.number().when('a', { is: 1, then: 2 }) }),
  ],
  ['unknown fields that are let through', Joi.object({ a: Joi.number() }).unknown()],
  ['a default that is worked out', Joi.object({ a: Joi.number(), b: Joi.number().default(() => 1) })],
  ['preferences of its own', Joi.object({ a: Joi.number() }).prefs({ convert: true })],
  ['a field that may not be there', Joi.object({ a: Joi.number(), b: Joi.number().forbidden() })],
])('it is never sure of a schema with %s', (_what, odd) => {
  for (const body of [1, {}, { a: 1 }, { a: 1, b: 2 }]) expect(quickCheck<unknown>(odd)(body)).toBeUndefined()
})

test.each([
  ['a rule that is not known', Joi.number().multiple(3), 3],
  ['a rule with a reference', Joi.number().max(Joi.ref('b')), 1],
  ['a conversion', Joi.number().precision(1), 1.25],
  ['numbers that need not be exact', Joi.number().unsafe(), 1],
])('it leaves values of a field with %s to joi', (_what, field, value) => {
  expect(quickCheck<unknown>(Joi.object({ a: field, b: Joi.number() }))({ a: value })).toBeUndefined()
})
