import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withSchemas } from '../../test/documents.js'
import { accepts } from '../../test/evaluate.js'
import { runZod } from '../../test/run-zod.js'
import { jsonSchema, jsonValue, sharedSchemas } from '../../test/schemas.js'
import type { Place } from '../diagnostics.js'
import type { JsonObject } from '../document/json.js'
import type { Api } from '../ir/api.js'
import { buildApi } from '../ir/build.js'
import type { Json, Schema } from '../ir/schema.js'
import { zodFlavours } from './zod.js'

function apiOf(subject: Json): Api {
  const place = (pointer: string): Place => ({ file: 'test.json', line: 1, column: 1, pointer })
  const root = withSchemas({ ...sharedSchemas, Subject: subject }) as JsonObject
  const { api, diagnostics } = buildApi({ root, version: '3.1', source: 'test.json', files: [], place })
  if (api === undefined) throw new Error(diagnostics.map(({ code, found }) => `${code} ${found}`).join())
  return api
}

const never: Schema = { kind: 'never', notes: { origin: { file: '', line: 1, column: 1, pointer: '' } } }

/** zod leaves a property called `__proto__` out of what it hands out. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => name !== '__proto__')
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutPrototypes(item)]))
}

describe.each(zodFlavours)('the zod output (%s)', (flavour) => {
  it('gives the verdict of the tree, and hands out what it was given', () => {
    fc.assert(
      fc.property(jsonSchema, fc.array(jsonValue, { minLength: 8, maxLength: 8 }), (subject, values) => {
        const api = apiOf(subject)
        const schemas = new Map(api.schemas.map(({ name, schema }) => [name, schema]))
        const lookup = (name: string): Schema => schemas.get(name) ?? never
        const validator = runZod(api, { flavour }).schemas['Subject']
        for (const value of values) {
          const result = validator?.safeParse(value)
          expect([value, result?.success]).toEqual([value, accepts(lookup('Subject'), value, lookup)])
          if (result?.success) expect(withoutPrototypes(result.data)).toStrictEqual(withoutPrototypes(value))
        }
      }),
      { numRuns: Number(process.env['RUNS'] ?? 300) },
    )
  })
})
