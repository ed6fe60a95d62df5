import type { Of, Schema } from '@farebox/codegen/model'

/** An integer has inclusive bounds, and a bound beside a stricter one is left out. */
export function normalizeNumber(node: Of<'number'>): Schema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, ...rest } = node
  const facts = [minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf]
  if (facts.every((fact) => fact === undefined)) return node
  // multiples of an integer are integers
  const integer = node.integer || (multipleOf !== undefined && Number.isInteger(multipleOf))
  const low = pickStricterBound(minimum, exclusiveMinimum, integer)
  const high = pickStricterBound(negateBound(maximum), negateBound(exclusiveMaximum), integer)
  const isMultiple = integer && multipleOf !== undefined && Number.isInteger(1 / multipleOf)
  return {
    ...rest,
    integer,
    ...(low.inclusive !== undefined && { minimum: low.inclusive }),
    ...(high.inclusive !== undefined && { maximum: 0 - high.inclusive }),
    ...(low.exclusive !== undefined && { exclusiveMinimum: low.exclusive }),
    ...(high.exclusive !== undefined && { exclusiveMaximum: 0 - high.exclusive }),
    ...(multipleOf !== undefined && !isMultiple && { multipleOf }),
  }
}

function negateBound(bound: number | undefined): number | undefined {
  return bound === undefined ? undefined : -bound
}

/** The stricter of two bounds from below. */
function pickStricterBound(
  inclusive: number | undefined,
  exclusive: number | undefined,
  integer: boolean,
): { readonly inclusive?: number; readonly exclusive?: number } {
  if (integer) {
    const bounds = [
      ...(inclusive === undefined ? [] : [Math.ceil(inclusive)]),
      ...(exclusive === undefined ? [] : [Math.floor(exclusive) + 1]),
    ]
    return bounds.length === 0 ? {} : { inclusive: Math.max(...bounds) }
  }
  if (exclusive === undefined) return inclusive === undefined ? {} : { inclusive }
  return inclusive === undefined || exclusive >= inclusive ? { exclusive } : { inclusive }
}

export function normalizeString(node: Of<'string'>): Schema {
  const { minLength, pattern, format, encoding, ...rest } = node
  if (minLength === undefined && pattern === undefined && encoding === undefined) return node
  // `format: byte` of OpenAPI 3.0 is `contentEncoding: base64` of 3.1
  const isBase64 = format === undefined && encoding === 'base64'
  return {
    ...rest,
    ...(minLength !== undefined && minLength > 0 && { minLength }),
    ...(pattern !== undefined && !matchesAll.has(pattern) && { pattern }),
    ...(format !== undefined && { format }),
    ...(isBase64 && { format: 'byte' }),
    ...(encoding !== undefined && encoding !== 'base64' && { encoding }),
  }
}

/** Patterns that match somewhere in every string. */
const matchesAll = new Set(['', '.*', '^', '$', '^.*', '.*$', '(.*)', '^[\\s\\S]*$', '[\\s\\S]*'])

export function normalizeArray(node: Of<'array'>, normalize: (schema: Schema) => Schema): Schema {
  const { minItems, maxItems, contains, unevaluated, ...rest } = node
  return {
    ...rest,
    prefix: node.prefix.map(normalize),
    items: normalize(node.items),
    unique: node.unique && (maxItems === undefined || maxItems > 1),
    ...(minItems !== undefined && minItems > 0 && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
    ...(contains && { contains: { ...contains, schema: normalize(contains.schema) } }),
    ...(unevaluated && { unevaluated: normalize(unevaluated) }),
  }
}

export function normalizeObject(node: Of<'object'>, normalize: (schema: Schema) => Schema): Schema {
  const { minProperties, maxProperties, propertyNames, ...rest } = node
  const withSchema = <T extends { readonly schema: Schema }>(rule: T): T => {
    const schema = normalize(rule.schema)
    return schema === rule.schema ? rule : { ...rule, schema }
  }
  const properties = node.properties.map(withSchema)
  const written = node.patterns.map(withSchema)
  const [only] = written
  // a pattern of every name leaves none to `additionalProperties`
  const isRest =
    properties.length === 0 && written.length === 1 && matchesAll.has(only?.pattern ?? 'none')
  const patterns = isRest ? [] : written
  const additional = isRest && only ? only.schema : normalize(node.additional)
  const required = new Set([
    ...properties.flatMap(({ name, required: isRequired }) => (isRequired ? [name] : [])),
    ...node.alsoRequired,
  ])
  const names = propertyNames && normalize(propertyNames)
  const isClosed = additional.kind === 'never' && patterns.length === 0
  const most = isClosed ? properties.length : Infinity
  return {
    ...rest,
    properties,
    additional,
    patterns,
    dependentRequired: node.dependentRequired.filter(({ requires }) =>
      requires.some((name) => !required.has(name)),
    ),
    dependentSchemas: node.dependentSchemas
      .map(withSchema)
      .filter(({ schema }) => schema.kind !== 'any'),
    ...(names !== undefined && !acceptsEveryName(names) && { propertyNames: names }),
    ...(minProperties !== undefined && minProperties > required.size && { minProperties }),
    ...(maxProperties !== undefined && maxProperties < most && { maxProperties }),
  }
}

function acceptsEveryName(schema: Schema): boolean {
  if (schema.kind === 'any') return true
  if (schema.kind !== 'string') return false
  const { minLength, maxLength, pattern, format } = schema
  return [minLength, maxLength, pattern, format].every((rule) => rule === undefined)
}
