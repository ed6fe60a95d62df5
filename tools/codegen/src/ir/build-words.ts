/** Keywords that apply only to arrays. */
export const arrayWords: readonly string[] = [
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
