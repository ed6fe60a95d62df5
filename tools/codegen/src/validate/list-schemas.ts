import type { Api } from '../ir/api.js'
import { match } from '../ir/schema.js'
import type { Cases, Schema } from '../ir/schema.js'

const known = new WeakMap<Api, ReadonlySet<Schema>>()

/** All schemas of a document and the schemas within them, each once. */
export function listSchemas(api: Api): ReadonlySet<Schema> {
  const found = known.get(api) ?? findSchemas(api)
  known.set(api, found)
  return found
}

function findSchemas({ schemas, operations }: Api): ReadonlySet<Schema> {
  const found = new Set<Schema>()
  for (const { schema } of schemas) addSchemas(schema, found)
  for (const { parameters, body, responses } of operations) {
    for (const { schema } of parameters) addSchemas(schema, found)
    for (const { schema } of body?.contents ?? []) addSchemas(schema, found)
    for (const { contents, headers } of responses) {
      for (const { schema } of contents) addSchemas(schema, found)
      for (const { schema } of headers) addSchemas(schema, found)
    }
  }
  return found
}

function addSchemas(schema: Schema, found: Set<Schema>): void {
  if (found.has(schema)) return
  found.add(schema)
  const stack = [schema]
  for (let node = stack.pop(); node !== undefined; node = stack.pop())
    for (const child of match(node, children)) {
      if (found.has(child)) continue
      found.add(child)
      stack.push(child)
    }
}

const childless = (): readonly Schema[] => []

/** The target of a reference is visited separately. */
const children: Cases<readonly Schema[]> = {
  any: childless,
  never: childless,
  null: childless,
  boolean: childless,
  number: childless,
  string: childless,
  binary: childless,
  enum: childless,
  ref: childless,
  array: ({ prefix, items, contains, unevaluated }) =>
    omitUndefined([...prefix, items, contains?.schema, unevaluated]),
  object: ({ properties, patterns, dependentSchemas, additional, propertyNames }) =>
    omitUndefined([
      ...[...properties, ...patterns, ...dependentSchemas].map(({ schema }) => schema),
      additional,
      propertyNames,
    ]),
  union: ({ options }) => options,
  oneOf: ({ options }) => options,
  intersection: ({ parts }) => parts,
  not: ({ schema }) => [schema],
  conditional: ({ when, then, otherwise }) => [when, then, otherwise],
  unevaluated: ({ base, properties, items }) => omitUndefined([base, properties, items]),
}

function omitUndefined(schemas: readonly (Schema | undefined)[]): readonly Schema[] {
  return schemas.filter((schema) => schema !== undefined)
}
