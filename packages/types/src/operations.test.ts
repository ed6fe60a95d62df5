import { describe, expect, expectTypeOf, it } from 'vitest'
import type { operations as schemaOperations } from './paths/generated/index.js'
import * as entry from './table/generated/index.js'
import { operations, type Operation } from './table/generated/index.js'

const rows: readonly Operation[] = Object.values(operations)

describe('the operation table', () => {
  it('has every operation of the contract under its id', () => {
    expectTypeOf<keyof typeof operations>().toEqualTypeOf<keyof schemaOperations>()
    expect(rows.map(({ id }) => id)).toEqual(Object.keys(operations))
  })

  it('exports each row by itself too', () => {
    expect(rows.map(({ id }) => (entry as Readonly<Record<string, unknown>>)[id])).toEqual(rows)
  })

  it.each(rows)(
    '$id has a required parameter for each place in its path',
    ({ path, parameters }) => {
      const places = [...path.matchAll(/\{(.*?)\}/g)].map(([, name]) => name)
      expect(
        parameters
          .filter(({ in: place, required }) => place === 'path' && required)
          .map(({ name }) => name),
      ).toEqual(places)
    },
  )

  it.each(rows)(
    '$id gives no field of its flat input twice, and a default only to a field',
    ({ parameters, body, defaults }) => {
      const fields = [...parameters.map(({ field }) => field), ...(body?.fields ?? [])]
      expect(new Set(fields).size).toBe(fields.length)
      expect(Object.keys(defaults).filter((name) => !fields.includes(name))).toEqual([])
    },
  )

  it('is plain data', () => {
    expect(JSON.parse(JSON.stringify(operations))).toEqual(operations)
  })
})
