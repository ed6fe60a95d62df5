import { show } from '../diagnostics.js'
import type { Place, Report } from '../diagnostics.js'
import { splitRef } from './files.js'
import type { Files } from './files.js'
import { isList, isObject, own, pointerTo, segmentsOf } from './json.js'
import type { Json, JsonObject } from './json.js'
import { slotOf } from './shape.js'
import type { Shape, Slot } from './shape.js'
import type { Source } from './source.js'

export type Bundle = {
  readonly root: JsonObject
  /** Where a node of the bundle was written. */
  readonly place: (pointer: string) => Place
}

/** A node of a source file. */
type Spot = { readonly source: Source; readonly pointer: string }

/** Deeper nesting than this is refused: whatever reads the bundle may be recursive. */
const deepest = 200

/**
 * Joins the files of a document into one. Schemas from elsewhere than `components.schemas` become components, so that the same
 * target is the same component; all other references are replaced by what they name, except those to the entry's own components.
 */
export function bundle(files: Files, report: Report): Bundle {
  const { entry } = files
  /** Bundle pointer → the source node that was copied there. A node without an entry of its own lies below one that has. */
  const grafts = new Map<string, Spot>([['', { source: entry, pointer: '' }]])
  /** Target of a schema reference → name of its component. */
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const hoisted: { readonly name: string; readonly spot: Spot }[] = []

  nameComponents()
  const root = copy(entry.data, 'document', { source: entry, pointer: '' }, '', [])
  return { root: withHoisted(root as JsonObject), place }

  /** A component that is only a reference to another file *is* that file's schema, under the component's name. */
  function nameComponents(): void {
    const schemas = own(own(entry.data, 'components'), 'schemas')
    if (!isObject(schemas)) return
    for (const key of Object.keys(schemas)) {
      taken.add(key)
      names.set(identity({ source: entry, pointer: pointerTo('/components/schemas', key) }), key)
    }
    for (const [key, value] of Object.entries(schemas)) {
      const ref = own(value, '$ref')
      if (typeof ref !== 'string' || Object.keys(value as JsonObject).length !== 1) continue
      const { file, pointer } = splitRef(ref)
      const loaded = files.follow(entry, file)
      if (!('source' in loaded) || loaded.source === entry) continue
      const id = identity({ source: loaded.source, pointer })
      if (!names.has(id)) names.set(id, key)
    }
  }

  function copy(node: Json, shape: Shape, from: Spot, to: string, within: readonly string[]): Json {
    if (!isObject(node)) return node
    if (within.length > deepest || to.length > 20_000) {
      report('FB1007', spotPlace(from), `more than ${deepest} levels`, 'a shallower structure')
      return {}
    }
    const ref = own(node, '$ref')
    if (typeof ref === 'string' && shape !== 'document') return reference(node, ref, shape, from, to, within)
    const inner = [...within, '']
    return Object.fromEntries(
      Object.entries(node)
        .filter(([key]) => shape !== 'schema' || !dropped.has(key))
        .map(([key, value]) => {
          const child = { source: from.source, pointer: pointerTo(from.pointer, key) }
          const slot = slotOf(shape, key)
          if (slot !== undefined) return [key, copySlot(value, slot, child, pointerTo(to, key), inner)]
          if (shape === 'schema' && key === 'discriminator') return [key, discriminator(value, child)]
          if (shape === 'schema' && key === '$dynamicRef') report('FB2006', spotPlace(child), show(value), '$ref')
          return [key, value]
        }),
    )
  }

  function copySlot(value: Json, { shape, as }: Slot, from: Spot, to: string, within: readonly string[]): Json {
    if (as === 'one') return copy(value, shape, from, to, within)
    const child = (key: string | number, item: Json): Json =>
      copy(item, shape, { source: from.source, pointer: pointerTo(from.pointer, key) }, pointerTo(to, key), within)
    if (as === 'list') return isList(value) ? value.map((item, index) => child(index, item)) : value
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, child(key, item)]))
  }

  function reference(node: JsonObject, ref: string, shape: Shape, from: Spot, to: string, within: readonly string[]): Json {
    const at: Spot = { source: from.source, pointer: pointerTo(from.pointer, '$ref') }
    const target = resolve(ref, from.source, at, 0)
    if (target === undefined) return {}
    const siblings = Object.entries(node).filter(([key]) => key !== '$ref')
    if (shape === 'schema') {
      const name = hoist(target.spot)
      if (to === pointerTo('/components/schemas', name)) return inline(target, shape, to, within, at)
      const rest = copy(Object.fromEntries(siblings), shape, from, to, within) as JsonObject
      return { $ref: pointerTo('#/components/schemas', name), ...rest }
    }
    if (isOwnComponent(target.spot) && target.spot.pointer !== to && shape !== 'pathItem')
      return { ...node, $ref: `#${target.spot.pointer}` }
    const whole = inline(target, shape, to, within, at)
    if (!isObject(whole) || siblings.length === 0) return whole
    return { ...whole, ...(copy(Object.fromEntries(siblings), shape, from, to, within) as JsonObject) }
  }

  function inline(target: { spot: Spot; node: Json }, shape: Shape, to: string, within: readonly string[], at: Spot): Json {
    const id = identity(target.spot)
    if (within.includes(id)) {
      report(
        shape === 'schema' ? 'FB2004' : 'FB2005',
        spotPlace(at),
        `a reference to #${target.spot.pointer} inside of it`,
        'a structure that ends',
      )
      return {}
    }
    grafts.set(to, target.spot)
    return copy(target.node, shape, target.spot, to, [...within, id])
  }

  function isOwnComponent({ source, pointer }: Spot): boolean {
    return source === entry && /^\/components\/[^/]+\/[^/]+$/.test(pointer)
  }

  /** The name of the component that a schema is or becomes. */
  function hoist(spot: Spot): string {
    const id = identity(spot)
    const known = names.get(id)
    if (known !== undefined) return known
    const name = free(proposed(spot))
    names.set(id, name)
    hoisted.push({ name, spot })
    return name
  }

  function free(name: string): string {
    let unique = name
    for (let count = 2; taken.has(unique); count++) unique = `${name}${count}`
    taken.add(unique)
    return unique
  }

  /** Copies what was hoisted, which may hoist more. Names come out in the order in which references were met. */
  function withHoisted(copied: JsonObject): JsonObject {
    const schemas: [string, Json][] = []
    for (let next = hoisted.shift(); next !== undefined; next = hoisted.shift()) {
      const to = pointerTo('/components/schemas', next.name)
      grafts.set(to, next.spot)
      schemas.push([next.name, copy(at(next.spot.source.data, next.spot.pointer) ?? {}, 'schema', next.spot, to, [])])
    }
    if (schemas.length === 0) return copied
    const components = own(copied, 'components')
    const before = own(components, 'schemas')
    const all = Object.fromEntries([...Object.entries(isObject(before) ? before : {}), ...schemas])
    return { ...copied, components: { ...(isObject(components) ? components : {}), schemas: all } }
  }

  function discriminator(value: Json, from: Spot): Json {
    const mapping = own(value, 'mapping')
    if (!isObject(mapping)) return value
    const mapped = Object.entries(mapping).map(([tag, target]): [string, Json] => {
      if (typeof target !== 'string') return [tag, target]
      if (taken.has(target)) return [tag, pointerTo('#/components/schemas', target)]
      const at = { source: from.source, pointer: pointerTo(from.pointer, 'mapping', tag) }
      const resolved = resolve(target, from.source, at, 0)
      return [tag, resolved === undefined ? target : pointerTo('#/components/schemas', hoist(resolved.spot))]
    })
    return { ...(value as JsonObject), mapping: Object.fromEntries(mapped) }
  }

  /** Finds what a reference names. Goes through references on the way, as `#/a/b` may cross a `$ref` at `#/a`. */
  function resolve(ref: string, from: Source, at_: Spot, hops: number): { spot: Spot; node: Json } | undefined {
    const { file, pointer } = splitRef(ref)
    const loaded = files.follow(from, file)
    if ('refused' in loaded) {
      if (loaded.refused === 'outside') report('FB2003', spotPlace(at_), show(ref), 'a file in the folder of the entry file, or below it')
      if (loaded.refused === 'unreadable') report('FB2002', spotPlace(at_), show(ref), 'a file that can be read')
      return undefined
    }
    const spot = walk({ source: loaded.source, pointer }, at_, hops)
    const node = spot && at(spot.source.data, spot.pointer)
    if (spot === undefined || node === undefined) {
      report('FB2001', spotPlace(at_), show(ref), `a value at this place of ${loaded.source.name}`)
      return undefined
    }
    return { spot, node }
  }

  function walk(spot: Spot, at_: Spot, hops: number): Spot | undefined {
    if (spot.pointer === '') return spot
    if (!spot.pointer.startsWith('/')) return anchor(spot)
    let source = spot.source
    let pointer = ''
    let node: Json | undefined = source.data
    for (const segment of segmentsOf(spot.pointer)) {
      const next: Json | undefined = isList(node) ? node[Number(segment)] : own(node, segment)
      if (next !== undefined) {
        pointer = pointerTo(pointer, segment)
        node = next
        continue
      }
      const ref = own(node, '$ref')
      if (typeof ref !== 'string' || hops > 20) return undefined
      const through = resolve(ref, source, at_, hops + 1)
      if (through === undefined) return undefined
      source = through.spot.source
      pointer = pointerTo(through.spot.pointer, segment)
      node = isList(through.node) ? through.node[Number(segment)] : own(through.node, segment)
      if (node === undefined) return undefined
    }
    return { source, pointer }
  }

  /** A plain-name fragment: the schema of the same file with that `$anchor`. */
  function anchor({ source, pointer: name }: Spot): Spot | undefined {
    const stack: { readonly node: Json; readonly pointer: string }[] = [{ node: source.data, pointer: '' }]
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { node, pointer } = next
      if (own(node, '$anchor') === name || own(node, '$dynamicAnchor') === name) return { source, pointer }
      const children = isList(node) ? node.entries() : isObject(node) ? Object.entries(node) : []
      for (const [key, child] of children)
        if (typeof child === 'object' && child !== null) stack.push({ node: child, pointer: pointerTo(pointer, key) })
    }
    return undefined
  }

  function place(pointer: string): Place {
    for (let base = pointer; ; base = base.slice(0, base.lastIndexOf('/'))) {
      const spot = grafts.get(base)
      if (spot !== undefined) return spot.source.place(spot.pointer + pointer.slice(base.length))
    }
  }
}

/** Keywords that only say how others are found: references to them were followed. */
const dropped = new Set(['$defs', '$anchor', '$dynamicAnchor', '$id', '$schema', '$comment', '$vocabulary'])

function spotPlace({ source, pointer }: Spot): Place {
  return source.place(pointer)
}

function identity({ source, pointer }: Spot): string {
  return `${source.location}#${pointer}`
}

function at(data: Json, pointer: string): Json | undefined {
  let node: Json | undefined = data
  for (const segment of segmentsOf(pointer)) node = isList(node) ? node[Number(segment)] : own(node, segment)
  return node
}

/** `#/$defs/Pet` → Pet; `#/components/schemas/Pet/properties/tag` → PetTag; `schemas/standard-error.yaml` → StandardError. */
function proposed({ source, pointer }: Spot): string {
  const words = segmentsOf(pointer).filter((segment) => !structural.has(segment))
  if (words.length === 0) words.push((source.location.split(/[\\/]/).at(-1) ?? '').replace(/\.[^.]*$/, ''))
  if (words.length === 1 && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(words[0] ?? '')) return words[0] ?? ''
  const parts = words.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u)).filter((part) => part !== '')
  return parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('') || 'Schema'
}

const structural = new Set([
  'components',
  'schemas',
  '$defs',
  'definitions',
  'properties',
  'paths',
  'content',
  'schema',
  'responses',
  'requestBody',
])
