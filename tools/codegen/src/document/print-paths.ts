import { createRequire } from 'node:module'
import type * as OpenApiTypeScript from 'openapi-typescript'
import { isList, isObject, readOwn, valueAt } from './json.js'
import type { Json, JsonObject } from './json.js'
import type { Document } from './load.js'
import { findSlot, mapMembers, type Shape } from './shape.js'

/**
 * `paths`, `components` and `operations` of a document as openapi-typescript prints them. `schemas`
 * gives the type of each component schema by its key: the library prints that name in place of its
 * own type, so that each schema has one type. The library brings the TypeScript compiler, so it is
 * loaded when it is needed.
 */
export function printPaths(
  document: Pick<Document, 'root'>,
  schemas: ReadonlyMap<string, string>,
): string {
  const root = copyWellFormed(document.root)
  const library = load()
  const { astToString, stringToAST, transformSchema } = library
  type TypeNode = ReturnType<typeof library.transformSchemaObject>
  const parseTypeNode = (text: string): TypeNode =>
    (stringToAST(`type A = ${text}`)[0] as { type: TypeNode }).type
  const stubs = new Map([...schemas.keys()].map((key): [string, JsonObject] => [key, {}]))
  const types = new Map(
    [...stubs].map(([key, stub]): [unknown, TypeNode] => [
      stub,
      parseTypeNode(schemas.get(key) ?? 'unknown'),
    ]),
  )
  const bytes = parseTypeNode('Blob | Uint8Array')
  const context = {
    ...switches,
    injectFooter: [],
    discriminators: { objects: {}, refsHandled: [] },
    redoc: undefined as never,
    silent: true,
    inject: undefined as never,
    postTransform: undefined,
    transformProperty: undefined,
    transform: (schema: unknown) =>
      types.get(schema) ?? (readOwn(schema, 'format') === 'binary' ? bytes : undefined),
    resolve: (ref: string) => followReference(root, ref) as never,
  } satisfies OpenApiTypeScript.GlobalContext
  const {
    schemas: _schemas,
    pathItems: _pathItems,
    ...others
  } = toObject(readOwn(root, 'components'))
  const names = dedupeNames(root)
  const rest = replaceBooleanParts({
    ...root,
    ...names,
    ...splitMethods(names),
    components: others,
  }) as JsonObject
  const prepared = {
    ...rest,
    components: { ...toObject(readOwn(rest, 'components')), schemas: Object.fromEntries(stubs) },
  }
  const nodes = transformSchema(prepared as unknown as OpenApiTypeScript.OpenAPI3, context)
  const declarations = nodes as readonly unknown[] as readonly Declaration[]
  for (const declaration of declarations) joinQuery(declaration)
  joinMethods(declarations, (name) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    const { members } = parseTypeNode(`{ ${key}: 1 }`) as unknown as Declaration
    return members?.[0]?.name ?? { text: name }
  })
  return astToString(nodes)
}

/** Between a path and a method that OpenAPI 3.1 does not have. No path contains it. */
const separator = '\0'

/**
 * Moves operations of OpenAPI 3.2 that openapi-typescript does not know, of the method `query` and
 * of `additionalOperations`, to path items of their own, where it reads them as `get`.
 */
function splitMethods({ paths, webhooks }: JsonObject): JsonObject {
  const split = (items: Json | undefined): JsonObject =>
    Object.fromEntries(
      Object.entries(toObject(items)).flatMap(([path, item]): [string, Json][] => {
        const { query, additionalOperations, ...known } = toObject(item)
        const others = Object.entries({
          ...(query !== undefined && { query }),
          ...toObject(additionalOperations),
        })
        const shared = Object.entries(known).filter(([field]) => !methods.has(field))
        return [
          [path, known],
          ...others.map(([method, operation]): [string, Json] => [
            path + separator + method,
            { ...Object.fromEntries(shared), get: operation },
          ]),
        ]
      }),
    )
  return {
    ...(paths !== undefined && { paths: split(paths) }),
    ...(webhooks !== undefined && { webhooks: split(webhooks) }),
  }
}

/** The parts of the library's syntax tree that are changed. */
type Declaration = {
  name?: { readonly text: string }
  members?: readonly Declaration[]
  type?: Declaration
  questionToken?: unknown
}

/** Gives the query the type of the parameter that is the whole of it. */
function joinQuery(node: Declaration): void {
  const whole = node.type?.members?.find(({ name }) => name?.text === wholeQuery)
  if (whole?.type) {
    node.type = whole.type
    node.questionToken = whole.questionToken
  }
  if (node.type) joinQuery(node.type)
  for (const member of node.members ?? []) joinQuery(member)
}

/** Takes the operations that `splitMethods` moved back to their paths. */
function joinMethods(
  nodes: readonly Declaration[],
  createName: (name: string) => NonNullable<Declaration['name']>,
): void {
  for (const node of nodes) {
    if (!node.members) continue
    const byPath = new Map(node.members.map((item) => [item.name?.text ?? '', item]))
    for (const [key, item] of byPath) {
      const [path = '', method] = key.split(separator)
      if (method === undefined) continue
      const operation = item.type?.members?.find(({ name }) => name?.text === 'get')
      const target = byPath.get(path)?.type
      if (operation && target?.members) {
        operation.name = createName(method)
        target.members = [...target.members, operation]
      }
      byPath.delete(key)
    }
    node.members = [...byPath.values()]
  }
}

/** The output `paths` needs a package that is not installed. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError'
}

function load(): typeof OpenApiTypeScript {
  try {
    return createRequire(import.meta.url)('openapi-typescript') as typeof OpenApiTypeScript
  } catch (cause) {
    const message =
      'The output paths is printed by openapi-typescript, which is not installed. Run `npm install -D openapi-typescript@7`.'
    throw new MissingPackageError(message, { cause })
  }
}

/** Every option of openapi-typescript: its context has no defaults. */
const switches = {
  additionalProperties: false,
  alphabetize: false,
  arrayLength: false,
  conditionalEnums: false,
  dedupeEnums: false,
  defaultNonNullable: false,
  emptyObjectsUnknown: true,
  enum: false,
  enumValues: false,
  excludeDeprecated: false,
  exportType: false,
  generatePathParams: false,
  immutable: false,
  makePathsEnum: false,
  pathParamsAsTypes: false,
  propertiesRequiredByDefault: false,
  readWriteMarkers: false,
  rootTypes: false,
  rootTypesKeepCasing: false,
  rootTypesNoSchemaPrefix: false,
} as const

function toObject(node: Json | undefined): JsonObject {
  return isObject(node) ? node : {}
}

/**
 * Inlines path items and removes duplicates that the library would declare twice: of an operationId
 * or a parameter, only the first is kept.
 */
function dedupeNames(root: JsonObject): JsonObject {
  const ids = new Set<string>()
  const operation = (node: JsonObject): JsonObject => {
    const { operationId, ...others } = dedupeParameters(root, node)
    const name = typeof operationId === 'string' ? operationId.replaceAll('#', '/') : ''
    if (name === '' || operationId === undefined || ids.has(name)) return others
    ids.add(name)
    return { ...others, operationId }
  }
  const pathItem = (node: Json): Json => {
    const { $ref, ...own } = toObject(node)
    const whole = {
      ...(typeof $ref === 'string' ? toObject(followReference(root, $ref)) : {}),
      ...own,
    }
    return mapMembers(dedupeParameters(root, whole), (value, key) => {
      if (!isObject(value)) return value
      if (key === 'additionalOperations')
        return mapMembers(value, (item) => (isObject(item) ? operation(item) : item))
      return methods.has(key) || key === 'query' ? operation(value) : value
    })
  }
  const items = (section: string): JsonObject => {
    const node = readOwn(root, section)
    return isObject(node) ? { [section]: mapMembers(node, pathItem) } : {}
  }
  return { ...items('paths'), ...items('webhooks') }
}

const methods: ReadonlySet<string> = new Set([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
])

function dedupeParameters(root: Json, node: JsonObject): JsonObject {
  const parameters = readOwn(node, 'parameters')
  if (!isList(parameters)) return node
  const parameterKey = (parameter: Json): string => {
    const ref = readOwn(parameter, '$ref')
    const target = typeof ref === 'string' ? followReference(root, ref) : parameter
    return JSON.stringify([readOwn(target, 'in'), readOwn(target, 'name')])
  }
  return {
    ...node,
    parameters: [
      ...new Map(parameters.map((parameter) => [parameterKey(parameter), parameter])).values(),
    ],
  }
}

/**
 * Replaces boolean parts of `allOf`, which openapi-typescript does not accept.
 */
function replaceBooleanParts(node: Json): Json {
  if (isList(node)) return node.map(replaceBooleanParts)
  if (!isObject(node)) return node
  const members = Object.entries(node).map(([key, value]): [string, Json] => {
    const parts =
      key === 'allOf' && isList(value)
        ? value.map((part) => (part === true ? {} : part === false ? { not: {} } : part))
        : value
    return [key, replaceBooleanParts(parts)]
  })
  return Object.fromEntries(members)
}

/** The target of a reference, through further references. */
function followReference(root: Json, ref: string): Json | undefined {
  let node = valueAt(root, ref.slice(1))
  for (let hops = 0; hops < 50; hops++) {
    const next = readOwn(node, '$ref')
    if (typeof next !== 'string') return node
    node = valueAt(root, next.slice(1))
  }
  return undefined
}

/**
 * Copies a document without values of a wrong type, such as a string in place of a response or
 * a number as its summary: the library relies on the types of OpenAPI.
 */
function copyWellFormed(document: JsonObject): JsonObject {
  return copyShape(document, 'document', document) as JsonObject
}

/** The name of a parameter that is the whole query. No parameter of a document has it. */
const wholeQuery = '\0querystring'

/**
 * Writes what OpenAPI 3.2 adds as openapi-typescript reads it: the target of a reference to a media
 * type in its place, a sequence of items as the list that it is equivalent to, and a parameter that is the whole query as one in the query.
 */
function translate(value: JsonObject, shape: Shape, root: JsonObject): JsonObject {
  const ref = shape === 'mediaType' ? value['$ref'] : undefined
  if (typeof ref === 'string') return translate(toObject(followReference(root, ref)), shape, root)
  const { itemSchema, ...mediaType } = value
  if (shape === 'mediaType' && itemSchema !== undefined && mediaType['schema'] === undefined)
    return { ...mediaType, schema: { type: 'array', items: itemSchema } }
  if (shape !== 'parameter' || value['in'] !== 'querystring') return value
  const { content, ...parameter } = value
  const [mediaTypeObject] = Object.values(toObject(content))
  return {
    ...parameter,
    name: wholeQuery,
    in: 'query',
    schema: readOwn(mediaTypeObject, 'schema') ?? {},
  }
}

/** Fields that are strings in every object. */
const texts = new Set([
  '$ref',
  'title',
  'summary',
  'description',
  'operationId',
  'name',
  'in',
  'format',
  'pattern',
  'style',
])

/** Keywords of a schema whose values are lists. */
const lists = new Set(['required', 'enum'])

/** Undefined if the value does not have the shape. */
function copyShape(value: Json, shape: Shape, root: JsonObject): Json | undefined {
  if (shape === 'schema' && typeof value === 'boolean') return value
  if (!isObject(value)) return undefined
  return keep(Object.entries(translate(value, shape, root)), (item, key) => {
    const slot = findSlot(shape, key)
    if (slot === undefined && shape === 'schema' && lists.has(key) && !isList(item))
      return undefined
    if (slot === undefined) return texts.has(key) && typeof item !== 'string' ? undefined : item
    if (slot.as === 'one') return copyShape(item, slot.shape, root)
    if (slot.as === 'map')
      return isObject(item)
        ? keep(Object.entries(item), (member) => copyShape(member, slot.shape, root))
        : undefined
    return isList(item)
      ? item.flatMap((member) => copyShape(member, slot.shape, root) ?? [])
      : undefined
  })
}

function keep(
  entries: readonly (readonly [string, Json])[],
  map: (value: Json, key: string) => Json | undefined,
): JsonObject {
  const kept = entries.flatMap(([key, value]): [string, Json][] => {
    const mapped = map(value, key)
    return mapped === undefined ? [] : [[key, mapped]]
  })
  return Object.fromEntries(kept)
}
