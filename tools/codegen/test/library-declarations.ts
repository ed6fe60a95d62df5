import { createRequire } from 'node:module'
import type * as OpenApiTypeScript from 'openapi-typescript'
import type * as TypeScript from 'typescript'
import { mediaKind } from '../src/document/media.js'
import { isList, isObject, own, valueAt } from '../src/document/json.js'
import type { Json, JsonObject } from '../src/document/json.js'
import type { Document } from '../src/document/load.js'
import { slotOf } from '../src/document/shape.js'
import type { Shape } from '../src/document/shape.js'

/**
 * `paths`, `components` and `operations` as openapi-typescript prints them: what our own are held
 * against. It is handed the document that we have loaded, and none of its patches for
 * discriminators.
 */
export function libraryDeclarationsOf(document: Document): string {
  const { transformSchema, astToString } = require('openapi-typescript') as typeof OpenApiTypeScript
  const ts = require('typescript') as typeof TypeScript
  const root = prepare(document.root, 'document', document.version)
  const named = (name: string): TypeScript.TypeNode => ts.factory.createTypeReferenceNode(ts.factory.createIdentifier(name))
  const bytes = [named('Blob'), named('Uint8Array')]
  const bytesOf = (schema: Json): TypeScript.TypeNode =>
    ts.factory.createUnionTypeNode(
      own(schema, 'nullable') === true ? [...bytes, ts.factory.createLiteralTypeNode(ts.factory.createNull())] : bytes,
    )
  const context = {
    ...switches,
    injectFooter: [],
    discriminators: { objects: {}, refsHandled: [] },
    redoc: undefined as never,
    silent: true,
    inject: undefined as never,
    postTransform: undefined,
    transformProperty: undefined,
    transform: (schema: unknown) => (isBinary(schema as Json) ? bytesOf(schema as Json) : undefined),
    resolve: (ref: string) => nodeAt(root, ref) as never,
  } satisfies OpenApiTypeScript.GlobalContext
  return astToString(transformSchema(root as unknown as OpenApiTypeScript.OpenAPI3, context))
}

const require = createRequire(import.meta.url)

/**
 * Every option of openapi-typescript, spelt out: its context has no defaults. A default makes no
 * field required.
 */
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

type Version = Document['version']

/** Rewrites what openapi-typescript reads otherwise than the rest of this generator does. */
function prepare(node: Json, shape: Shape, version: Version): Json {
  if (!isObject(node)) return node
  const children = Object.entries(node).map(([key, value]): [string, Json] => {
    const slot = slotOf(shape, key)
    if (slot === undefined || slot.shape === 'example') return [key, value]
    if (slot.as === 'one') return [key, prepare(value, slot.shape, version)]
    if (isList(value))
      return [
        key,
        value.map((item) => prepare(typeof item === 'boolean' && key === 'allOf' ? booleanAsObject(item) : item, slot.shape, version)),
      ]
    if (!isObject(value)) return [key, value]
    const entries = Object.entries(value).map(([name, item]): [string, Json] => {
      const prepared = prepare(item, slot.shape, version)
      return [name, slot.shape === 'mediaType' && isObject(prepared) ? withSchema(name, prepared) : prepared]
    })
    return [key, Object.fromEntries(entries)]
  })
  const copy = Object.fromEntries(children)
  return shape === 'schema' ? prepareSchema(copy, version) : copy
}

function prepareSchema(schema: JsonObject, version: Version): JsonObject {
  const ref = own(schema, '$ref')
  if (typeof ref === 'string') {
    const siblings = Object.entries(schema).filter(([key]) => key !== '$ref')
    if (version === '3.0' || siblings.every(([key]) => annotations.has(key))) {
      return { $ref: ref, ...Object.fromEntries(siblings.filter(([key]) => annotations.has(key))) }
    }
    return { allOf: [{ $ref: ref }, Object.fromEntries(siblings)] }
  }
  const values = own(schema, 'enum')
  if (own(schema, 'const') === null) {
    const { const: _, ...rest } = schema
    return { ...rest, enum: [null] }
  }
  if (own(schema, 'nullable') === true && isList(values) && !values.includes(null)) {
    const { nullable: _, ...rest } = schema
    return rest
  }
  return schema
}

/** openapi-typescript looks into each part of an `allOf` without asking whether it is an object. */
function booleanAsObject(schema: boolean): JsonObject {
  return schema ? {} : { not: {} }
}

/** A body of bytes or of text needs no schema to say so. */
function withSchema(mediaType: string, media: JsonObject): JsonObject {
  const schema = own(media, 'schema')
  const kind = mediaKind(mediaType)
  const blank =
    schema === undefined ||
    schema === true ||
    (isObject(schema) && Object.keys(schema).every((key) => key === 'description' || key === 'title'))
  const plain = own(schema, 'type') === 'string' && own(schema, 'contentEncoding') === undefined && own(schema, 'enum') === undefined
  if (kind === 'binary' && (blank || plain)) return { ...media, schema: { type: 'string', format: 'binary' } }
  return kind === 'text' && blank ? { ...media, schema: { type: 'string' } } : media
}

function isBinary(schema: Json): boolean {
  const mediaType = own(schema, 'contentMediaType')
  const type = own(schema, 'type')
  if (type !== undefined && type !== 'string') return false
  if (own(schema, 'format') === 'binary') return true
  return typeof mediaType === 'string' && own(schema, 'contentEncoding') === undefined && mediaKind(mediaType) === 'binary'
}

const annotations = new Set(['title', 'description', 'deprecated', 'default', 'example', 'examples', 'readOnly', 'writeOnly', 'summary'])

function nodeAt(root: Json, ref: string): Json | undefined {
  let node: Json | undefined = root
  for (let hops = 0; hops < 50; hops++) {
    const next: Json | undefined = hops === 0 ? ref : own(node, '$ref')
    const target: string = typeof next === 'string' ? next : ref
    node = valueAt(root, target.slice(1))
    if (typeof own(node, '$ref') !== 'string') return node
  }
  return undefined
}
