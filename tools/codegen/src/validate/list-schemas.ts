import type { Api } from '../ir/api.js'
import { match } from '../ir/schema.js'
import type { Cases, Schema } from '../ir/schema.js'

/** All schemas of a document and the schemas within them, each once. */
export function* listSchemas({ schemas, operations }: Api): Iterable<Schema> {
  const seen = new Set<Schema>()
  for (const { schema } of schemas) yield* listInner(schema, seen)
  for (const { parameters, body, responses } of operations) {
    for (const { schema } of parameters) yield* listInner(schema, seen)
    for (const { schema } of body?.contents ?? []) yield* listInner(schema, seen)
    for (const { contents, headers } of responses)
      for (const { schema } of [...contents, ...headers]) yield* listInner(schema, seen)
  }
}

function* listInner(schema: Schema, seen: Set<Schema>): Iterable<Schema> {
  const stack = [schema]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen.has(node)) continue
    seen.add(node)
    stack.push(...match(node, children))
    yield node
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
