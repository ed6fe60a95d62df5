import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { StringNode } from './node.js'
import { makeStrings } from './scalars.js'

const drawn = fc.sample(expectKnown(makeStrings({ kind: 'string' })), { numRuns: 2000, seed: 4361 })

function expectKnown(found: fc.Arbitrary<string> | undefined): fc.Arbitrary<string> {
  if (found === undefined) throw new Error('no text is known')
  return found
}

it('generates characters of every plane, and no lone surrogates', () => {
  const planes = new Set(
    drawn.flatMap((text) => Array.from(text, (character) => (character.codePointAt(0) ?? 0) >> 16)),
  )
  expect([...planes].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 17 }, (_, plane) => plane),
  )
  expect(drawn.filter((text) => /\p{Cs}/u.test(text))).toEqual([])
})

it('generates names with a meaning in JavaScript', () => {
  expect(drawn).toContain('__proto__')
})

it.each([
  ['^\\p{Lu}{2}$', {}],
  ['^[a-z]{2}', {}],
  ['(?=a)', {}],
  ['^(?!aws:)[a-z]+$', { minLength: 1, maxLength: 8 }],
  ['^[A-Za-z0-9]+$', { minLength: 22, maxLength: 22 }],
  ['^([0-9a-f]{2}:)*[0-9a-f]{2}$', { minLength: 17, maxLength: 17 }],
  ['^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$', { maxLength: 9 }],
  ['\\bcat\\b', { minLength: 30 }],
  ['(?<=v)\\d+', { minLength: 12, maxLength: 14 }],
  ['^(?<quote>[\'"])[a-z]*\\k<quote>$', {}],
  ['^(?:GET|POST) /[^\\s?#]*$', { minLength: 40 }],
  ['a|^b$', { minLength: 5 }],
  ['^\\u{1F600}{3}$', {}],
  ['^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$', { minLength: 6, maxLength: 254 }],
  ['^.{0,4096}$', { minLength: 3000 }],
])('generates strings for %s within %o, the same in each run', (pattern, bounds) => {
  const node: StringNode = { kind: 'string', pattern, ...bounds }
  const draw = (): readonly string[] =>
    fc.sample(expectKnown(makeStrings(node)), { numRuns: 50, seed: 1 })
  expect(draw()).toEqual(draw())
  expect(new Set(draw()).size).toBeGreaterThan(pattern.startsWith('^\\u') ? 0 : 1)
  expect(
    draw().filter(
      (text) =>
        !new RegExp(pattern, 'u').test(text) ||
        Array.from(text).length < (node.minLength ?? 0) ||
        Array.from(text).length > (node.maxLength ?? Infinity),
    ),
  ).toEqual([])
})

it.each([
  ['^[a-z]{3}$', { minLength: 4 }],
  ['^(?!a)a$', {}],
])('finds no string for %s within %o', (pattern, bounds) => {
  expect(makeStrings({ kind: 'string', pattern, ...bounds })).toBeUndefined()
})

it('skips an example on which a pattern would take exponential time', () => {
  const pattern = '^([\\da-z.-]+)\\.([a-z.]{2,6})([/\\w .-]*)*/?$'
  const examples = [`cdn.example/${'a/'.repeat(40)},b`, 'a.example']
  const found = expectKnown(makeStrings({ kind: 'string', pattern, examples }))
  const drawn = fc.sample(found, { numRuns: 50, seed: 1 })
  expect(drawn).toContain('a.example')
  expect(drawn).not.toContain(examples[0])
})
