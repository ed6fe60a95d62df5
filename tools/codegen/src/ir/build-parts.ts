import { isList, isObject, own, pointerTo } from '../document/json.js'
import type { JsonObject } from '../document/json.js'
import type { Content } from './api.js'
import { type Context, type Found } from './build-context.js'
import { readString } from './build-keywords.js'
import type { Schema } from './schema.js'
import { omitUndefined } from './schema.js'

/**
 * The parts of a multipart body as items (OpenAPI 3.2, "Encoding Multipart Media Types"). `whole`
 * is the schema of all parts, if the document has one, and `item` that of one part.
 */
export function readParts(
  context: Context,
  media: Found<JsonObject>,
  whole: Schema | undefined,
  item: Schema,
): Pick<Content, 'schema' | 'stream'> {
  const list = whole === undefined ? undefined : resolveSchema(context, whole)
  const heads = list?.kind === 'array' ? list.prefix : []
  const others = list?.kind === 'array' ? list.items : item
  const encodings = own(media.node, 'prefixEncoding')
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
      node: own(media.node, 'itemEncoding') ?? null,
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
  { node, pointer }: Found,
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
