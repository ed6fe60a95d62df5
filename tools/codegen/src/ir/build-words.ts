/** Keywords that speak of arrays alone. */
export const arrayWords: readonly string[] = ['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems']

/** Keywords that speak of objects alone. */
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
 * Keywords that evaluate the same value elsewhere: only beside them does `unevaluated*` say more
 * than `additionalProperties` and `items`.
 */
export const inPlace: readonly string[] = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'dependentSchemas']
