import type { Json } from '../document/json.js'
import type { Content, RequestBody } from './api.js'
import { buildContents, descriptionOf } from './build-content.js'
import { dereference, given } from './build-context.js'
import type { Context, Found } from './build-context.js'
import { booleanOf } from './build-keywords.js'
import { mediaKind } from '../document/media.js'
import { match } from './schema.js'
import type { Schema } from './schema.js'

/** Finds a named schema: the fields of a body are those of the object behind the reference. */
export type Lookup = (name: string) => Schema | undefined

/** The request body of an operation, with the fields that it adds to the flat input. */
export function buildBody(context: Context, body: Json | undefined, pointer: string, lookup: Lookup): RequestBody | undefined {
  if (body === undefined) return undefined
  const target = dereference(context, { node: body, pointer } satisfies Found)
  if (target === undefined) return undefined
  const contents = buildContents(context, target).toSorted((a, b) => rank(a) - rank(b))
  const [first] = contents
  if (first === undefined) return undefined
  const fields = bodyFields(first.schema, lookup, new Set())
  return Object.freeze({
    required: booleanOf(context, target, 'required') === true,
    contents: Object.freeze(contents),
    ...given({ description: descriptionOf(target) }),
    ...(fields === undefined || fields.length === 0
      ? { flatten: 'body' as const, fields: [] }
      : { flatten: 'fields' as const, fields: Object.freeze(fields) }),
  })
}

function rank({ mediaType }: Content): number {
  return ['json', 'multipart', 'urlencoded'].indexOf(mediaKind(mediaType)) >>> 0
}

/**
 * The properties that all forms of a body have in common; undefined if it is not a plain object: a
 * map, a list, bytes, or a nullable object. Conditions and exclusions beside the properties do not
 * matter here.
 */
function bodyFields(schema: Schema, lookup: Lookup, seen: Set<string>): readonly string[] | undefined {
  const again = (inner: Schema): readonly string[] | undefined => bodyFields(inner, lookup, seen)
  const several = (schemas: readonly Schema[]): readonly string[] | undefined => {
    const found = schemas.map(again)
    return found.every((fields) => fields !== undefined) ? [...new Set(found.flat())] : undefined
  }
  const none = (): undefined => undefined
  return match<readonly string[] | undefined>(schema, {
    object: (object) => {
      if (object.patterns.length > 0 || (object.additional.kind !== 'any' && object.additional.kind !== 'never')) return undefined
      return object.properties.filter(({ schema }) => schema.kind !== 'never').map(({ name }) => name)
    },
    ref: ({ name }) => {
      // its fields are counted already, and if it had no fields the whole has none
      if (seen.has(name)) return []
      seen.add(name)
      const target = lookup(name)
      return target && again(target)
    },
    intersection: ({ parts }) => several(parts),
    union: ({ options }) => several(options),
    oneOf: ({ options }) => several(options),
    unevaluated: ({ base }) => again(base),
    conditional: ({ then, otherwise }) => several([then, otherwise]),
    any: () => [],
    not: () => [],
    never: none,
    null: none,
    boolean: none,
    number: none,
    string: none,
    binary: none,
    enum: none,
    array: none,
  })
}
