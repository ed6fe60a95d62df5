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

it('generates each option of a tagged union with its own properties only', () => {
  const branch = (tag: string, name: string): Node => ({
    kind: 'intersection',
    parts: [
      {
        kind: 'object',
        properties: [
          { name: 'kind', required: true, schema: { kind: 'enum', values: ['tram', 'bus'] } },
          { name, required: true, schema: { kind: 'string' } },
        ],
        additional: { kind: 'any' },
      },
      {
        kind: 'object',
        properties: [{ name: 'kind', required: true, schema: { kind: 'enum', values: [tag] } }],
        additional: { kind: 'any' },
      },
    ],
  })
  const node = () => {
    throw new Error('nothing is named')
  }
  const { valid } = createArbitraries({ node, format: () => undefined })({
    kind: 'oneOf',
    options: [branch('tram', 'line'), branch('bus', 'plate')],
  })
  const values = fc.sample(valid, { numRuns: 200, seed: 1 }) as Record<string, unknown>[]
  const isMixed = (value: Record<string, unknown>) =>
    Object.hasOwn(value, 'line') && Object.hasOwn(value, 'plate')
  expect(values.filter(isMixed)).toEqual([])
})

it.each([1e-8, 3e-7, 0.1, 2.5e21])('generates multiples of %d and numbers that are not', (step) => {
  const node = () => {
    throw new Error('nothing is named')
  }
  const { valid, nearMiss } = createArbitraries({ node, format: () => undefined })({
    kind: 'number',
    integer: false,
    multipleOf: step,
  })
  const isMultiple = (value: unknown): boolean => {
    const count = Number(value) / step
    return typeof value === 'number' && Math.abs(count - Math.round(count)) < 1e-6
  }
  expect(fc.sample(valid, { numRuns: 50, seed: 1 }).filter((value) => !isMultiple(value))).toEqual(
    [],
  )
  if (nearMiss === undefined) throw new Error('there is no near miss')
  expect(fc.sample(nearMiss, { numRuns: 50, seed: 1 }).filter(isMultiple)).toEqual([])
})
