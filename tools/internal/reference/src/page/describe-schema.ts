import { readSchemaName, toList, toObject } from '../contract/read.js'
import { describeBounds, describeRange } from '../contract/schema.js'
import type { RefSchema, Resolve } from './contract.js'

/** How many options of a union are named. */
const namedOptions = 8

/** The schemas in a list of them, such as `allOf`. */
export function listSchemas(list: readonly RefSchema[] | undefined): readonly RefSchema[] {
  return toList(list) as readonly RefSchema[]
}

/** The options of a union. */
export function listOptions({ anyOf, oneOf }: RefSchema): readonly RefSchema[] {
  return listSchemas(anyOf ?? oneOf)
}

/**
 * Describes the type of a schema in a few words: `string`, `list of LedgerEntry`, `number or null`.
 * With `named`, a component schema is described by its name, whatever its type.
 */
export function describeType(
  schema: RefSchema,
  resolve: Resolve,
  named = false,
  depth = 0,
): string {
  if (acceptsNothing(schema)) return 'nothing'
  const name = readSchemaName(schema)
  if (name !== undefined && named) return name
  const describe = (one: RefSchema) =>
    depth > 3 ? 'anything' : describeType(one, resolve, named, depth + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const resolved = resolve(schema)
  const all = [resolved.type ?? []].flat()
  const types = all.filter((type) => type !== 'null')
  const isNullable = resolved.nullable === true || (types.length > 0 && all.includes('null'))
  const orNull = isNullable ? ' or null' : ''
  if (resolved.format === 'binary') return 'bytes'
  const options = listOptions(resolved)
  if (all.length === 0 && options.length > 0) {
    const names = [...new Set(options.map(describe))]
    const more = names.length > namedOptions ? [`${names.length - namedOptions} more`] : []
    return `${[...names.slice(0, namedOptions), ...more].join(' or ')}${orNull}`
  }
  const described = types.map((type) => {
    if (type === 'array') return `list of ${describeItems(resolved, describe)}`
    return type === 'object' ? (name ?? describeObject(resolved, describe)) : type
  })
  if (described.length > 0) return `${described.join(' or ')}${orNull}`
  if (all.length > 0) return 'null'
  const parts = [...new Set(listSchemas(resolved.allOf).map(describe))]
  const known = parts.filter((part) => part !== 'anything')
  if (resolved.properties !== undefined || known.length > 1)
    return `${name ?? describeObject(resolved, describe)}${orNull}`
  if (known[0] !== undefined) return `${known[0]}${orNull}`
  return resolved.enum === undefined ? (name ?? 'anything') : `one of${orNull}`
}

/** Describes the items of a list: `string, integer, then anything`. */
function describeItems(
  { prefixItems, items }: RefSchema,
  describe: (schema: RefSchema) => string,
): string {
  const first = listSchemas(prefixItems).map(describe)
  const others = items === undefined ? 'anything' : describe(items)
  if (first.length === 0) return others
  const isClosed = items !== undefined && acceptsNothing(items)
  return [...first, ...(isClosed ? [] : [`then ${others}`])].join(', ')
}

/** A schema may also be `false`. */
function acceptsNothing(schema: RefSchema | boolean | undefined): boolean {
  return schema === false
}

function describeObject(
  { properties, additionalProperties: values }: RefSchema,
  describe: (schema: RefSchema) => string,
): string {
  return properties === undefined && typeof values === 'object' && values !== null
    ? `map of ${describe(values)}`
    : 'object'
}

/** Describes the other limits of a value, each in a few words, with those of its `allOf`. */
export function describeLimits(schema: RefSchema, resolve: Resolve, depth = 0): readonly string[] {
  const resolved = resolve(schema)
  const { pattern, format, contentEncoding, contentMediaType, multipleOf } = resolved
  const parts = depth > 3 ? [] : listSchemas(resolved.allOf)
  const all = [
    ...[format === 'binary' ? undefined : format, contentEncoding, contentMediaType].flatMap(
      (one) => one ?? [],
    ),
    ...describeBounds(resolved),
    ...(multipleOf === undefined ? [] : [`multiple of ${multipleOf}`]),
    ...(pattern === undefined ? [] : [pattern]),
    ...describeListLimits(resolved, resolve, depth),
    ...describeObjectLimits(resolved, resolve, depth),
    ...(resolved.not === undefined ? [] : [`not ${describeValue(resolved.not, resolve, depth)}`]),
    ...parts.flatMap((part) => describeLimits(part, resolve, depth + 1)),
  ]
  return [...new Set(all)]
}

function describeListLimits(schema: RefSchema, resolve: Resolve, depth: number): readonly string[] {
  const { uniqueItems, contains, minContains, maxContains, items } = schema
  const [count = ''] = describeRange(minContains ?? 1, maxContains)
  const each = items === undefined || depth > 3 ? [] : describeLimits(items, resolve, depth + 1)
  return [
    ...(uniqueItems === true ? ['no duplicates'] : []),
    ...(contains === undefined
      ? []
      : [`contains ${count}: ${describeValue(contains, resolve, depth)}`]),
    ...each.map((limit) => `each ${limit}`),
  ]
}

function describeObjectLimits(
  schema: RefSchema,
  resolve: Resolve,
  depth: number,
): readonly string[] {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema
  const { minProperties, maxProperties, propertyNames, dependentRequired } = schema
  const isClosed = acceptsNothing(additionalProperties) || acceptsNothing(unevaluatedProperties)
  const isMap = properties === undefined && patternProperties === undefined
  const others = isMap || typeof additionalProperties !== 'object' ? [] : [additionalProperties]
  const value = (one: RefSchema) => describeValue(one, resolve, depth)
  return [
    ...describeRange(minProperties, maxProperties, ' fields'),
    ...(propertyNames === undefined ? [] : [`names: ${value(propertyNames)}`]),
    ...Object.entries(toObject(patternProperties)).map(
      ([pattern, one]) => `names like ${pattern}: ${value(one as RefSchema)}`,
    ),
    ...others.map((one) => `other fields: ${value(one)}`),
    ...(isClosed ? ['no other fields'] : []),
    ...Object.entries(toObject(dependentRequired)).map(
      ([name, needed]) => `${name} needs ${toList(needed).join(', ')}`,
    ),
  ]
}

/** Describes a value in one phrase: its type or what it may be, and its limits. */
function describeValue(schema: RefSchema | boolean, resolve: Resolve, depth: number): string {
  if (typeof schema !== 'object') return schema ? 'anything' : 'nothing'
  const values = toList(resolve(schema).enum).map((one) => JSON.stringify(one))
  const type = describeType(schema, resolve, false, depth)
  const limits = depth > 3 ? [] : describeLimits(schema, resolve, depth + 1)
  const words = values.length > 0 ? values.join(' or ') : type
  return (words === 'anything' && limits.length > 0 ? limits : [words, ...limits]).join(', ')
}
