import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withSchemas } from '../../test/documents.js'
import { accepts } from '../validate/accepts.js'
import { runZod } from '../../test/run-zod.js'
import { jsonSchema, jsonValue, sharedSchemas } from '../../test/schemas.js'
import type { Place } from '../diagnostics.js'
import type { JsonObject } from '../document/json.js'
import type { Api } from '../ir/api.js'
import { buildApi } from '../ir/build.js'
import type { Json, Schema } from '../ir/schema.js'
import { zodFlavours } from './zod.js'
import { countRounds } from '../../../internal/testing/src/rounds.js'

function buildSchemas(schemas: Readonly<Record<string, Json>>): ReturnType<typeof buildApi> {
  const place = (pointer: string): Place => ({ file: 'test.json', line: 1, column: 1, pointer })
  return buildApi({
    root: withSchemas(schemas) as JsonObject,
    version: '3.1',
    source: 'test.json',
    files: [],
    inputs: [],
    place,
    origin: place,
    broken: [],
    isWhole: false,
    locate: ({ pointer }) => place(pointer),
  })
}

function createApi(subject: Json): Api {
  const { api, diagnostics } = buildSchemas({ ...sharedSchemas, Subject: subject })
  if (api === undefined)
    throw new Error(diagnostics.map(({ code, found }) => `${code} ${found}`).join())
  return api
}

const never: Schema = { kind: 'never', notes: { origin: { file: '', pointer: '' } } }

const names = ['A', 'B', 'C']
const property = fc.constantFrom('a', 'b')
const reference = fc
  .constantFrom(...names)
  .map((name): Json => ({ $ref: `#/components/schemas/${name}` }))
const part = fc.oneof(
  { weight: 3, arbitrary: reference },
  fc.constantFrom<Json>({ type: 'string' }, true, false, { required: ['b'] }),
)
const words = [
  'not',
  'if',
  'then',
  'else',
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
]

/** Schemas that are hardly more than references, so that most of them lead to each other. */
const linked = fc
  .array(
    fc.oneof(
      ...words.map((word) => part.map((inner): [string, Json] => [word, inner])),
      ...['properties', 'patternProperties', 'dependentSchemas'].map((word) =>
        fc
          .tuple(property, part)
          .map((entry): [string, Json] => [word, Object.fromEntries([entry])]),
      ),
      ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((word) =>
        fc
          .array(part, { minLength: 1, maxLength: 2 })
          .map((parts): [string, Json] => [word, parts]),
      ),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((entries): Json => Object.fromEntries(entries))

/** zod leaves a property called `__proto__` out of what it hands out. */
function omitPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitPrototypes)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => name !== '__proto__')
  return Object.fromEntries(entries.map(([name, item]) => [name, omitPrototypes(item)]))
}

describe.each(zodFlavours)('the zod output (%s)', (flavour) => {
  it('returns the verdict of the model, and returns its input unchanged', () => {
    fc.assert(
      fc.property(
        jsonSchema,
        fc.array(jsonValue, { minLength: 8, maxLength: 8 }),
        (subject, values) => {
          const api = createApi(subject)
          const schemas = new Map(api.schemas.map(({ name, schema }) => [name, schema]))
          const lookup = (name: string): Schema => schemas.get(name) ?? never
          const validator = runZod(api, { flavour }).schemas['Subject']
          for (const value of values) {
            const result = validator?.safeParse(value)
            expect([value, result?.success]).toEqual([
              value,
              accepts(lookup('Subject'), value, { lookup }),
            ])
            if (result?.success)
              expect(omitPrototypes(result.data)).toStrictEqual(omitPrototypes(value))
          }
        },
      ),
      { numRuns: countRounds(300) },
    )
  })

  it('does so for mutually recursive schemas, in any declaration order', () => {
    fc.assert(
      fc.property(
        fc.tuple(linked, linked, linked),
        fc.array(jsonValue, { minLength: 6, maxLength: 6 }),
        (all, values) => {
          const { api } = buildSchemas(
            Object.fromEntries(all.map((schema, index) => [names[index] ?? '', schema])),
          )
          // A circle that never steps into a value is a fault of the document.
          if (api === undefined) return
          const schemas = new Map(api.schemas.map(({ name, schema }) => [name, schema]))
          const lookup = (name: string): Schema => schemas.get(name) ?? never
          const validators = runZod(api, { flavour }).schemas
          for (const name of names) {
            const verdicts = values.map((value) => [
              value,
              validators[name]?.safeParse(value).success,
            ])
            expect([name, verdicts]).toEqual([
              name,
              values.map((value) => [value, accepts(lookup(name), value, { lookup })]),
            ])
          }
        },
      ),
      { numRuns: countRounds(200) },
    )
  })
})
