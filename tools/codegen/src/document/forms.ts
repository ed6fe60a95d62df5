import { isList, isObject, own, pointerTo, segmentsOf } from './json.js'
import type { Json, JsonObject } from './json.js'
import { slotOf } from './shape.js'
import type { Shape } from './shape.js'

export type Forms = {
  readonly root: JsonObject
  /** Where a node of `root` stands in the document that was given: a form stands where its schema does. */
  readonly origin: (pointer: string) => string
}

/** Which way a schema is sent, and what is left out of it then. */
type Direction = { readonly suffix: 'Request' | 'Response'; readonly mark: 'readOnly' | 'writeOnly' }

const directions = {
  request: { suffix: 'Request', mark: 'readOnly' },
  response: { suffix: 'Response', mark: 'writeOnly' },
} as const satisfies Record<string, Direction>

/** Schemas in place: what they say, they say of the same value. */
const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'])

/**
 * Gives each way its own form of a schema (OpenAPI 3.1.1, "Schema Object"; 3.0.4, "readOnly", "writeOnly"): a request does not have what is read-only, an
 * answer not what is write-only, also where it is required. A named schema for which that makes a difference gets a second name, `…Request` or
 * `…Response`, and requests and answers refer to that one; the schema itself stays as it was written.
 */
export function splitForms(root: JsonObject): Forms {
  const schemas = own(own(root, 'components'), 'schemas')
  const components = new Map(isObject(schemas) ? Object.entries(schemas) : [])
  const added = new Map<string, Json>()
  /** What is known of components: the names that they leave out, and whether they are marked. */
  const hidden = { readOnly: new Map<string, readonly string[]>(), writeOnly: new Map<string, readonly string[]>() }
  const marked = { readOnly: new Map<string, boolean>(), writeOnly: new Map<string, boolean>() }
  /** Where a form's pointer leads. */
  const homes = new Map<string, string>()
  const marks = marksIn(root)
  const isSplit = (way: keyof typeof directions): boolean => marks.has(directions[way].mark)
  const forms = {
    request: isSplit('request') ? formsOf(components, directions.request) : new Map<string, string>(),
    response: isSplit('response') ? formsOf(components, directions.response) : new Map<string, string>(),
  }
  for (const way of ['request', 'response'] as const) {
    for (const [key, form] of forms[way]) {
      added.set(form, reform(components.get(key) ?? {}, way, new Set()))
      homes.set(pointerTo('/components/schemas', form), pointerTo('/components/schemas', key))
    }
  }
  const split = visit(root, 'document', undefined) as JsonObject
  if (added.size === 0) return { root: split, origin: (pointer) => pointer }
  const all = { ...(own(own(split, 'components'), 'schemas') as JsonObject), ...Object.fromEntries(added) }
  return { root: { ...split, components: { ...(own(split, 'components') as JsonObject), schemas: all } }, origin }

  function origin(pointer: string): string {
    if (!pointer.startsWith(prefix)) return pointer
    const end = pointer.indexOf('/', prefix.length)
    const home = homes.get(end === -1 ? pointer : pointer.slice(0, end))
    return home === undefined ? pointer : home + (end === -1 ? '' : pointer.slice(end))
  }

  /** Down to the schemas of bodies and answers. Callbacks and webhooks go the other way, and stay as they are. */
  function visit(node: Json, shape: Shape, way: keyof typeof directions | undefined): Json {
    if (!isObject(node)) return node
    if (way !== undefined && !isSplit(way)) return node
    if (shape === 'schema') return way === undefined ? node : reform(node, way, new Set())
    return mapSlots(node, shape, (child, childShape) => {
      if (childShape === 'callback') return child
      return visit(child, childShape, childShape === 'requestBody' ? 'request' : childShape === 'response' ? 'response' : way)
    })
  }

  /** A schema as it goes one way. `hidden` are the names that schemas around it, which speak of the same value, leave out. */
  function reform(node: Json, way: keyof typeof directions, hidden: ReadonlySet<string>): Json {
    if (!isObject(node)) return node
    const { mark } = directions[way]
    const here = new Set([...hidden, ...hiddenNames(node, mark)])
    return mapMembers(node, (value, key) => reformField(key, value, way, here))
  }

  function reformField(key: string, value: Json, way: keyof typeof directions, here: ReadonlySet<string>): Json {
    const { mark } = directions[way]
    if (key === '$ref') return refTo(value, way)
    if (key === 'required' && isList(value))
      return value.some((name) => here.has(name as string)) ? value.filter((name) => !here.has(name as string)) : value
    if (key === 'discriminator') return reformDiscriminator(value, way)
    if (key === 'properties' && isObject(value)) {
      return mapMembers(value, (schema, name) => (here.has(name) || isMarked(schema, mark) ? nothing : reform(schema, way, new Set())))
    }
    const slot = slotOf('schema', key)
    // what must not match is not sent
    if (slot === undefined || key === 'not') return value
    const inner = inPlace.has(key) ? here : new Set<string>()
    if (slot.as === 'one') return reform(value, way, inner)
    if (slot.as === 'list') return isList(value) ? mapItems(value, (item) => reform(item, way, inner)) : value
    return isObject(value) ? mapMembers(value, (item) => reform(item, way, inner)) : value
  }

  function refTo(ref: Json, way: keyof typeof directions): Json {
    const key = typeof ref === 'string' ? componentKey(ref) : undefined
    const form = key === undefined ? undefined : forms[way].get(key)
    return form === undefined ? ref : pointerOf(form)
  }

  /** Tags stay what they were: a schema without a mapping is told by its name, which a form has no longer. */
  function reformDiscriminator(value: Json, way: keyof typeof directions): Json {
    const mapping = own(value, 'mapping')
    const named = [...forms[way]].map(([key, form]): [string, Json] => [key, pointerOf(form)])
    if (!isObject(value) || named.length === 0) return value
    const given = isObject(mapping)
      ? mapMembers(mapping, (target) => refTo(typeof target === 'string' && components.has(target) ? pointerOf(target) : target, way))
      : {}
    return { ...value, mapping: { ...(isObject(mapping) ? {} : Object.fromEntries(named)), ...given } }
  }

  /** Names that a schema, or one that speaks of the same value, leaves out. */
  function hiddenNames(node: Json, mark: Direction['mark']): readonly string[] {
    if (!isObject(node)) return []
    const properties = own(node, 'properties')
    const names = isObject(properties) ? Object.entries(properties).flatMap(([name, schema]) => (isMarked(schema, mark) ? [name] : [])) : []
    const ref = own(node, '$ref')
    const key = typeof ref === 'string' ? componentKey(ref) : undefined
    if (key !== undefined) names.push(...once(hidden[mark], key, [], () => [...new Set(hiddenNames(components.get(key) ?? null, mark))]))
    for (const field of inPlace) {
      const value = own(node, field)
      const parts = isList(value)
        ? value
        : field === 'dependentSchemas' && isObject(value)
          ? Object.values(value)
          : value === undefined
            ? []
            : [value]
      for (const part of parts) names.push(...hiddenNames(part, mark))
    }
    return names
  }

  /** The mark on a property, or on what it is one of or refers to. */
  function isMarked(schema: Json, mark: Direction['mark']): boolean {
    if (!isObject(schema)) return false
    if (own(schema, mark) === true) return true
    const ref = own(schema, '$ref')
    const key = typeof ref === 'string' ? componentKey(ref) : undefined
    if (key !== undefined && once(marked[mark], key, false, () => isMarked(components.get(key) ?? null, mark))) return true
    const parts = own(schema, 'allOf')
    return isList(parts) && parts.some((part) => isMarked(part, mark))
  }

  /** The named schemas that differ one way, with the name of their form. */
  function formsOf(all: ReadonlyMap<string, Json>, { suffix, mark }: Direction): ReadonlyMap<string, string> {
    const users = new Map<string, string[]>()
    const found = new Set<string>()
    for (const [key, schema] of all) {
      const { marked, refs } = lookInto(schema, mark)
      if (marked) found.add(key)
      for (const ref of refs) {
        const known = users.get(ref)
        if (known === undefined) users.set(ref, [key])
        else known.push(key)
      }
    }
    // whoever refers to one that differs differs as well
    for (const key of found) for (const user of users.get(key) ?? []) found.add(user)
    const taken = new Set([...all.keys(), ...added.keys()])
    const named = new Map<string, string>()
    for (const key of all.keys()) {
      if (!found.has(key)) continue
      let form = key + suffix
      while (taken.has(form)) form += 'Form'
      taken.add(form)
      named.set(key, form)
    }
    return named
  }

  function lookInto(schema: Json, mark: Direction['mark']): { readonly marked: boolean; readonly refs: ReadonlySet<string> } {
    const refs = new Set<string>()
    let marked = false
    const stack: Json[] = [schema]
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (!isObject(node)) continue
      const ref = own(node, '$ref')
      const key = typeof ref === 'string' ? componentKey(ref) : undefined
      if (key !== undefined) refs.add(key)
      const properties = own(node, 'properties')
      if (isObject(properties)) marked ||= Object.values(properties).some((property) => isMarked(property, mark))
      mapSlots(node, 'schema', (child) => {
        if (typeof child === 'object') stack.push(child)
        return child
      })
    }
    return { marked, refs }
  }
}

/**
 * What is found of a component is found once. A circle ends with `within`: one without a value in
 * between is refused later.
 */
function once<T>(known: Map<string, T>, key: string, within: T, find: () => T): T {
  const found = known.get(key)
  if (found !== undefined) return found
  known.set(key, within)
  const fresh = find()
  known.set(key, fresh)
  return fresh
}

/** The marks that stand anywhere in a document, be it in an example: without one, nothing goes another way than it is written. */
function marksIn(root: Json): ReadonlySet<string> {
  const marks = new Set<string>()
  const stack: Json[] = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isList(node)) for (const item of node) if (typeof item === 'object' && item !== null) stack.push(item)
    if (!isObject(node)) continue
    for (const key of Object.keys(node)) {
      const value = node[key]
      if (value === true && (key === 'readOnly' || key === 'writeOnly')) marks.add(key)
      else if (typeof value === 'object' && value !== null) stack.push(value)
    }
  }
  return marks
}

const prefix = '/components/schemas/'

/** A property that is left out: no value fits. */
const nothing: Json = false

function mapSlots(node: JsonObject, shape: Shape, map: (child: Json, shape: Shape) => Json): JsonObject {
  return mapMembers(node, (value, key) => {
    const slot = slotOf(shape, key)
    if (slot === undefined) return value
    if (slot.as === 'one') return map(value, slot.shape)
    if (slot.as === 'list') return isList(value) ? mapItems(value, (item) => map(item, slot.shape)) : value
    return isObject(value) ? mapMembers(value, (item) => map(item, slot.shape)) : value
  })
}

/** The object itself when nothing in it changes, as is so nearly everywhere. */
function mapMembers(node: JsonObject, map: (value: Json, key: string) => Json): JsonObject {
  let changes: Map<string, Json> | undefined
  for (const key of Object.keys(node)) {
    const value = node[key] as Json
    const mapped = map(value, key)
    if (mapped !== value) (changes ??= new Map<string, Json>()).set(key, mapped)
  }
  return changes === undefined ? node : Object.fromEntries(Object.entries(node).map(([key, value]) => [key, changes.get(key) ?? value]))
}

function mapItems(items: readonly Json[], map: (item: Json) => Json): readonly Json[] {
  let changed = false
  const mapped = items.map((item) => {
    const other = map(item)
    changed ||= other !== item
    return other
  })
  return changed ? mapped : items
}

function componentKey(ref: string): string | undefined {
  return ref.startsWith('#/components/schemas/') ? segmentsOf(ref.slice(1))[2] : undefined
}

function pointerOf(key: string): string {
  return `#${pointerTo('/components/schemas', key)}`
}
