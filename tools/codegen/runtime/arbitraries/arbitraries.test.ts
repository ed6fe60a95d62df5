import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createArbitraries } from './arbitraries.js'
import type { Node } from './node.js'

it('finds what only one of two overlapping options accepts', () => {
  const open = (name: string, schema: Node): Node => ({
    kind: 'object',
    properties: [{ name, schema }],
    additional: { kind: 'any' },
  })
  const options = [
    open('cursor', { kind: 'string' }),
    open('limit', { kind: 'number', integer: false }),
  ]
  const node = () => {
    throw new Error('nothing is named')
  }
  const { valid } = createArbitraries({ node, format: () => undefined })({ kind: 'oneOf', options })
  const values = fc.sample(valid, { numRuns: 50, seed: 1 }) as { cursor?: unknown }[]
  const takes = (value: Readonly<Record<string, unknown>>, name: string, type: string) =>
    !Object.hasOwn(value, name) || typeof value[name] === type
  expect(
    values.filter((value) => takes(value, 'cursor', 'string') === takes(value, 'limit', 'number')),
  ).toEqual([])
})
