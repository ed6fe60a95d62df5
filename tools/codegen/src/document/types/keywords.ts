import type { Json, JsonObject } from '../json.js'
import type { JsonType } from './possible-types.js'

/** Keywords that apply only to arrays. */
const arrayWords: readonly string[] = [
  'items',
  'prefixItems',
  'contains',
  'minItems',
  'maxItems',
  'uniqueItems',
  'unevaluatedItems',
]

/** Keywords that apply only to objects. */
export const objectWords: readonly string[] = [
  'properties',
  'required',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
]

/**
 * Keywords with subschemas for the same value: only beside them does `unevaluated*` differ from
 * `additionalProperties` and `items`.
 */
export const inPlace: readonly string[] = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'dependentSchemas',
]

/** Whether a schema has a keyword for the values of a type. */
export function constrains(schema: JsonObject, type: JsonType): boolean {
  if (type === 'string' && Object.hasOwn(schema, 'format'))
    return !numericFormats.has(schema['format'] ?? null)
  return words[type].some((word) => Object.hasOwn(schema, word))
}

const words: { readonly [T in JsonType]: readonly string[] } = {
  null: [],
  boolean: [],
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: arrayWords,
  object: objectWords,
}

const numericFormats = new Set<Json>([
  'int8',
  'int16',
  'int32',
  'int64',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'float',
  'double',
  'decimal',
  'number',
  'integer',
])
