import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { texts } from './scalars.js'

const drawn = fc.sample(texts({ kind: 'string' }), { numRuns: 2000, seed: 4361 })

it('draws characters of every plane, and no half of one', () => {
  const planes = new Set(
    drawn.flatMap((text) => Array.from(text, (character) => (character.codePointAt(0) ?? 0) >> 16)),
  )
  expect([...planes].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 17 }, (_, plane) => plane),
  )
  expect(drawn.filter((text) => /\p{Cs}/u.test(text))).toEqual([])
})

it('draws names that mean something in JavaScript', () => {
  expect(drawn).toContain('__proto__')
})

it.each([
  ['^\\p{Lu}{2}$', 'AB'],
  ['^[a-z]{2}', 'ab'],
  ['(?=a)', 'a'],
])('draws texts for %s, the same for each of its schemas', (pattern, example) => {
  const draw = (): readonly string[] =>
    fc.sample(texts({ kind: 'string', pattern, examples: [example] }), { numRuns: 50, seed: 1 })
  expect(draw()).toEqual(draw())
  expect(draw().filter((text) => !new RegExp(pattern, 'u').test(text))).toEqual([])
})
