import { type Cases, match, type Schema } from './schema.js'

/** The direct subschemas of a schema. A reference has none. */
export function listChildren(schema: Schema): readonly Schema[] {
  return match(schema, cases)
}

const listNone = (): readonly Schema[] => []
const dropUndefined = (...schemas: readonly (Schema | undefined)[]): readonly Schema[] =>
  schemas.filter((one) => one !== undefined)

const cases: Cases<readonly Schema[]> = {
  any: listNone,
  never: listNone,
  null: listNone,
  boolean: listNone,
  number: listNone,
  string: listNone,
  binary: listNone,
  enum: listNone,
  array: ({ prefix, items, contains, unevaluated }) =>
    dropUndefined(...prefix, items, contains?.schema, unevaluated),
  object: ({ properties, patterns, additional, propertyNames, dependentSchemas }) => {
    const found = properties.map(({ schema }) => schema)
    for (const { schema } of patterns) found.push(schema)
    for (const { schema } of dependentSchemas) found.push(schema)
    found.push(additional)
    if (propertyNames !== undefined) found.push(propertyNames)
    return found
  },
  union: ({ options }) => options,
  oneOf: ({ options }) => options,
  intersection: ({ parts }) => parts,
  not: ({ schema }) => [schema],
  conditional: ({ when, then, otherwise }) => [when, then, otherwise],
  unevaluated: ({ base, properties, items }) => dropUndefined(base, properties, items),
  ref: listNone,
}
