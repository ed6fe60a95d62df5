import { show } from '../diagnostics.js'
import { hasAny, isList, isObject, readOwn, pointerTo } from '../document/json.js'
import type { JsonObject } from '../document/json.js'
import { parseComponentKey, shapes } from '../document/shape.js'
import {
  type Context,
  dropAssumption,
  findOrigin,
  type LocatedNode,
  type SchemaStart,
  type Site,
  readNonEmpty,
} from './build-context.js'
import { findDiscriminator, excludeEachOther } from './build-choice.js'
import { readEnumNames, readEnumValues } from './build-enum.js'
import { readBoolean, readList } from './build-keywords.js'
import { checkTypes, buildVariant } from './build-variants.js'
import { constrains, inPlace } from '../document/types/keywords.js'
import {
  allTypes,
  readDeclaredTypes,
  intersect,
  isNullable,
  findPossibleTypes,
  type JsonType,
} from '../document/types/possible-types.js'
import type { Notes, Schema } from './schema.js'
import { omitUndefined } from './schema.js'

/**
 * Translates a schema with everything in it. Reports what the model cannot express and replaces it
 * by a node that rejects every value.
 */
export function buildSchema(start: SchemaStart, found: LocatedNode): Schema {
  return build({ ...start, build }, found)
}

function build(site: Site, found: LocatedNode): Schema {
  const { reuse } = site.context
  const hasInner = isObject(found.node) && hasAny(found.node, applicators)
  // what is assumed about a value changes its translation, and without inner schemas a search
  // takes longer
  if (site.assumed !== undefined || !hasInner) return translate(site, found)
  const schema = reuse.findSchema(found, site.within) ?? translate(site, found)
  reuse.keepSchema(found, schema)
  return schema
}

/** Keywords with schemas. */
const applicators: ReadonlySet<string> = new Set(Object.keys(shapes.schema))

function translate(site: Site, { node, pointer }: LocatedNode): Schema {
  const { context } = site
  const notes = readNotes(context, { node, pointer })
  if (node === true) return Object.freeze({ kind: 'any', notes })
  if (node === false) return Object.freeze({ kind: 'never', notes })
  if (!isObject(node)) {
    context.report('FB3007', pointer, show(node), 'an object, true or false')
    return Object.freeze({ kind: 'never', notes })
  }
  return buildObject(site, { node, pointer }, notes)
}

function buildObject(site: Site, found: LocatedNode<JsonObject>, notes: Notes): Schema {
  const { context } = site
  const { node } = found
  if (!hasAny(node, beyondTypes)) return buildTypes(site, found, notes)
  const reference = readReference(site, found)
  if (reference !== undefined && context.document.version === '3.0')
    return setNotes(reference, notes)

  // In OpenAPI 3.0 `nullable` applies to `type` only. Beside allOf, anyOf and oneOf, authors mean
  // "or null".
  if (
    isNullable(context, node) &&
    readOwn(node, 'type') === undefined &&
    ['allOf', 'anyOf', 'oneOf'].some((key) => Object.hasOwn(node, key))
  ) {
    const { nullable: _, ...rest } = node
    const options = [
      buildObject(site, { ...found, node: rest }, pickOrigin(notes)),
      Object.freeze({ kind: 'null' as const, notes: pickOrigin(notes) }),
    ]
    return Object.freeze({ kind: 'union', notes, options })
  }

  checkTypes(context, found)
  const possible =
    site.assumed === undefined
      ? findPossibleTypes(context, node)
      : intersect(findPossibleTypes(context, node), site.assumed)
  const inner: Site = {
    ...site,
    assumed: possible.size === 0 ? new Set(readDeclaredTypes(context, node) ?? allTypes) : possible,
  }
  const plain = pickOrigin(notes)
  const parts = [
    ...(reference === undefined ? [] : [reference]),
    ...buildTypedParts(inner, found, plain),
    ...buildCompositions(inner, found, plain),
  ]
  const base = buildIntersection(parts, notes)
  return buildUnevaluated(inner, found, base, notes) ?? base
}

/** Most schemas have only types and keywords of single types, and none of these. */
const beyondTypes = new Set([
  ...inPlace,
  'enum',
  'const',
  'unevaluatedProperties',
  'unevaluatedItems',
])

/** The same result as the rest of `buildObject`, for schemas that have only keywords of types. */
function buildTypes(site: Site, found: LocatedNode<JsonObject>, notes: Notes): Schema {
  const { context, assumed } = site
  checkTypes(context, found)
  const declared = readDeclaredTypes(context, found.node)
  const all = declared ?? allTypes
  const left = assumed === undefined ? all : all.filter((type) => assumed.has(type))
  const types = left.length === 0 ? all : left
  if (declared === undefined && !types.some((type) => constrains(found.node, type)))
    return Object.freeze({ kind: 'any', notes })
  return buildChoice(site, found, types, notes)
}

/** Types, the keywords of each type, and the listed values. */
function buildTypedParts(
  site: Site,
  found: LocatedNode<JsonObject>,
  notes: Notes,
): readonly Schema[] {
  const { context } = site
  const { node } = found
  const assumed = site.assumed ?? new Set(allTypes)
  const declared = readDeclaredTypes(context, node)
  const values = readEnumValues(context, found)
  if (values !== undefined) {
    const listed: Schema =
      values.length === 0
        ? Object.freeze({ kind: 'never', notes })
        : Object.freeze({
            kind: 'enum',
            notes,
            values,
            ...omitUndefined({ names: readEnumNames(context, found, values) }),
          })
    const structured = (['object', 'array'] as const).filter(
      (type) => assumed.has(type) && constrains(node, type),
    )
    return structured.length === 0
      ? [listed]
      : [listed, buildChoice(site, found, [...assumed], notes)]
  }
  const types = (declared ?? allTypes).filter((type) => assumed.has(type))
  if (declared === undefined && !types.some((type) => constrains(node, type))) return []
  return [buildChoice(site, found, types, notes)]
}

function buildChoice(
  site: Site,
  found: LocatedNode<JsonObject>,
  types: readonly JsonType[],
  notes: Notes,
): Schema {
  const only = types[0]
  if (types.length === 1 && only !== undefined) return buildVariant(site, found, only, notes)
  const plain = pickOrigin(notes)
  return Object.freeze({
    kind: 'union',
    notes,
    options: Object.freeze(types.map((type) => buildVariant(site, found, type, plain))),
  })
}

function buildCompositions(
  site: Site,
  found: LocatedNode<JsonObject>,
  notes: Notes,
): readonly Schema[] {
  const { context } = site
  const { node, pointer } = found
  const child = (key: string): LocatedNode => ({
    node: readOwn(node, key) ?? true,
    pointer: pointerTo(pointer, key),
  })
  const children = (key: string): readonly LocatedNode[] | undefined =>
    readList(context, found, key)?.map((item, index) => ({
      node: item,
      pointer: pointerTo(pointer, key, index),
    }))
  const parts: Schema[] = []
  const all = children('allOf')
  if (all !== undefined) parts.push(...all.map((part) => build(site, part)))
  const any = children('anyOf')
  if (any !== undefined) parts.push(buildAlternatives(site, found, any, 'union', notes))
  const one = children('oneOf')
  if (one !== undefined) parts.push(buildAlternatives(site, found, one, 'oneOf', notes))
  if (Object.hasOwn(node, 'not'))
    parts.push(Object.freeze({ kind: 'not', notes, schema: build(site, child('not')) }))
  if (Object.hasOwn(node, 'if')) {
    const [when, then, otherwise] = [
      build(site, child('if')),
      build(site, child('then')),
      build(site, child('else')),
    ]
    parts.push(Object.freeze({ kind: 'conditional', notes, when, then, otherwise }))
  }
  return parts
}

/** `oneOf` becomes a union when no two options can match at once. */
function buildAlternatives(
  site: Site,
  { node }: LocatedNode<JsonObject>,
  found: readonly LocatedNode[],
  kind: 'union' | 'oneOf',
  notes: Notes,
): Schema {
  const { context } = site
  const options = Object.freeze(found.map((option) => build(site, option)))
  const [only] = options
  if (options.length === 1 && only !== undefined) return only
  const discriminator = findDiscriminator(context, readOwn(node, 'discriminator'), found)
  if (discriminator !== undefined)
    return Object.freeze({ kind: 'oneOf', notes, options, discriminator })
  if (kind === 'union' || excludeEachOther(context, found))
    return Object.freeze({ kind: 'union', notes, options })
  return Object.freeze({ kind, notes, options })
}

function buildUnevaluated(
  site: Site,
  { node, pointer }: LocatedNode<JsonObject>,
  base: Schema,
  notes: Notes,
): Schema | undefined {
  const rest = (key: string): Schema | undefined => {
    const value = readOwn(node, key)
    return value === undefined || !inPlace.some((word) => Object.hasOwn(node, word))
      ? undefined
      : build(dropAssumption(site), { node: value, pointer: pointerTo(pointer, key) })
  }
  const [properties, items] = [rest('unevaluatedProperties'), rest('unevaluatedItems')]
  if (properties === undefined && items === undefined) return undefined
  return Object.freeze({
    kind: 'unevaluated',
    notes,
    base: setNotes(base, pickOrigin(notes)),
    ...omitUndefined({ properties, items }),
  })
}

function readReference(
  { context, within }: Site,
  { node, pointer }: LocatedNode<JsonObject>,
): Schema | undefined {
  const ref = readOwn(node, '$ref')
  if (typeof ref !== 'string') return undefined
  const key = parseComponentKey(ref)
  if (key === undefined || !context.components.has(key)) return undefined
  const notes: Notes = { origin: findOrigin(context, pointer) }
  return Object.freeze({
    kind: 'ref',
    notes,
    name: context.schemaName(key),
    cyclic: context.closesCycle(within, key),
  })
}

/** An intersection of the parts, except those that accept everything. */
function buildIntersection(parts: readonly Schema[], notes: Notes): Schema {
  const telling = parts.filter((part) => part.kind !== 'any')
  const [only] = telling
  if (only === undefined) return Object.freeze({ kind: 'any', notes })
  if (telling.length === 1) return setNotes(only, notes)
  return Object.freeze({ kind: 'intersection', notes, parts: Object.freeze(telling) })
}

/** The outer notes take precedence: they describe this use of the schema. */
function setNotes(schema: Schema, notes: Notes): Schema {
  return Object.freeze({ ...schema, notes: Object.freeze({ ...schema.notes, ...notes }) })
}

function pickOrigin({ origin }: Notes): Notes {
  return { origin }
}

const noteWords = new Set([
  'title',
  'description',
  'deprecated',
  'x-renamed-from',
  'x-extensible-enum',
  'discriminator',
  'default',
  'example',
  'examples',
])

/** The keywords that do not affect the set of values. */
export function readNotes(context: Context, { node, pointer }: LocatedNode): Notes {
  const origin = findOrigin(context, pointer)
  if (!isObject(node) || !hasAny(node, noteWords)) return Object.freeze({ origin })
  const notes: { -readonly [K in keyof Notes]: Notes[K] } = { origin }
  const reportMisread = (name: string, expected: string): void =>
    context.report('FB3016', pointerTo(pointer, name), show(readOwn(node, name)), expected)
  const title = readNonEmpty(readOwn(node, 'title'))
  const description = readNonEmpty(readOwn(node, 'description'))
  const former = readOwn(node, 'x-renamed-from')
  const renamedFrom = readNonEmpty(former)
  const knownValues = readOwn(node, 'x-extensible-enum')
  const fallback = readOwn(node, 'default')
  const example = readOwn(node, 'example')
  const examples = readOwn(node, 'examples')
  if (title !== undefined) notes.title = title
  if (description !== undefined) notes.description = description
  if (readBoolean(context, { node, pointer }, 'deprecated') === true) notes.deprecated = true
  if (renamedFrom !== undefined) notes.renamedFrom = renamedFrom
  if (isObject(former)) notes.renamedValues = former
  else if (former !== undefined && renamedFrom === undefined)
    reportMisread('x-renamed-from', 'the former name, or an object of former values')
  if (isList(knownValues)) notes.knownValues = knownValues
  else if (knownValues !== undefined) reportMisread('x-extensible-enum', 'an array of values')
  const discriminator = readOwn(node, 'discriminator')
  if (discriminator !== undefined) notes.discriminator = discriminator
  if (fallback !== undefined) notes.default = fallback
  if (isList(examples)) notes.examples = examples
  else if (example !== undefined) notes.examples = [example]
  return Object.freeze(notes)
}
