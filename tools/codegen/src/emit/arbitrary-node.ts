import {
  omitUndefined,
  match,
  type Cases,
  type Json,
  type NumberNode,
  type Schema,
} from '../ir/schema.js'

/** A schema as the runtime reads it: the tree without descriptions and empty fields. */
export function toArbitraryNode(schema: Schema): Json {
  const toOptionalNode = (part: Schema | undefined): Json | undefined =>
    part && toArbitraryNode(part)
  const toNodes = (parts: readonly Schema[]): Json => parts.map(toArbitraryNode)
  const toEntries = <E extends { readonly schema: Schema }>(
    all: readonly E[],
    facts: (entry: E) => Readonly<Record<string, Json | undefined>>,
  ): Json | undefined =>
    all.length === 0
      ? undefined
      : all.map((entry) =>
          omitUndefined({ ...facts(entry), schema: toArbitraryNode(entry.schema) }),
        )
  const toPlainNode = (): Json => ({ kind: schema.kind })
  const cases: Cases<Json> = {
    any: toPlainNode,
    never: toPlainNode,
    null: toPlainNode,
    boolean: toPlainNode,
    binary: toPlainNode,
    number: (number) =>
      omitUndefined({
        ...number,
        ...findFormatBounds(number),
        notes: undefined,
        format: undefined,
      }),
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
        prefix: prefix.length === 0 ? undefined : toNodes(prefix),
        items: toArbitraryNode(items),
        itemsStated,
        contains:
          contains && omitUndefined({ ...contains, schema: toArbitraryNode(contains.schema) }),
        minItems,
        maxItems,
        unique: unique ? true : undefined,
        unevaluated: toOptionalNode(unevaluated),
      }),
    object: (object) =>
      omitUndefined({
        ...object,
        notes: undefined,
        properties: toEntries(object.properties, ({ name, required }) => ({
          name,
          required: required ? true : undefined,
        })),
        alsoRequired: omitEmpty(object.alsoRequired),
        patterns: toEntries(object.patterns, ({ pattern }) => ({ pattern })),
        additional: toArbitraryNode(object.additional),
        propertyNames: toOptionalNode(object.propertyNames),
        dependentRequired: omitEmpty(object.dependentRequired),
        dependentSchemas: toEntries(object.dependentSchemas, ({ name }) => ({ name })),
      }),
    union: ({ kind, options }) => ({ kind, options: toNodes(options) }),
    oneOf: ({ kind, options }) => ({ kind, options: toNodes(options) }),
    intersection: ({ kind, parts }) => ({ kind, parts: toNodes(parts) }),
    not: ({ kind, schema: rejected }) => ({ kind, schema: toArbitraryNode(rejected) }),
    conditional: ({ kind, when, then, otherwise }) => ({
      kind,
      when: toArbitraryNode(when),
      then: toArbitraryNode(then),
      otherwise: toArbitraryNode(otherwise),
    }),
    unevaluated: ({ kind, base, properties, items }) =>
      omitUndefined({
        kind,
        base: toArbitraryNode(base),
        properties: toOptionalNode(properties),
        items: toOptionalNode(items),
      }),
    ref: ({ kind, name }) => ({ kind, name }),
  }
  return match(schema, cases)
}

function listStrings(examples: readonly Json[]): Json | undefined {
  return omitEmpty(examples.filter((example) => typeof example === 'string'))
}

function omitEmpty(all: readonly Json[]): Json | undefined {
  return all.length === 0 ? undefined : all
}

/** Bounds of OpenAPI's integer formats. Arbitraries do not reach those of 64 bits. */
function findFormatBounds({
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
