import {
  omitUndefined,
  match,
  type Cases,
  type Json,
  type NumberNode,
  type Schema,
} from '../../ir/schema.js'

/** A schema as the runtime reads it: the tree without descriptions and empty fields. */
export function node(schema: Schema): Json {
  const of = (part: Schema | undefined): Json | undefined => part && node(part)
  const list = (parts: readonly Schema[]): Json => parts.map(node)
  const entries = <E extends { readonly schema: Schema }>(
    all: readonly E[],
    facts: (entry: E) => Readonly<Record<string, Json | undefined>>,
  ): Json | undefined =>
    all.length === 0
      ? undefined
      : all.map((entry) => omitUndefined({ ...facts(entry), schema: node(entry.schema) }))
  const plain = (): Json => ({ kind: schema.kind })
  const cases: Cases<Json> = {
    any: plain,
    never: plain,
    null: plain,
    boolean: plain,
    binary: plain,
    number: (number) =>
      omitUndefined({ ...number, ...numberBounds(number), notes: undefined, format: undefined }),
    string: ({ kind, notes, minLength, maxLength, pattern, format }) =>
      omitUndefined({
        kind,
        minLength,
        maxLength,
        pattern,
        format,
        examples: pattern === undefined ? undefined : listStrings(notes.examples ?? []),
      }),
    enum: ({ values }) => ({ kind: 'enum', values }),
    array: ({
      kind,
      prefix,
      items,
      itemsStated,
      contains,
      minItems,
      maxItems,
      unique,
      unevaluated,
    }) =>
      omitUndefined({
        kind,
        prefix: prefix.length === 0 ? undefined : list(prefix),
        items: node(items),
        itemsStated,
        contains: contains && omitUndefined({ ...contains, schema: node(contains.schema) }),
        minItems,
        maxItems,
        unique: unique ? true : undefined,
        unevaluated: of(unevaluated),
      }),
    object: (object) =>
      omitUndefined({
        ...object,
        notes: undefined,
        properties: entries(object.properties, ({ name, required }) => ({
          name,
          required: required ? true : undefined,
        })),
        alsoRequired: nonEmpty(object.alsoRequired),
        patterns: entries(object.patterns, ({ pattern }) => ({ pattern })),
        additional: node(object.additional),
        propertyNames: of(object.propertyNames),
        dependentRequired: nonEmpty(object.dependentRequired),
        dependentSchemas: entries(object.dependentSchemas, ({ name }) => ({ name })),
      }),
    union: ({ kind, options }) => ({ kind, options: list(options) }),
    oneOf: ({ kind, options }) => ({ kind, options: list(options) }),
    intersection: ({ kind, parts }) => ({ kind, parts: list(parts) }),
    not: ({ kind, schema: refused }) => ({ kind, schema: node(refused) }),
    conditional: ({ kind, when, then, otherwise }) => ({
      kind,
      when: node(when),
      then: node(then),
      otherwise: node(otherwise),
    }),
    unevaluated: ({ kind, base, properties, items }) =>
      omitUndefined({ kind, base: node(base), properties: of(properties), items: of(items) }),
    ref: ({ kind, name }) => ({ kind, name }),
  }
  return match(schema, cases)
}

function listStrings(examples: readonly Json[]): Json | undefined {
  return nonEmpty(examples.filter((example) => typeof example === 'string'))
}

function nonEmpty(all: readonly Json[]): Json | undefined {
  return all.length === 0 ? undefined : all
}

/** Bounds of OpenAPI's integer formats. Arbitraries do not reach those of 64 bits. */
function numberBounds({
  format,
  minimum = -Infinity,
  maximum = Infinity,
}: NumberNode): Readonly<Record<string, Json>> {
  if (format === 'int64') return { integer: true }
  if (format !== 'int32') return {}
  return {
    integer: true,
    minimum: Math.max(minimum, -2_147_483_648),
    maximum: Math.min(maximum, 2_147_483_647),
  }
}
