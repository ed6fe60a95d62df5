import { match, type Cases, type Schema } from '../ir/schema.js'

/** The names that a schema refers to by itself, without those that they refer to in turn. */
export function refsOf(schema: Schema): readonly string[] {
  const none = (): readonly string[] => []
  const all = (...schemas: readonly (Schema | undefined)[]): readonly string[] =>
    schemas.flatMap((inner) => (inner === undefined ? [] : refsOf(inner)))
  const cases: Cases<readonly string[]> = {
    any: none,
    never: none,
    null: none,
    boolean: none,
    number: none,
    string: none,
    binary: none,
    enum: none,
    array: ({ prefix, items, contains, unevaluated }) => all(...prefix, items, contains?.schema, unevaluated),
    object: ({ properties, patterns, additional, propertyNames, dependentSchemas }) =>
      all(...[...properties, ...patterns, ...dependentSchemas].map((entry) => entry.schema), additional, propertyNames),
    union: ({ options }) => all(...options),
    oneOf: ({ options }) => all(...options),
    intersection: ({ parts }) => all(...parts),
    not: ({ schema: refused }) => all(refused),
    conditional: ({ when, then, otherwise }) => all(when, then, otherwise),
    unevaluated: ({ base, properties, items }) => all(base, properties, items),
    ref: ({ name }) => [name],
  }
  return match(schema, cases)
}
