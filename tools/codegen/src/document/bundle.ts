import { show } from '../diagnostics.js'
import type { Place, Report } from '../diagnostics.js'
import { componentNames, identity } from './component-names.js'
import type { Spot } from './component-names.js'
import { splitRef } from './files.js'
import type { Files } from './files.js'
import { referenceNames } from './reference-names.js'
import { childOf, isList, isObject, own, pointerTo, segmentsOf, valueAt } from './json.js'
import type { Json, JsonObject } from './json.js'
import { slotOf } from './shape.js'
import type { Shape, Slot } from './shape.js'

export type Bundle = {
  readonly root: JsonObject
  /** Where a node of the bundle was written. */
  readonly spot: (pointer: string) => Spot
}

/** Deeper nesting than this is refused: whatever reads the bundle may be recursive. */
const deepest = 200

/** Real documents stay far below it. Parts that each name the next part twice do not. */
const mostCopies = 300_000

/**
 * Joins the files of a document into one. Schemas from elsewhere than `components.schemas` become components, so that the same
 * target is the same component; all other references are replaced by what they name, except those to the entry's own components.
 */
export function bundle(files: Files, report: Report): Bundle {
  const { entry } = files
  /** Bundle pointer → the source node that was copied there. A node without an entry of its own lies below one that has. */
  const grafts = new Map<string, Spot>([['', { source: entry, pointer: '' }]])
  const names = componentNames(files)
  const identified = referenceNames(files)
  /** References of the entry that stay as they are, with what they lead to: most are met hundreds of times. */
  const settled = new Map<string, Shape>()
  /** What contains itself, and may not. */
  const endless = new Set<string>()
  /**
   * What was copied to where a reference names it, and how many objects were copied so more than
   * once.
   */
  const inlined = new Set<string>()
  let copies = 0
  const root = copy(entry.data, 'document', { source: entry, pointer: '' }, '', nowhere)
  return { root: withHoisted(root as JsonObject), spot }

  function copy(node: Json, shape: Shape, from: Spot, to: string, within: Within): Json {
    if (!isObject(node)) return node
    if (within.again && ++copies > mostCopies) {
      if (copies === mostCopies + 1) report('FB1008', spotPlace(from), `more than ${mostCopies} copied objects`, 'fewer copies')
      return {}
    }
    if (within.depth > deepest || to.length > 20_000) {
      report('FB1007', spotPlace(from), `more than ${deepest} levels`, 'a shallower structure')
      return {}
    }
    if (shape === 'schema' && Object.hasOwn(node, '$dynamicRef')) return copy(withoutDynamicRef(node, from), shape, from, to, within)
    const ref = own(node, '$ref')
    if (typeof ref === 'string' && shape !== 'document') return reference(node, ref, shape, from, to, within)
    if (ref !== undefined && shape !== 'document')
      report('FB2001', spotPlace({ source: from.source, pointer: pointerTo(from.pointer, '$ref') }), show(ref), 'a string')
    const inner: Within = { ...within, depth: within.depth + 1 }
    let changes: Map<string, Json | undefined> | undefined
    for (const key of Object.keys(node)) {
      const value = node[key] as Json
      if (shape === 'schema' && dropped.has(key)) {
        changes ??= new Map()
        changes.set(key, undefined)
        continue
      }
      const slot = typeof value === 'object' && value !== null ? slotOf(shape, key) : undefined
      const discriminates = shape === 'schema' && key === 'discriminator'
      if (slot === undefined && !discriminates) continue
      const child = { source: from.source, pointer: pointerTo(from.pointer, key) }
      const item =
        slot === undefined
          ? discriminator(value, child)
          : copySlot(value, slot, child, to === from.pointer ? child.pointer : pointerTo(to, key), inner)
      if (item !== value) {
        changes ??= new Map()
        changes.set(key, item)
      }
    }
    return changes === undefined ? node : changed(node, changes)
  }

  /** What did not change is not copied: of a document in one file, that is nearly all. */
  function copySlot(value: Json, { shape, as }: Slot, from: Spot, to: string, within: Within): Json {
    if (as === 'one') return copy(value, shape, from, to, within)
    const child = (key: string | number, item: Json): Json => {
      if (!isObject(item)) return item
      const pointer = pointerTo(from.pointer, key)
      return copy(item, shape, { source: from.source, pointer }, to === from.pointer ? pointer : pointerTo(to, key), within)
    }
    if (as === 'list') {
      if (!isList(value)) return value
      const items = value.map((item, index) => child(index, item))
      return items.every((item, index) => item === value[index]) ? value : items
    }
    if (!isObject(value)) return value
    let changes: Map<string, Json> | undefined
    for (const key of Object.keys(value)) {
      const item = value[key] as Json
      const copied = child(key, item)
      if (copied !== item) (changes ??= new Map<string, Json>()).set(key, copied)
    }
    return changes === undefined ? value : changed(value, changes)
  }

  function reference(node: JsonObject, ref: string, shape: Shape, from: Spot, to: string, within: Within): Json {
    const bare = Object.keys(node).length === 1
    if (bare && from.source === entry && settled.get(ref) === shape && !isAt(ref, to)) return node
    const at: Spot = { source: from.source, pointer: pointerTo(from.pointer, '$ref') }
    const target = resolve(ref, from, at, 0)
    if (target === undefined) return {}
    const siblings = bare ? [] : Object.entries(node).filter(([key]) => key !== '$ref')
    const component = isComponent(target.spot, shape, siblings.length) ? names.pointerOf(shape, target.spot) : undefined
    if (component !== undefined && component !== to) {
      if (bare && ref === `#${component}`) {
        if (from.source === entry && !identified.depend) settled.set(ref, shape)
        return node
      }
      return { $ref: `#${component}`, ...(copy(Object.fromEntries(siblings), shape, from, to, within) as JsonObject) }
    }
    const whole = inline(target, shape, to, within, at)
    if (!isObject(whole) || siblings.length === 0 || shape === 'schema') return whole
    return { ...whole, ...(copy(Object.fromEntries(siblings), shape, from, to, within) as JsonObject) }
  }

  /** Every schema that is referred to is a component. Of the other objects only whole files and components are, and what has fields beside the `$ref` is copied. */
  function isComponent({ pointer }: Spot, shape: Shape, siblings: number): boolean {
    return shape === 'schema' || (siblings === 0 && (pointer === '' || /^\/components\/[^/]+\/[^/]+$/.test(pointer)))
  }

  function inline(target: { spot: Spot; node: Json }, shape: Shape, to: string, within: Within, at: Spot): Json {
    const id = identity(target.spot)
    // what was found to contain itself is told of once, and not gone through again by every other
    // way
    if (endless.has(id)) return {}
    if (within.targets.includes(id)) {
      endless.add(id)
      report(
        shape === 'schema' ? 'FB2004' : 'FB2005',
        spotPlace(at),
        `a reference to #${target.spot.pointer} inside of it`,
        'a structure that ends',
      )
      return {}
    }
    grafts.set(to, target.spot)
    const again = within.again || inlined.has(id)
    inlined.add(id)
    return copy(target.node, shape, target.spot, to, { depth: within.depth + 1, targets: [...within.targets, id], again })
  }

  /** Copies what was hoisted, which may hoist more. */
  function withHoisted(copied: JsonObject): JsonObject {
    const added = new Map<string, [string, Json][]>()
    for (let next = names.next(); next !== undefined; next = names.next()) {
      const { section, shape, name, spot } = next
      const to = pointerTo('/components', section, name)
      grafts.set(to, spot)
      const members = added.get(section) ?? []
      added.set(section, members)
      members.push([name, copy(valueAt(spot.source.data, spot.pointer) ?? {}, shape, spot, to, nowhere)])
    }
    if (added.size === 0) return copied
    const components = own(copied, 'components')
    const grown = [...added].map(([section, members]): [string, Json] => {
      const before = own(components, section)
      return [section, Object.fromEntries([...Object.entries(isObject(before) ? before : {}), ...members])]
    })
    return { ...copied, components: { ...(isObject(components) ? components : {}), ...Object.fromEntries(grown) } }
  }

  function discriminator(value: Json, from: Spot): Json {
    const mapping = own(value, 'mapping')
    if (!isObject(mapping)) return value
    const mapped = Object.entries(mapping).map(([tag, target]): [string, Json] => {
      if (typeof target !== 'string') return [tag, target]
      if (names.isTaken('schemas', target)) return [tag, pointerTo('#/components/schemas', target)]
      const at = { source: from.source, pointer: pointerTo(from.pointer, 'mapping', tag) }
      const resolved = resolve(target, from, at, 0)
      return [tag, resolved === undefined ? target : `#${names.pointerOf('schema', resolved.spot) ?? ''}`]
    })
    return { ...(value as JsonObject), mapping: Object.fromEntries(mapped) }
  }

  /**
   * `$dynamicRef` is `$ref` wherever the way by which the schema is reached cannot matter: where its target does not ask for it with
   * a `$dynamicAnchor`, or where no other schema has one of that name (JSON Schema 2020-12, section 8.2.3.2).
   */
  function withoutDynamicRef(node: JsonObject, from: Spot): JsonObject {
    const { $dynamicRef: ref, ...rest } = node
    const at: Spot = { source: from.source, pointer: pointerTo(from.pointer, '$dynamicRef') }
    if (typeof ref !== 'string') {
      report('FB3002', spotPlace(at), show(ref), 'a string')
      return rest
    }
    const target = resolve(ref, from, at, 0)
    if (target === undefined) return rest
    if (identified.isDynamic(ref, target.node)) {
      report('FB2006', spotPlace(at), show(ref), '$ref')
      return rest
    }
    const all = own(rest, 'allOf')
    return Object.hasOwn(rest, '$ref') ? { ...rest, allOf: [...(isList(all) ? all : []), { $ref: ref }] } : { $ref: ref, ...rest }
  }

  /** Finds what a reference names: by `$id` and anchors, else by file and pointer. Goes through references on the way, as `#/a/b` may cross a `$ref` at `#/a`. */
  function resolve(ref: string, from: Spot, at_: Spot, hops: number): { spot: Spot; node: Json } | undefined {
    for (const named of identified.spotsOf(ref, from)) {
      const spot = walk(named, at_, hops)
      const node = spot && valueAt(spot.source.data, spot.pointer)
      if (spot !== undefined && node !== undefined) return { spot, node }
    }
    const { file, pointer } = splitRef(ref)
    const loaded = files.follow(from.source, file)
    if ('refused' in loaded) {
      if (loaded.refused === 'outside') report('FB2003', spotPlace(at_), show(ref), 'a file in the folder of the entry file, or below it')
      if (loaded.refused === 'unreadable') report('FB2002', spotPlace(at_), show(ref), 'a file that can be read')
      return undefined
    }
    const isPointer = pointer === '' || pointer.startsWith('/')
    const spot = isPointer ? walk({ source: loaded.source, pointer }, at_, hops) : identified.anchorIn(loaded.source, pointer)
    const node = spot && valueAt(spot.source.data, spot.pointer)
    if (spot === undefined || node === undefined) {
      report('FB2001', spotPlace(at_), show(ref), `a value at this place of ${loaded.source.name}`)
      return undefined
    }
    return { spot, node }
  }

  function walk(spot: Spot, at_: Spot, hops: number): Spot | undefined {
    if (spot.pointer === '') return spot
    let source = spot.source
    let pointer = ''
    let node: Json | undefined = source.data
    for (const segment of segmentsOf(spot.pointer)) {
      const next = childOf(node, segment)
      if (next !== undefined) {
        pointer = pointerTo(pointer, segment)
        node = next
        continue
      }
      const ref = own(node, '$ref')
      if (typeof ref !== 'string' || hops > 20) return undefined
      const through = resolve(ref, { source, pointer }, at_, hops + 1)
      if (through === undefined) return undefined
      source = through.spot.source
      pointer = pointerTo(through.spot.pointer, segment)
      node = childOf(through.node, segment)
      if (node === undefined) return undefined
    }
    return { source, pointer }
  }

  function spot(pointer: string): Spot {
    if (grafts.size === 1) return { source: entry, pointer }
    for (let base = pointer; ; base = base.slice(0, base.lastIndexOf('/'))) {
      const { source, pointer: start } = grafts.get(base) ?? {}
      if (source !== undefined) return { source, pointer: `${start}${pointer.slice(base.length)}` }
    }
  }
}

/**
 * How deep a node is, the targets of the references that were replaced on the way to it, and
 * whether one of them was copied before.
 */
type Within = { readonly depth: number; readonly targets: readonly string[]; readonly again: boolean }

const nowhere: Within = { depth: 0, targets: [], again: false }

/** The node with some of its members replaced, or left out. */
function changed(node: JsonObject, changes: ReadonlyMap<string, Json | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]): [string, Json][] => {
      const item = changes.has(key) ? changes.get(key) : value
      return item === undefined ? [] : [[key, item]]
    }),
  )
}

/** Keywords that only say how others are found: references to them were followed. */
const dropped = new Set(['$defs', '$anchor', '$dynamicAnchor', '$id', '$schema', '$comment', '$vocabulary'])

/** Whether a reference is to this pointer of the same file. */
function isAt(ref: string, pointer: string): boolean {
  return ref.length === pointer.length + 1 && ref.endsWith(pointer)
}

export function spotPlace({ source, pointer }: Spot): Place {
  return source.place(pointer)
}
