import { isObject, own, pointerTo } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import type { Content, Encoding, Example, ParameterStyle } from './api.js'
import { dereference, entriesOf, given, object, oncePerComponent, originOf, text } from './build-context.js'
import type { Context, Found } from './build-context.js'
import { booleanOf, stringOf } from './build-keywords.js'
import { buildSchema, notesOf } from './build-schema.js'
import { mediaKind } from '../document/media.js'
import type { Schema } from './schema.js'

/** The media types of a body, in the order of the document. */
export const buildContents = oncePerComponent((context, { node, pointer }): readonly Content[] =>
  Object.freeze(
    entriesOf(context, node, 'content', pointer).flatMap(([mediaType, value]) => {
      const media = dereference(context, { node: value, pointer: pointerTo(pointer, 'content', mediaType) })
      return media === undefined ? [] : [buildContent(context, mediaType, media)]
    }),
  ),
)

function buildContent(context: Context, mediaType: string, media: Found<JsonObject>): Content {
  return Object.freeze({
    mediaType,
    schema: schemaOf(context, mediaType, media),
    encoding: encodingOf(context, media),
    examples: Object.freeze(examplesOf(context, media)),
  })
}

/**
 * A body of bytes needs no schema to say so: a missing, empty or plain string schema means the
 * bytes themselves (OpenAPI 3.1, section 4.8.14.2).
 */
function schemaOf(context: Context, mediaType: string, media: Found<JsonObject>): Schema {
  const schema = own(media.node, 'schema')
  const found: Found = { node: schema ?? true, pointer: schema === undefined ? media.pointer : pointerTo(media.pointer, 'schema') }
  const kind = mediaKind(mediaType)
  if (kind === 'binary' && isPlain(schema)) return Object.freeze({ kind: 'binary', notes: notesOf(context, found) })
  if (kind === 'text' && isBlank(schema)) return Object.freeze({ kind: 'string', notes: notesOf(context, found) })
  return buildSchema({ context }, found)
}

function isPlain(schema: Json | undefined): boolean {
  return (
    isBlank(schema) ||
    (own(schema, 'type') === 'string' && own(schema, 'contentEncoding') === undefined && own(schema, 'enum') === undefined)
  )
}

function isBlank(schema: Json | undefined): boolean {
  return (
    schema === undefined ||
    schema === true ||
    (isObject(schema) && Object.keys(schema).every((key) => key === 'description' || key === 'title'))
  )
}

function encodingOf(context: Context, { node, pointer }: Found<JsonObject>): Readonly<Record<string, Encoding>> {
  const entries = entriesOf(context, node, 'encoding', pointer).flatMap(([name, value]): [string, Encoding][] => {
    const encoding = object(context, { node: value, pointer: pointerTo(pointer, 'encoding', name) })
    if (encoding === undefined) return []
    const fields = given({
      contentType: stringOf(context, encoding, 'contentType'),
      style: stringOf(context, encoding, 'style') as ParameterStyle | undefined,
      explode: booleanOf(context, encoding, 'explode'),
      allowReserved: booleanOf(context, encoding, 'allowReserved'),
    })
    return [[name, Object.freeze(fields)]]
  })
  return Object.freeze(Object.fromEntries(entries))
}

function examplesOf(context: Context, { node, pointer }: Found<JsonObject>): readonly Example[] {
  const single = own(node, 'example')
  const examples: Example[] =
    single === undefined ? [] : [{ name: 'default', value: single, origin: originOf(context, pointerTo(pointer, 'example')) }]
  for (const [name, value] of entriesOf(context, node, 'examples', pointer)) {
    const example = dereference(context, { node: value, pointer: pointerTo(pointer, 'examples', name) })
    const content = example && own(example.node, 'value')
    if (example !== undefined && content !== undefined)
      examples.push({ name, value: content, origin: originOf(context, pointerTo(example.pointer, 'value')) })
  }
  return examples.map((example) => Object.freeze(example))
}

/** The description of a body or response. */
export function descriptionOf({ node }: Found<JsonObject>): string | undefined {
  return text(own(node, 'description'))
}
