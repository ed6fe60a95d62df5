import { isList, isObject, readOwn, parsePointer, type Json, type JsonObject } from './json.js'

/** The objects of OpenAPI that hold schemas or references, by the specification's names. */
export type Shape =
  | 'document'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'header'
  | 'requestBody'
  | 'response'
  | 'mediaType'
  | 'encoding'
  | 'example'
  | 'link'
  | 'callback'
  | 'securityScheme'
  | 'schema'

/** The content of a field: one such object, an array of them, or a map from names to them. */
export type Slot = { readonly shape: Shape; readonly as: 'one' | 'list' | 'map' }

const one = (shape: Shape): Slot => ({ shape, as: 'one' })
const list = (shape: Shape): Slot => ({ shape, as: 'list' })
const map = (shape: Shape): Slot => ({ shape, as: 'map' })

/** Encodings of the parts of a form or the items of a sequence. */
const encodings = {
  encoding: map('encoding'),
  prefixEncoding: list('encoding'),
  itemEncoding: one('encoding'),
}

const parameter = { schema: one('schema'), content: map('mediaType'), examples: map('example') }

/**
 * The places of references and schemas. Any other place contains data (examples, defaults, enum
 * values, extensions), in which a `$ref` has no meaning. `*` matches every name that is not an
 * extension.
 */
export const shapes: { readonly [S in Shape]: Readonly<Record<string, Slot>> } = {
  document: { paths: map('pathItem'), webhooks: map('pathItem'), components: one('components') },
  components: {
    schemas: map('schema'),
    responses: map('response'),
    parameters: map('parameter'),
    examples: map('example'),
    requestBodies: map('requestBody'),
    headers: map('header'),
    securitySchemes: map('securityScheme'),
    links: map('link'),
    callbacks: map('callback'),
    pathItems: map('pathItem'),
    mediaTypes: map('mediaType'),
  },
  pathItem: {
    parameters: list('parameter'),
    get: one('operation'),
    put: one('operation'),
    post: one('operation'),
    delete: one('operation'),
    options: one('operation'),
    head: one('operation'),
    patch: one('operation'),
    trace: one('operation'),
    query: one('operation'),
    additionalOperations: map('operation'),
  },
  operation: {
    parameters: list('parameter'),
    requestBody: one('requestBody'),
    responses: map('response'),
    callbacks: map('callback'),
  },
  parameter,
  header: parameter,
  requestBody: { content: map('mediaType') },
  response: { headers: map('header'), content: map('mediaType'), links: map('link') },
  mediaType: {
    schema: one('schema'),
    itemSchema: one('schema'),
    examples: map('example'),
    ...encodings,
  },
  encoding: { headers: map('header'), ...encodings },
  example: {},
  link: {},
  callback: { '*': one('pathItem') },
  securityScheme: {},
  schema: {
    properties: map('schema'),
    patternProperties: map('schema'),
    dependentSchemas: map('schema'),
    additionalProperties: one('schema'),
    propertyNames: one('schema'),
    unevaluatedProperties: one('schema'),
    items: one('schema'),
    prefixItems: list('schema'),
    contains: one('schema'),
    unevaluatedItems: one('schema'),
    contentSchema: one('schema'),
    allOf: list('schema'),
    anyOf: list('schema'),
    oneOf: list('schema'),
    not: one('schema'),
    if: one('schema'),
    then: one('schema'),
    else: one('schema'),
  },
}

/** The slot of a field, if references or schemas are allowed below it. */
export function findSlot(shape: Shape, key: string): Slot | undefined {
  const fields = shapes[shape]
  if (Object.hasOwn(fields, key)) return fields[key]
  return key.startsWith('x-') ? undefined : fields['*']
}

/**
 * Maps the objects within a node of a shape, each with the field that holds it. Returns the node
 * itself if nothing changes.
 */
export function mapSlots(
  node: JsonObject,
  shape: Shape,
  map: (child: Json, shape: Shape, key: string) => Json,
): JsonObject {
  return mapMembers(node, (value, key) => {
    const slot = findSlot(shape, key)
    if (slot === undefined) return value
    if (slot.as === 'one') return map(value, slot.shape, key)
    if (slot.as === 'list')
      return isList(value) ? mapItems(value, (item) => map(item, slot.shape, key)) : value
    return isObject(value) ? mapMembers(value, (item) => map(item, slot.shape, key)) : value
  })
}

/** Maps the values of an object. Usually nothing changes; then returns the object itself. */
export function mapMembers(node: JsonObject, map: (value: Json, key: string) => Json): JsonObject {
  let changes: Map<string, Json> | undefined
  for (const key in node) {
    const value = node[key] as Json
    const mapped = map(value, key)
    if (mapped !== value) (changes ??= new Map<string, Json>()).set(key, mapped)
  }
  return changes === undefined
    ? node
    : Object.fromEntries(
        Object.entries(node).map(([key, value]) => [key, changes.get(key) ?? value]),
      )
}

/** Maps the items of an array. Returns the array itself if nothing changes. */
export function mapItems(items: readonly Json[], map: (item: Json) => Json): readonly Json[] {
  let changed = false
  const mapped = items.map((item) => {
    const other = map(item)
    changed ||= other !== item
    return other
  })
  return changed ? mapped : items
}

/** The key of the component that the `$ref` of a schema names. */
export function findComponentKey(schema: Json): string | undefined {
  return parseComponentKey(readOwn(schema, '$ref'))
}

/** The key of the schema component that a reference names. Undefined for anything else. */
export function parseComponentKey(ref: Json | undefined): string | undefined {
  if (typeof ref !== 'string' || !ref.startsWith(toSchemas)) return undefined
  const name = ref.slice(toSchemas.length)
  return /[/~]/.test(name) ? parsePointer(ref.slice(1))[2] : name
}

const toSchemas = '#/components/schemas/'
