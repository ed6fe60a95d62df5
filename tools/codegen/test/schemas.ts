import * as fc from 'fast-check'
import type { Json } from '../src/ir/schema.js'

const names = ['a', 'b', 'c', '__proto__', 'toString']
const name = fc.constantFrom(...names)
const scalar = fc.constantFrom<Json>(null, true, false, 0, 1, 2, 1.5, -1, '', 'a', 'ab', '😀')

/** Small JSON values, of names and scalars that the schemas below speak of. */
export const jsonValue = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value

const small = fc.integer({ min: 0, max: 2 })
const record = (item: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.array(fc.tuple(name, item), { maxLength: 2 }).map((entries) => Object.fromEntries(entries))

const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string')

/**
 * Schemas with keywords in any mixture: most mixtures mean little, which is the point. They refer
 * to `sharedSchemas`.
 */
export const jsonSchema = fc.letrec<{ schema: Json }>((tie) => {
  const sub = tie('schema')
  const some = fc.array(sub, { minLength: 1, maxLength: 2 })
  const keywords: Readonly<Record<string, fc.Arbitrary<Json>>> = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 2 })),
    enum: fc.uniqueArray(jsonValue, {
      minLength: 1,
      maxLength: 3,
      selector: (item) => JSON.stringify(item),
    }),
    const: jsonValue,
    minLength: small,
    maxLength: small,
    pattern: fc.constantFrom('a', '^a$', '^.$', '\\p{L}'),
    minimum: small,
    exclusiveMaximum: small,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    properties: record(sub),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    additionalProperties: sub,
    patternProperties: fc
      .tuple(fc.constantFrom('^a', 'b'), sub)
      .map((entry) => Object.fromEntries([entry])),
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
    then: sub,
    else: sub,
    unevaluatedProperties: sub,
    unevaluatedItems: sub,
    $ref: fc.constantFrom('#/components/schemas/Text', '#/components/schemas/Tree'),
  }
  const keyword = fc
    .constantFrom(...Object.keys(keywords))
    .chain((word) =>
      (keywords[word] ?? fc.constant(true)).map((content): [string, Json] => [word, content]),
    )
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.boolean(),
      fc.array(keyword, { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }
}).schema

/** What a random schema may refer to. */
export const sharedSchemas = {
  Text: { type: 'string', minLength: 1 },
  Tree: {
    type: 'object',
    properties: { a: { $ref: '#/components/schemas/Tree' }, b: { type: 'integer' } },
    unevaluatedProperties: false,
  },
} as const
