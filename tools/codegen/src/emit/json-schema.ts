import type { Api } from '../ir/api.js'
import {
  omitUndefined,
  match,
  type Cases,
  type Json,
  type Notes,
  type ObjectNode,
  type Schema,
} from '../ir/schema.js'
import { createLookup, listRefs, oncePer } from './schemas.js'

export type JsonSchema = { readonly [keyword: string]: Json }

/** What the schema calls a property of the document. */
export type RenameProperty = (name: string) => string

const keepName: RenameProperty = (name) => name

/**
 * The schema as JSON Schema 2020-12. Names become references to `#/$defs`, which
 * `collectDefinitions` returns. Bytes are a base64 string.
 */
export function toJsonSchema(schema: Schema, rename = keepName): JsonSchema {
  const inner = (part: Schema): JsonSchema => toJsonSchema(part, rename)
  const cases: Cases<JsonSchema> = {
    any: () => ({}),
    never: () => ({ not: {} }),
    null: () => ({ type: 'null' }),
    boolean: () => ({ type: 'boolean' }),
    number: ({ integer, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }) =>
      omitUndefined({
        type: integer ? 'integer' : 'number',
        minimum,
        maximum,
        exclusiveMinimum,
        exclusiveMaximum,
        multipleOf,
      }),
    string: ({ minLength, maxLength, pattern, format, encoding: contentEncoding }) =>
      omitUndefined({ type: 'string', minLength, maxLength, pattern, format, contentEncoding }),
    binary: () => ({ type: 'string', contentEncoding: 'base64' }),
    enum: ({ values }) =>
      values.length === 0 ? { not: {} } : { ...inferTypeKeyword(values), enum: values },
    array: ({ prefix, items, contains, minItems, maxItems, unique, unevaluated }) => {
      // hosts of draft-07 ignore prefixItems, and would apply `items` to all of them
      const isClosed = prefix.length > 0 && items.kind === 'never'
      const isOpen = items.kind === 'any' && unevaluated !== undefined
      return omitUndefined({
        type: 'array',
        prefixItems: prefix.length > 0 ? prefix.map(inner) : undefined,
        items: isClosed || isOpen ? undefined : inner(items),
        contains: contains && inner(contains.schema),
        minContains: contains?.min,
        maxContains: contains?.max,
        minItems,
        maxItems: isClosed ? Math.min(prefix.length, maxItems ?? Infinity) : maxItems,
        uniqueItems: unique ? true : undefined,
        unevaluatedItems: unevaluated && inner(unevaluated),
      })
    },
    object: (node) => toObjectSchema(node, rename),
    union: ({ options: parts }) => ({ anyOf: parts.map(inner) }),
    oneOf: ({ options: parts }) => ({ oneOf: parts.map(inner) }),
    intersection: ({ parts }) => ({ allOf: parts.map(inner) }),
    not: ({ schema: rejected }) => ({ not: inner(rejected) }),
    conditional: ({ when, then, otherwise }) => ({
      if: inner(when),
      then: inner(then),
      else: inner(otherwise),
    }),
    unevaluated: ({ base, properties, items }) =>
      omitUndefined({
        allOf: [inner(base)],
        unevaluatedProperties: properties && inner(properties),
        unevaluatedItems: items && inner(items),
      }),
    ref: ({ name }) => ({ $ref: `#/$defs/${encodeURIComponent(name)}` }),
  }
  return { ...pickAnnotations(schema.notes), ...match(schema, cases) }
}

/** The named schemas that some schemas reach, by their names in order. */
export function collectDefinitions(
  api: Api,
  schemas: readonly Schema[],
  rename = keepName,
): JsonSchema {
  const definition = createDefinitionFinder(api)(rename)
  const found = new Map<string, JsonSchema>()
  const visit = (names: readonly string[]): void => {
    for (const name of names) {
      if (found.has(name)) continue
      const { printed, refs } = definition(name)
      found.set(name, printed)
      visit(refs)
    }
  }
  for (const schema of schemas) visit(listRefs(schema))
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** A named schema in print, and the names that it refers to. Each is printed once. */
const createDefinitionFinder = oncePer(
  (api: Api) =>
    oncePer((rename: RenameProperty) => {
      const lookup = createLookup(api)
      const define = oncePer((schema: Schema) => ({
        printed: toJsonSchema(schema, rename),
        refs: [...new Set(listRefs(schema))],
      }))
      return (name: string) => define(lookup(name))
    }),
  new WeakMap(),
)

function toObjectSchema(node: ObjectNode, rename: RenameProperty): JsonSchema {
  const inner = (part: Schema): JsonSchema => toJsonSchema(part, rename)
  const record = (entries: readonly (readonly [string, Json])[]): Json | undefined =>
    entries.length > 0 ? Object.fromEntries(entries) : undefined
  // leaves out properties without a value, which belong to the other direction
  const properties = node.properties.filter(
    ({ schema, required }) => required || schema.kind !== 'never',
  )
  const required = [
    ...properties.filter((property) => property.required).map(({ name }) => rename(name)),
    ...node.alsoRequired.map(rename),
  ]
  const {
    additional,
    patterns,
    propertyNames,
    minProperties,
    maxProperties,
    dependentRequired,
    dependentSchemas,
  } = node
  return omitUndefined({
    type: 'object',
    properties: record(
      properties.map(({ name, schema }) => [
        rename(name),
        describeRename(name, rename, inner(schema)),
      ]),
    ),
    required: required.length > 0 ? required : undefined,
    patternProperties: record(patterns.map(({ pattern, schema }) => [pattern, inner(schema)])),
    additionalProperties:
      additional.kind === 'any' && node.additionalStated !== true
        ? undefined
        : additional.kind === 'never'
          ? false
          : inner(additional),
    propertyNames: propertyNames && inner(propertyNames),
    minProperties,
    maxProperties,
    dependentRequired: record(
      dependentRequired.map(({ name, requires }) => [rename(name), requires.map(rename)]),
    ),
    dependentSchemas: record(
      dependentSchemas.map(({ name, schema }) => [rename(name), inner(schema)]),
    ),
  })
}

/** Adds the name in the document to a property that has another. */
function describeRename(name: string, rename: RenameProperty, schema: JsonSchema): JsonSchema {
  if (rename(name) === name) return schema
  const { description } = schema
  const note = `Stands for \`${name}\`.`
  return {
    ...schema,
    description: typeof description === 'string' ? `${description} (${note})` : note,
  }
}

function pickAnnotations({
  title,
  description,
  deprecated,
  default: value,
  examples,
}: Notes): JsonSchema {
  return omitUndefined({ title, description, deprecated, default: value, examples })
}

/** The one type of all values. Hosts such as Gemini expect it beside an array of values. */
function inferTypeKeyword(values: readonly Json[]): { readonly type?: string | readonly string[] } {
  const types = new Set(
    values.map((value) =>
      value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value,
    ),
  )
  const [type] = types
  if (type === undefined) return {}
  return { type: types.size > 1 ? [...types] : type }
}
