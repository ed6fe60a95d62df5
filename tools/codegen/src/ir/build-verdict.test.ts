import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { Compile } from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { accepts } from '../../test/evaluate.js'
import { withSchemas } from '../../test/documents.js'
import type { Json, Schema } from './schema.js'
import { buildApi } from './build.js'
import type { Place } from '../diagnostics.js'
import type { Document } from '../document/load.js'
import type { JsonObject } from '../document/json.js'

const names = ['a', 'b', 'c', '__proto__']
const name = fc.constantFrom(...names)
const scalar = fc.constantFrom<Json>(null, true, false, 0, 1, 2, 1.5, -1, '', 'a', 'ab', '😀')

const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value

const small = fc.integer({ min: 0, max: 2 })
const record = (item: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.array(fc.tuple(name, item), { maxLength: 2 }).map((entries) => Object.fromEntries(entries))

const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string')

/** Keywords in any mixture: most mixtures mean little, which is the point. */
const schema = fc.letrec<{ schema: Json }>((tie) => {
  const sub = tie('schema')
  const some = fc.array(sub, { minLength: 1, maxLength: 2 })
  const keywords: Readonly<Record<string, fc.Arbitrary<Json>>> = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 2 })),
    enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (item) => JSON.stringify(item) }),
    const: value,
    minLength: small,
    maxLength: small,
    pattern: fc.constantFrom('a', '^a$', '^.$', '\\p{L}'),
    minimum: small,
    exclusiveMaximum: small,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    properties: record(sub),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    additionalProperties: sub,
    patternProperties: fc.tuple(fc.constantFrom('^a', 'b'), sub).map((entry) => Object.fromEntries([entry])),
    propertyNames: sub,
    minProperties: small,
    maxProperties: small,
    dependentRequired: record(fc.uniqueArray(name, { maxLength: 2 })),
    dependentSchemas: record(sub),
    items: sub,
    prefixItems: some,
    contains: sub,
    minContains: small,
    maxContains: small,
    minItems: small,
    maxItems: small,
    uniqueItems: fc.boolean(),
    allOf: some,
    anyOf: some,
    oneOf: some,
    not: sub,
    if: sub,
    // oxlint-disable-next-line unicorn/no-thenable
    then: sub,
    else: sub,
    unevaluatedProperties: sub,
    unevaluatedItems: sub,
    $ref: fc.constantFrom('#/components/schemas/Text', '#/components/schemas/Tree'),
  }
  const keyword = fc
    .constantFrom(...Object.keys(keywords))
    .chain((word) => (keywords[word] ?? fc.constant(true)).map((content): [string, Json] => [word, content]))
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.boolean(),
      fc.array(keyword, { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }
}).schema

const shared = {
  Text: { type: 'string', minLength: 1 },
  Tree: { type: 'object', properties: { a: { $ref: '#/components/schemas/Tree' }, b: { type: 'integer' } }, unevaluatedProperties: false },
}

/** A document without a file: places are never asked for here. */
function documentOf(subject: Json): Document {
  const place = (pointer: string): Place => ({ file: 'test.json', line: 1, column: 1, pointer })
  return { root: withSchemas({ ...shared, Subject: subject }) as JsonObject, version: '3.1', source: 'test.json', files: [], place }
}

const never: Schema = { kind: 'never', notes: { origin: { file: '', line: 1, column: 1, pointer: '' } } }

function ours(subject: Json): (value: Json) => boolean {
  const { api, diagnostics } = buildApi(documentOf(subject))
  if (api === undefined) throw new Error(diagnostics.map(({ code, found }) => `${code} ${found}`).join())
  const schemas = new Map(api.schemas.map(({ name, schema }) => [name, schema]))
  const lookup = (name: string): Schema => schemas.get(name) ?? never
  return (item) => accepts(lookup('Subject'), item, lookup)
}

/** Two independent implementations; each has odd corners of its own, so only what both say counts. */
function theirs(subject: Json): (value: Json) => boolean | undefined {
  const whole = { components: { schemas: { ...shared, Subject: subject } }, $ref: '#/components/schemas/Subject' }
  const one = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true }).compile(whole)
  const other = Compile(whole)
  return (item) => {
    try {
      return one(item) === other.Check(item) ? one(item) : undefined
    } catch {
      return undefined
    }
  }
}

describe('the tree', () => {
  it('gives the verdict that JSON Schema gives', () => {
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 8, maxLength: 8 }), (subject, values) => {
        const [mine, other] = [ours(subject), theirs(subject)]
        for (const item of values) {
          const expected = other(item)
          if (expected !== undefined) expect([item, mine(item)]).toEqual([item, expected])
        }
      }),
      { numRuns: 500 },
    )
  })
})
