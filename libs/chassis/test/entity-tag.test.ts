import { entityTag, isNamed } from '../src/entity-tag.ts'

test('a tag is a quoted string that follows from every part', () => {
  expect(entityTag('a', 'b')).toMatch(/^"[\w-]{22}"$/)
  expect(entityTag('a', 'b')).toBe(entityTag('a', 'b'))
  expect(entityTag('a', 'c')).not.toBe(entityTag('a', 'b'))
})

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", W/"a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['', false],
  [undefined, false],
])('If-None-Match: %s names "a": %s', (header, named) => {
  expect(isNamed('"a"', header)).toBe(named)
  expect(isNamed('W/"a"', header)).toBe(named)
})
