import { isBytes } from '../document/traits.js'
import { show } from '../diagnostics.js'
import { hasAny, isList, readOwn, pointerTo } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import {
  type Context,
  dropAssumption,
  type LocatedNode,
  type Site,
  readNonEmpty,
} from './build-context.js'
import {
  checkRange,
  readCount,
  readNumber,
  readPattern,
  readRequired,
  readString,
} from './build-keywords.js'
import { buildArrayVariant, buildObjectVariant } from './build-collections.js'
import type { JsonType } from '../document/types/possible-types.js'
import { mediaKind } from '../document/media.js'
import type { Notes, Schema } from './schema.js'
import { omitUndefined } from './schema.js'

/** The part of a schema for values of one type: each keyword applies to its own type only. */
export function buildVariant(
  site: Site,
  found: LocatedNode<JsonObject>,
  type: JsonType,
  notes: Notes,
): Schema {
  return variants[type](site, found, notes)
}

const variants: {
  readonly [T in JsonType]: (site: Site, found: LocatedNode<JsonObject>, notes: Notes) => Schema
} = {
  null: (_site, _found, notes) => Object.freeze({ kind: 'null', notes }),
  boolean: (_site, _found, notes) => Object.freeze({ kind: 'boolean', notes }),
  string: buildString,
  number: buildNumber,
  array: buildArrayVariant,
  object: buildObjectVariant,
}

const typeNames = new Set<Json>([
  'null',
  'boolean',
  'object',
  'array',
  'number',
  'integer',
  'string',
])

const stringWords = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
])

const numberWords = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'format',
])

/** Reports a `type` that JSON Schema does not define, and a `required` without an array of names. */
export function checkTypes(context: Context, found: LocatedNode<JsonObject>): void {
  const { node, pointer } = found
  readRequired(context, found)
  const type = readOwn(node, 'type')
  if (type === undefined || (typeof type === 'string' && typeNames.has(type))) return
  const written = isList(type) ? type : [type]
  if (written.includes(null))
    context.report('FB3014', pointerTo(pointer, 'type'), show(type), '"null" in quotes')
  const listed = written.map((name) => name ?? 'null')
  if (listed.length > 0 && listed.every((name) => typeNames.has(name))) return
  context.report(
    'FB3001',
    pointerTo(pointer, 'type'),
    show(type),
    'null, boolean, object, array, number, integer or string',
  )
}

function buildString(site: Site, found: LocatedNode<JsonObject>, notes: Notes): Schema {
  const { context } = site
  const { node, pointer } = found
  if (!hasAny(node, stringWords)) return Object.freeze({ kind: 'string', notes })
  const format = readString(context, found, 'format')
  const [minLength, maxLength] = [
    readCount(context, found, 'minLength'),
    readCount(context, found, 'maxLength'),
  ]
  checkRange(context, found, ['minLength', minLength], ['maxLength', maxLength])
  if (isBytes(node))
    return Object.freeze({ kind: 'binary', notes, ...omitUndefined({ maxBytes: maxLength }) })
  const written = readString(context, found, 'pattern')
  const pattern =
    written === undefined
      ? undefined
      : readPattern(context, pointerTo(pointer, 'pattern'), written, 'FB3009')
  return Object.freeze({
    kind: 'string',
    notes,
    ...omitUndefined({
      minLength,
      maxLength,
      pattern,
      format,
      encoding: readNonEmpty(readOwn(node, 'contentEncoding')),
      content: readContent(site, found),
    }),
  })
}

function readContent(site: Site, { node, pointer }: LocatedNode<JsonObject>): Schema | undefined {
  const [mediaType, schema] = [readOwn(node, 'contentMediaType'), readOwn(node, 'contentSchema')]
  if (schema === undefined || typeof mediaType !== 'string' || mediaKind(mediaType) !== 'json')
    return undefined
  return site.build(dropAssumption(site), {
    node: schema,
    pointer: pointerTo(pointer, 'contentSchema'),
  })
}

function buildNumber({ context }: Site, found: LocatedNode<JsonObject>, notes: Notes): Schema {
  const { node } = found
  const type = readOwn(node, 'type')
  const integer = isList(type)
    ? type.includes('integer') && !type.includes('number')
    : type === 'integer'
  if (!hasAny(node, numberWords)) return Object.freeze({ kind: 'number', notes, integer })
  const low = readBound(context, found, 'minimum', 'exclusiveMinimum')
  const high = readBound(context, found, 'maximum', 'exclusiveMaximum')
  checkRange(context, found, ['minimum', low.inclusive], ['maximum', high.inclusive])
  checkRange(
    context,
    found,
    ['exclusiveMinimum', low.exclusive],
    ['exclusiveMaximum', high.exclusive],
  )
  const multipleOf = readNumber(context, found, 'multipleOf')
  if (multipleOf !== undefined && multipleOf <= 0) {
    context.report(
      'FB3002',
      pointerTo(found.pointer, 'multipleOf'),
      show(multipleOf),
      'a number above 0',
    )
  }
  const facts = omitUndefined({
    minimum: low.inclusive,
    maximum: high.inclusive,
    exclusiveMinimum: low.exclusive,
    exclusiveMaximum: high.exclusive,
    multipleOf,
    format: readString(context, found, 'format'),
  })
  return Object.freeze({ kind: 'number', notes, integer, ...facts })
}

/** An exclusive bound is a boolean in OpenAPI 3.0 and a number in JSON Schema 2020-12. */
function readBound(
  context: Context,
  found: LocatedNode<JsonObject>,
  plain: string,
  strict: string,
): { inclusive: number | undefined; exclusive: number | undefined } {
  const value = readNumber(context, found, plain)
  const exclusive = readOwn(found.node, strict)
  if (typeof exclusive === 'boolean')
    return exclusive
      ? { inclusive: undefined, exclusive: value }
      : { inclusive: value, exclusive: undefined }
  return { inclusive: value, exclusive: readNumber(context, found, strict) }
}
