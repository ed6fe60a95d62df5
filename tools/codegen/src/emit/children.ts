import { match, type Cases, type Schema } from '../ir/schema.js'

/** The direct subschemas of a schema. A reference has none. */
export function listChildren(schema: Schema): readonly Schema[] {
  return match(schema, cases)
}

const none = (): readonly Schema[] => []
const all = (...schemas: readonly (Schema | undefined)[]): readonly Schema[] =>
  schemas.filter((one) => one !== undefined)

const cases: Cases<readonly Schema[]> = {
  any: none,
  never: none,
  null: none,
  boolean: none,
  number: none,
  string: none,
  binary: none,
  enum: none,
  array: ({ prefix, items, contains, unevaluated }) =>
    all(...prefix, items, contains?.schema, unevaluated),
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
  unevaluated: ({ base, properties, items }) => all(base, properties, items),
  ref: none,
}

/** The names that a schema refers to, not transitively. */
export function listRefs(schema: Schema): readonly string[] {
  return schema.kind === 'ref' ? [schema.name] : listChildren(schema).flatMap(listRefs)
}
