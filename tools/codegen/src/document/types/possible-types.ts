import { isList, isObject, readOwn, type Json } from '../json.js'
import { parseComponentKey } from '../shape.js'

/** The types of JSON's data model; `integer` is a number. */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null'

export const allTypes: readonly JsonType[] = [
  'object',
  'array',
  'string',
  'number',
  'boolean',
  'null',
]

export type Types = ReadonlySet<JsonType>

/** A version of OpenAPI. */
export type Version = '3.0' | '3.1' | '3.2'

/** What the types of a schema depend on, beside itself. */
export type TypeScope = {
  readonly document: { readonly version: Version }
  readonly components: Pick<ReadonlyMap<string, Json>, 'get'>
}

export function findValueType(value: Json): JsonType {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  return typeof value as JsonType
}

/** The types that `type` allows, with `nullable` of OpenAPI 3.0; undefined without it. */
export function readDeclaredTypes(scope: TypeScope, schema: Json): readonly JsonType[] | undefined {
  const written = readOwn(schema, 'type')
  const type = written === null ? 'null' : written
  if (typeof type === 'string') {
    const types = single[type]
    return isNullable(scope, schema) ? (types?.orNull ?? justNull) : types?.one
  }
  const listed = isList(type) ? type : undefined
  if (listed === undefined) return undefined
  const types = new Set<JsonType>()
  for (const name of listed) {
    if (name === 'integer') types.add('number')
    else if (name === null) types.add('null')
    else if (allTypes.includes(name as JsonType)) types.add(name as JsonType)
  }
  if (isNullable(scope, schema)) types.add('null')
  return types.size === 0 ? undefined : [...types]
}

type Single = { readonly one: readonly JsonType[]; readonly orNull: readonly JsonType[] }

/** The types of one name in `type`, also with `nullable`. */
const single: Readonly<Record<string, Single | undefined>> = Object.assign(
  Object.create(null) as Record<string, Single>,
  {
    ...Object.fromEntries(
      allTypes.map((type): [string, Single] => [
        type,
        { one: [type], orNull: type === 'null' ? [type] : [type, 'null'] },
      ]),
    ),
    integer: { one: ['number'], orNull: ['number', 'null'] },
  },
)

const justNull: readonly JsonType[] = ['null']

export function isNullable(scope: TypeScope, schema: Json): boolean {
  return scope.document.version === '3.0' && readOwn(schema, 'nullable') === true
}

/**
 * The types that a schema allows at most. Keywords without a type then only need to be read for
 * these types, as others fail anyway: `allOf: [Base, { properties }]` stays an object and does not
 * become "an object or anything else".
 */
export function findPossibleTypes(scope: TypeScope, schema: Json): Types {
  const { known } = findMemory(scope)
  return narrowTypes(schema, 0)

  function narrowTypes(node: Json, depth: number): Types {
    if (node === false) return new Set()
    if (!isObject(node) || depth > deepest) return new Set(allTypes)
    const ref = readOwn(node, '$ref')
    const referred =
      typeof ref === 'string' ? narrowComponent(parseComponentKey(ref), depth + 1) : undefined
    if (referred !== undefined && scope.document.version === '3.0') return referred
    let types: Types = new Set(readDeclaredTypes(scope, node) ?? allTypes)
    if (referred !== undefined) types = intersect(types, referred)
    const values = readOwn(node, 'enum')
    if (isList(values)) types = intersect(types, new Set(values.map(findValueType)))
    const constant = readOwn(node, 'const')
    if (constant !== undefined) types = intersect(types, new Set([findValueType(constant)]))
    const all = readOwn(node, 'allOf')
    if (isList(all)) for (const part of all) types = intersect(types, narrowTypes(part, depth + 1))
    for (const key of ['anyOf', 'oneOf']) {
      const options = readOwn(node, key)
      if (isList(options))
        types = intersect(
          types,
          new Set(options.flatMap((option) => [...narrowTypes(option, depth + 1)])),
        )
    }
    return isNullable(scope, node) && readOwn(node, 'type') === undefined
      ? new Set([...types, 'null'])
      : types
  }

  function narrowComponent(key: string | undefined, depth: number): Types {
    const remembered = known.get(key ?? '')
    if (remembered !== undefined) return remembered
    const everything = new Set(allTypes)
    if (key === undefined || depth > deepest) return everything
    known.set(key, everything)
    const types = narrowTypes(scope.components.get(key) ?? true, depth)
    known.set(key, types)
    return types
  }
}

export function intersect(a: Types, b: Types): Types {
  return new Set([...a].filter((type) => b.has(type)))
}

/** Beyond it every type is taken for possible, which is never wrong, only less narrow. */
const deepest = 60

const memories = new WeakMap<TypeScope, { readonly known: Map<string, Types> }>()

function findMemory(scope: TypeScope): { readonly known: Map<string, Types> } {
  const existing = memories.get(scope)
  if (existing !== undefined) return existing
  const fresh = { known: new Map<string, Types>() }
  memories.set(scope, fresh)
  return fresh
}
