import { show } from '../diagnostics.js'
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  readOwn,
  pointerTo,
} from '../document/json.js'
import type { Content, Encoding, Example, ParameterStyle } from './api.js'
import {
  type Context,
  dereference,
  findOrigin,
  type LocatedNode,
  readObject,
  readEntries,
  readNonEmpty,
} from './build-context.js'
import { readBoolean, readString } from './build-keywords.js'
import { buildSchema, readNotes } from './build-schema.js'
import { readEvents } from './build-events.js'
import { mediaKind, sequenceKind } from '../document/media.js'
import { omitUndefined, type Schema } from './schema.js'

/** The media types of a body, in the order of the document. */
export function buildContents(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
): readonly Content[] {
  return Object.freeze(
    readEntries(context, node, 'content', pointer).flatMap(([mediaType, value]) => {
      const media = dereference(context, {
        node: value,
        pointer: pointerTo(pointer, 'content', mediaType),
      })
      return media === undefined ? [] : [buildContent(context, mediaType, media)]
    }),
  )
}

function buildContent(
  context: Context,
  mediaType: string,
  media: LocatedNode<JsonObject>,
): Content {
  return Object.freeze({
    mediaType,
    ...readValue(context, mediaType, media),
    encoding: readEncoding(context, mediaType, media),
    examples: Object.freeze(readExamples(context, mediaType, media)),
  })
}

/**
 * The value, or the items of a sequential media type: from `itemSchema`, else the elements of an
 * array, else each item has `schema`.
 */
function readValue(
  context: Context,
  mediaType: string,
  media: LocatedNode<JsonObject>,
): Pick<Content, 'schema' | 'stream'> {
  const ofItems = readOwn(media.node, 'itemSchema')
  const hasItems =
    ofItems !== undefined ||
    Object.hasOwn(media.node, 'itemEncoding') ||
    Object.hasOwn(media.node, 'prefixEncoding')
  const sequence = sequenceKind(mediaType, hasItems)
  if (sequence === undefined) return { schema: readSchema(context, mediaType, media) }
  const whole = ofItems === undefined ? buildSchema({ context }, locateSchema(media)) : undefined
  const item =
    whole !== undefined
      ? findItemSchema(context, whole)
      : buildSchema(
          { context },
          { node: ofItems ?? true, pointer: pointerTo(media.pointer, 'itemSchema') },
        )
  if (sequence === 'parts') return readParts(context, media, whole, item)
  if (item.kind === 'binary') return { schema: item }
  if (sequence === 'events') return readEvents(item, context.findSchema)
  // a schema of the whole text does not describe its items
  const { notes } = item
  const schema: Schema =
    item === whole && item.kind === 'string' ? Object.freeze({ kind: 'any', notes }) : item
  return { schema, stream: { kind: sequence } }
}

/** The items of an array schema, else the schema itself. */
function findItemSchema(context: Context, schema: Schema): Schema {
  let found: Schema | undefined = schema
  for (let hops = 0; found?.kind === 'ref' && hops < 50; hops++)
    found = context.findSchema(found.name)
  return found?.kind === 'array' && found.prefix.length === 0 ? found.items : schema
}

/**
 * A body of bytes needs no schema: a missing, empty or plain string schema means the
 * bytes themselves (OpenAPI 3.1, section 4.8.14.2).
 */
function readSchema(context: Context, mediaType: string, media: LocatedNode<JsonObject>): Schema {
  const schema = readOwn(media.node, 'schema')
  const found = locateSchema(media)
  const kind = mediaKind(mediaType)
  if (kind === 'binary' && isPlain(schema))
    return Object.freeze({ kind: 'binary', notes: readNotes(context, found) })
  if (kind === 'text' && isBlank(schema))
    return Object.freeze({ kind: 'string', notes: readNotes(context, found) })
  return buildSchema({ context }, found)
}

function locateSchema({ node, pointer }: LocatedNode<JsonObject>): LocatedNode {
  const schema = readOwn(node, 'schema')
  return {
    node: schema ?? true,
    pointer: schema === undefined ? pointer : pointerTo(pointer, 'schema'),
  }
}

function isPlain(schema: Json | undefined): boolean {
  return (
    isBlank(schema) ||
    (readOwn(schema, 'type') === 'string' &&
      readOwn(schema, 'contentEncoding') === undefined &&
      readOwn(schema, 'enum') === undefined)
  )
}

function isBlank(schema: Json | undefined): boolean {
  return (
    schema === undefined ||
    schema === true ||
    (isObject(schema) &&
      Object.keys(schema).every((key) => key === 'description' || key === 'title'))
  )
}

function readEncoding(
  context: Context,
  mediaType: string,
  { node, pointer }: LocatedNode<JsonObject>,
): Readonly<Record<string, Encoding>> {
  const entries = readEntries(context, node, 'encoding', pointer).flatMap(
    ([name, value]): [string, Encoding][] => {
      const encoding = readObject(context, {
        node: value,
        pointer: pointerTo(pointer, 'encoding', name),
      })
      if (encoding === undefined) return []
      if (/^multipart\//i.test(mediaType)) checkPartHeaders(context, encoding)
      const fields = omitUndefined({
        contentType: readString(context, encoding, 'contentType'),
        style: readString(context, encoding, 'style') as ParameterStyle | undefined,
        explode: readBoolean(context, encoding, 'explode'),
        allowReserved: readBoolean(context, encoding, 'allowReserved'),
      })
      return [[name, Object.freeze(fields)]]
    },
  )
  return Object.freeze(Object.fromEntries(entries))
}

/** Its Content-Type is described by `contentType` (OpenAPI 3.2.0, "Encoding Object"). */
function checkPartHeaders(context: Context, encoding: LocatedNode<JsonObject>): void {
  for (const [name, node] of readEntries(context, encoding.node, 'headers', encoding.pointer)) {
    const pointer = pointerTo(encoding.pointer, 'headers', name)
    const header = dereference(context, { node, pointer })
    if (header === undefined || name.toLowerCase() === 'content-type') continue
    if (readOwn(header.node, 'required') === true)
      context.report('FB4041', pointer, `header ${show(name)}`, 'no required header')
  }
}

function readExamples(
  context: Context,
  mediaType: string,
  { node, pointer }: LocatedNode<JsonObject>,
): readonly Example[] {
  const single = readOwn(node, 'example')
  const examples: Example[] =
    single === undefined
      ? []
      : [
          {
            name: 'default',
            value: single,
            origin: findOrigin(context, pointerTo(pointer, 'example')),
          },
        ]
  for (const [name, value] of readEntries(context, node, 'examples', pointer)) {
    const example = dereference(context, {
      node: value,
      pointer: pointerTo(pointer, 'examples', name),
    })
    if (example !== undefined) examples.push(...readExample(context, name, mediaType, example))
  }
  return examples.map((example) => Object.freeze(example))
}

/** The value of an example, or its serialized JSON (OpenAPI 3.2). */
function readExample(
  context: Context,
  name: string,
  mediaType: string,
  { node, pointer }: LocatedNode<JsonObject>,
): readonly Example[] {
  for (const key of ['dataValue', 'value']) {
    const value = readOwn(node, key)
    if (value !== undefined)
      return [{ name, value, origin: findOrigin(context, pointerTo(pointer, key)) }]
  }
  const written = readOwn(node, 'serializedValue')
  if (typeof written !== 'string' || mediaKind(mediaType) !== 'json') return []
  try {
    return [
      {
        name,
        value: JSON.parse(written) as Json,
        origin: findOrigin(context, pointerTo(pointer, 'serializedValue')),
      },
    ]
  } catch {
    context.report('FB4012', pointerTo(pointer, 'serializedValue'), show(written), 'JSON')
    return []
  }
}

/** The description of a body or response. */
export function readDescription({ node }: LocatedNode<JsonObject>): string | undefined {
  return readNonEmpty(readOwn(node, 'description'))
}

/**
 * The parts of a multipart body as items (OpenAPI 3.2, "Encoding Multipart Media Types"). `whole`
 * is the schema of all parts, if the document has one, and `item` that of one part.
 */
function readParts(
  context: Context,
  media: LocatedNode<JsonObject>,
  whole: Schema | undefined,
  item: Schema,
): Pick<Content, 'schema' | 'stream'> {
  const list = whole === undefined ? undefined : resolveSchema(context, whole)
  const heads = list?.kind === 'array' ? list.prefix : []
  const others = list?.kind === 'array' ? list.items : item
  const encodings = readOwn(media.node, 'prefixEncoding')
  const written = isList(encodings) ? encodings : []
  const prefix = Array.from({ length: Math.max(heads.length, written.length) }, (_, index) => {
    const at = {
      node: written[index] ?? null,
      pointer: pointerTo(media.pointer, 'prefixEncoding', index),
    }
    return readPartType(context, at, heads[index] ?? others) ?? ''
  })
  const rest = readPartType(
    context,
    {
      node: readOwn(media.node, 'itemEncoding') ?? null,
      pointer: pointerTo(media.pointer, 'itemEncoding'),
    },
    others,
  )
  const options = [...heads, ...(others.kind === 'never' ? [] : [others])]
  const schema: Schema =
    heads.length === 0
      ? item
      : Object.freeze({ kind: 'union', notes: (list ?? item).notes, options })
  return { schema, stream: { kind: 'parts', prefix, ...omitUndefined({ rest }) } }
}

/** The stated type, else that of the schema (OpenAPI 3.2, "Encoding Object") if it is unique. */
function readPartType(
  context: Context,
  { node, pointer }: LocatedNode,
  schema: Schema,
): string | undefined {
  const stated = isObject(node) ? readString(context, { node, pointer }, 'contentType') : undefined
  if (stated !== undefined) return stated
  const { kind } = resolveSchema(context, schema)
  if (kind === 'binary') return 'application/octet-stream'
  if (kind === 'string') return 'text/plain'
  return kind === 'object' || kind === 'array' || kind === 'number' || kind === 'boolean'
    ? 'application/json'
    : undefined
}

function resolveSchema(context: Context, schema: Schema): Schema {
  let found = schema
  for (let hops = 0; found.kind === 'ref' && hops < 50; hops++)
    found = context.findSchema(found.name) ?? found
  return found
}
