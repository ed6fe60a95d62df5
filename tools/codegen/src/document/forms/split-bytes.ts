import {
  hasAny,
  isList,
  isObject,
  type Json,
  type JsonObject,
  readOwn,
  pointerTo,
} from '../json.js'
import { parseComponentKey, findComponentKey, findSlot, mapMembers, type Shape } from '../shape.js'
import { findAround, findHolders, isBytes, readTraits, traits, type Traits } from '../traits.js'
import { mediaKind, sequenceKind } from '../media.js'
import { addSchemas, createForms, type Forms } from './forms.js'
import { convertDiscriminator, inPlace } from './schema-form.js'

/**
 * What a schema describes: JSON or other text, in which bytes can only be a string; a whole body; a
 * form; or a part of one.
 */
type Use = 'text' | 'whole' | 'form' | 'part'

/** Returns the name of the schema that a use refers to. */
type Refer = (key: string, use: Use) => string

/**
 * Raw bytes exist as a whole body and as a part of a form (OpenAPI 3.0.4, "Working with Binary
 * Data"). Everywhere else such a schema becomes a plain string. A named schema that is used both
 * ways gets a second one, `…Form`, to which forms and whole bodies then refer. `report` gets the
 * pointer of each schema that becomes a string.
 */
export function splitBytes(root: JsonObject, report: (pointer: string) => void): Forms {
  const schemas = readOwn(readOwn(root, 'components'), 'schemas')
  const components = new Map(isObject(schemas) ? Object.entries(schemas) : [])
  const holding = findHolders(components, (schema) => holdsBytes(readTraits(schema)))
  const around = findAround(
    root,
    (found) =>
      holdsBytes(found) || found.refs.some((ref) => holding.has(parseComponentKey(ref) ?? '')),
    (schema) => isBytes(schema) || holding.has(findComponentKey(schema) ?? ''),
  )
  if (around.size === 0) return createForms(root, new Map())
  const remains = createBytesCheck(components)
  const wanted = new Map<string, Set<Use>>()
  const waiting: (readonly [string, Use])[] = []
  const want: Refer = (key, use) => {
    const uses = wanted.get(key) ?? new Set<Use>()
    wanted.set(key, uses)
    if (!uses.has(use)) waiting.push([key, use])
    uses.add(use)
    return key
  }
  const createContext = (refer: Refer, text: (pointer: string) => void): Context => ({
    components,
    around,
    refer: (key, use) => (holding.has(key) ? refer(key, remains(key, use) ? use : 'text') : key),
    text,
  })
  const collecting = createContext(want, () => undefined)
  convertNode(collecting, root, 'document', undefined, '')
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    convertSchema(collecting, components.get(next[0]) ?? {}, next[1], '')
  const names = nameCopies(components, wanted)
  const converting = createContext((key, use) => names.get(key)?.get(use) ?? key, report)
  const converted = convertNode(converting, root, 'document', undefined, '') as JsonObject
  const homes = new Map<string, string>()
  const changed: Record<string, Json> = {}
  for (const [key, uses] of names)
    for (const [use, name] of uses) {
      const pointer = pointerTo('/components/schemas', key)
      changed[name] = convertSchema(converting, components.get(key) ?? {}, use, pointer)
      if (name !== key) homes.set(pointerTo('/components/schemas', name), pointer)
    }
  return createForms(
    Object.keys(changed).length === 0 ? converted : addSchemas(converted, changed),
    homes,
  )
}

type Context = {
  readonly components: ReadonlyMap<string, Json>
  /** The schemas that hold bytes, themselves or by a reference, and all objects around them. */
  readonly around: ReadonlySet<Json>
  readonly refer: Refer
  /** Called for a schema of bytes that becomes a string. */
  readonly text: (pointer: string) => void
}

/** Converts the schemas of parameters and bodies. Named schemas are converted by need. */
function convertNode(
  context: Context,
  node: Json,
  shape: Shape,
  use: Use | undefined,
  pointer: string,
): Json {
  if (!isObject(node) || !context.around.has(node)) return node
  if (shape === 'schema')
    return use === undefined ? node : convertSchema(context, node, use, pointer)
  const inner = shape === 'parameter' || shape === 'header' ? 'text' : use
  return mapChildren(node, shape, pointer, (child, childShape, at, name) => {
    if (shape === 'components' && childShape === 'schema') return child
    if (childShape === 'mediaType' && inner === undefined && shape !== 'components')
      return convertMedia(context, child, name, at)
    return convertNode(context, child, childShape, inner, at)
  })
}

function convertMedia(context: Context, media: Json, mediaType: string, pointer: string): Json {
  if (!isObject(media) || !context.around.has(media)) return media
  const kind = mediaKind(mediaType)
  return mapChildren(media, 'mediaType', pointer, (child, shape, at) => {
    if (shape !== 'schema') return convertNode(context, child, shape, undefined, at)
    if (kind === 'multipart') return convertSchema(context, child, 'form', at, findJsonParts(media))
    const isText =
      kind === 'json' || kind === 'urlencoded' || sequenceKind(mediaType, false) !== undefined
    const use = isText && !isBytes(resolve(context.components, child)) ? 'text' : 'whole'
    return convertSchema(context, child, use, at)
  })
}

/** The parts that are JSON by their encoding. */
function findJsonParts(media: JsonObject): ReadonlySet<string> {
  const encoding = readOwn(media, 'encoding')
  return new Set(
    (isObject(encoding) ? Object.entries(encoding) : [])
      .filter(([, entry]) => {
        const type = readOwn(entry, 'contentType')
        return typeof type === 'string' && mediaKind(type) === 'json'
      })
      .map(([name]) => name),
  )
}

/** `json`: the properties of a form that are JSON. */
function convertSchema(
  context: Context,
  node: Json,
  use: Use,
  pointer: string,
  json: ReadonlySet<string> = none,
): Json {
  if (!isObject(node) || !context.around.has(node)) return node
  if (use === 'text' && isBytes(node)) {
    context.text(pointer)
    const { format, contentMediaType: _, ...rest } = node
    return { ...rest, ...(format !== undefined && format !== 'binary' && { format }) }
  }
  // OpenAPI 3.1 describes a file by its media type alone
  if (isBytes(node) && !hasAny(node, deciding)) return { ...node, type: 'string' }
  const renamed = new Map<string, string>()
  const key = findComponentKey(node)
  const mapped = mapChildren(node, 'schema', pointer, (child, _shape, at, name, field) => {
    const target = findComponentKey(child)
    const inner = json.has(name) && field === 'properties' ? 'text' : findInnerUse(use, field)
    if (target !== undefined && inPlace.has(field)) {
      const other = context.refer(target, inner)
      if (other !== target) renamed.set(target, other)
    }
    return convertSchema(context, child, inner, at, inPlace.has(field) ? json : none)
  })
  const name = key === undefined ? undefined : context.refer(key, use)
  const referring =
    name === undefined || name === key
      ? mapped
      : { ...mapped, $ref: `#${pointerTo('/components/schemas', name)}` }
  const discriminator = readOwn(referring, 'discriminator')
  if (discriminator === undefined || renamed.size === 0) return referring
  const names = { components: context.components, names: renamed }
  return { ...referring, discriminator: convertDiscriminator(discriminator, names) }
}

const none: ReadonlySet<string> = new Set()

/** Keywords that say of which types the values of a schema are. */
const deciding: ReadonlySet<string> = new Set(['type', '$ref', 'enum', 'const', ...inPlace])

/** The use of a schema within another one. */
function findInnerUse(use: Use, field: string): Use {
  if (inPlace.has(field) || field === 'not') return use
  if (use === 'form') return 'part'
  return use === 'part' && /items$/i.test(field) ? 'part' : 'text'
}

/** Maps the nodes within a node. `name` is the last token of the pointer. */
function mapChildren(
  node: JsonObject,
  shape: Shape,
  pointer: string,
  map: (child: Json, shape: Shape, pointer: string, name: string, field: string) => Json,
): JsonObject {
  return mapMembers(node, (value, field) => {
    const slot = findSlot(shape, field)
    if (slot === undefined) return value
    const at = pointerTo(pointer, field)
    if (slot.as === 'one') return map(value, slot.shape, at, field, field)
    if (slot.as === 'list') {
      if (!isList(value)) return value
      const items = value.map((item, index) =>
        map(item, slot.shape, pointerTo(at, index), String(index), field),
      )
      return items.every((item, index) => item === value[index]) ? value : items
    }
    if (!isObject(value)) return value
    return mapMembers(value, (item, name) =>
      map(item, slot.shape, pointerTo(at, name), name, field),
    )
  })
}

function holdsBytes({ bits }: Traits): boolean {
  return (bits & traits.bytes) !== 0
}

function resolve(components: ReadonlyMap<string, Json>, schema: Json): Json {
  let found = schema
  for (let hops = 0; hops < 50; hops++) {
    const key = findComponentKey(found)
    if (key === undefined) return found
    found = components.get(key) ?? null
  }
  return found
}

/** Whether a component has bytes in a use, so that it differs from its text. */
function createBytesCheck(
  components: ReadonlyMap<string, Json>,
): (key: string, use: Use) => boolean {
  const known = new Map<string, boolean>()
  const componentHasBytes = (key: string, use: Use): boolean => {
    if (use === 'text') return false
    const id = `${use} ${key}`
    if (!known.has(id)) {
      known.set(id, false)
      known.set(id, remains(components.get(key) ?? null, use))
    }
    return known.get(id) ?? false
  }
  const remains = (node: Json, use: Use): boolean => {
    if (!isObject(node) || use === 'text') return false
    const target = findComponentKey(node)
    if (isBytes(node) || (target !== undefined && componentHasBytes(target, use))) return true
    let found = false
    mapChildren(node, 'schema', '', (child, _shape, _at, _name, field) => {
      found ||= remains(child, findInnerUse(use, field))
      return child
    })
    return found
  }
  return componentHasBytes
}

/** A schema keeps its name as text, else in its only use. */
function nameCopies(
  components: ReadonlyMap<string, Json>,
  wanted: ReadonlyMap<string, ReadonlySet<Use>>,
): ReadonlyMap<string, ReadonlyMap<Use, string>> {
  const takenNames = new Set(components.keys())
  const names = new Map<string, ReadonlyMap<Use, string>>()
  for (const [key, uses] of wanted) {
    const sorted = [...uses].toSorted((a, b) => Number(b === 'text') - Number(a === 'text'))
    const own = new Map<Use, string>()
    for (const [index, use] of sorted.entries()) {
      const name = index === 0 ? key : findFreeName(key, takenNames)
      takenNames.add(name)
      own.set(use, name)
    }
    names.set(key, own)
  }
  return names
}

function findFreeName(key: string, takenNames: ReadonlySet<string>): string {
  const name = `${key}Form`
  return takenNames.has(name) ? findFreeName(name, takenNames) : name
}
