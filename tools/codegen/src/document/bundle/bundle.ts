import { type Report, show } from '../../diagnostics.js'
import {
  type BundleRun,
  copyReference,
  replaceBrokenNode,
  outermost,
  type Within,
} from './reference.js'
import {
  createComponentNames,
  findPlace,
  type Scope,
  type Spot,
  type WrittenSpot,
} from './component-names.js'
import type { Files } from '../files.js'
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  readOwn,
  pointerTo,
  valueAt,
} from '../json.js'
import { createDynamicScopes } from './dynamic-scope.js'
import { createReferenceNames, createResolver, type Target } from './resolve-reference.js'
import { deepest, isJoined } from './is-joined.js'
import { identifying } from '../traits.js'
import { findSlot, type Shape, type Slot } from '../shape.js'

export type Bundle = {
  readonly root: JsonObject
  /** Where a node of the bundle was written. It does not hold the data of the files. */
  readonly findSpot: (pointer: string) => WrittenSpot
  /** The nodes that a broken reference or a limit has emptied. */
  readonly broken: readonly string[]
  /** Whether it is the data of one file, unchanged. */
  readonly isWhole: boolean
}

/**
 * Joins the files of a document into one. A schema outside of `components.schemas` that a reference
 * names becomes a component, and equal targets become the same component. Every other reference is
 * replaced by its target, except those to the entry file's own components.
 */
export function bundle(files: Files, report: Report): Bundle {
  const { entry } = files
  if (files.sources.length === 1 && isJoined(entry.data))
    return {
      root: entry.data as JsonObject,
      findSpot: createSpotFinder(new Map([['', { source: entry, pointer: '' }]])),
      broken: [],
      isWhole: true,
    }
  const identifiers = createReferenceNames(files)
  const silent = createResolver(files, identifiers, () => undefined)
  const run: BundleRun = {
    entry,
    report,
    names: createComponentNames(files),
    identifiers,
    resolve: createResolver(files, identifiers, report),
    scopes: createDynamicScopes(files, identifiers, silent),
    copy: copyNode,
    grafts: new Map([['', { source: entry, pointer: '' }]]),
    verbatim: new Map(),
    endless: new Set(),
    inlined: new Set(),
    broken: new Set(),
    copies: 0,
  }
  const copied = copyNode(
    run,
    entry.data,
    'document',
    { source: entry, pointer: '' },
    '',
    outermost,
  ) as JsonObject
  // adding a component adds grafts
  const root = addComponents(run, copied)
  return {
    root,
    findSpot: createSpotFinder(run.grafts),
    broken: [...run.broken],
    isWhole: false,
  }
}

/** A limit for dynamic references: five of them to ten schemas each make a hundred thousand. */
const maxBound = 2000

/** Adds the referenced components. Copying one may add more. */
function addComponents(run: BundleRun, root: JsonObject): JsonObject {
  const added = new Map<string, [string, Json][]>()
  let bound = 0
  for (let next = run.names.next(); next !== undefined; next = run.names.next()) {
    const { section, shape, name, spot, scope = outermost.scope } = next
    const to = pointerTo('/components', section, name)
    run.grafts.set(to, spot)
    const members = added.get(section) ?? []
    added.set(section, members)
    if (scope.size > 0 && ++bound > maxBound) {
      if (bound === maxBound + 1)
        run.report('FB2006', findPlace(spot), `more than ${maxBound} schemas`, 'fewer ways')
      members.push([name, replaceBrokenNode(run, to)])
      continue
    }
    members.push([
      name,
      copyNode(run, valueAt(spot.source.data, spot.pointer) ?? {}, shape, spot, to, {
        ...outermost,
        scope,
      }),
    ])
  }
  if (added.size === 0) return root
  const components = readOwn(root, 'components')
  const grown = [...added].map(([section, members]): [string, Json] => {
    const before = readOwn(components, section)
    return [
      section,
      Object.fromEntries([...Object.entries(isObject(before) ? before : {}), ...members]),
    ]
  })
  return {
    ...root,
    components: { ...(isObject(components) ? components : {}), ...Object.fromEntries(grown) },
  }
}

function createSpotFinder(grafts: ReadonlyMap<string, Spot>): Bundle['findSpot'] {
  const written = new Map(
    Array.from(grafts, ([to, { source, pointer }]) => {
      const { name, place } = source
      return [to, { source: { name, place }, pointer }]
    }),
  )
  const only = written.size === 1 ? written.get('') : undefined
  return (pointer) => {
    if (only) return { source: only.source, pointer }
    for (let base = pointer; ; base = base.slice(0, base.lastIndexOf('/'))) {
      const { source, pointer: start } = written.get(base) ?? {}
      if (source !== undefined) return { source, pointer: `${start}${pointer.slice(base.length)}` }
    }
  }
}

/** Far above real documents. Components that each refer to the next one twice exceed it. */
const maxCopies = 300_000

/** Longer pointers are a sign of endless nesting. */
const longestPointer = 20_000

/**
 * Copies a node from a source file to a pointer of the bundle. What does not change is not copied:
 * in a document of one file, that is nearly all.
 */
function copyNode(
  run: BundleRun,
  node: Json,
  shape: Shape,
  from: Spot,
  to: string,
  within: Within,
): Json {
  if (!isObject(node)) return node
  if (isTooLarge(run, from, to, within)) return replaceBrokenNode(run, to)
  const scope = shape === 'schema' ? run.scopes?.enterScope(within.scope, from) : undefined
  if (scope !== undefined && scope !== within.scope)
    return copyNode(run, node, shape, from, to, { ...within, scope })
  if (shape === 'schema' && Object.hasOwn(node, '$dynamicRef')) {
    const { node: replaced, target } = replaceDynamicRef(run, node, from, to, within.scope)
    if (target === undefined) return copyNode(run, replaced, shape, from, to, within)
    return copyReference(run, replaced, replaced['$ref'] as string, shape, from, to, within, target)
  }
  const ref = readOwn(node, '$ref')
  if (typeof ref === 'string' && shape !== 'document')
    return copyReference(run, node, ref, shape, from, to, within)
  if (ref !== undefined && shape !== 'document') {
    run.report(
      'FB2001',
      findPlace({ source: from.source, pointer: pointerTo(from.pointer, '$ref') }),
      show(ref),
      'a string',
    )
    return replaceBrokenNode(run, to)
  }
  return copyMembers(run, node, shape, from, to, { ...within, depth: within.depth + 1 })
}

/** Counts the copies, and reports a document that grows or nests without end. */
function isTooLarge(run: BundleRun, from: Spot, to: string, within: Within): boolean {
  if (within.again && ++run.copies > maxCopies) {
    if (run.copies === maxCopies + 1)
      run.report('FB1008', findPlace(from), `more than ${maxCopies} copied objects`, 'fewer copies')
    return true
  }
  if (within.depth <= deepest && to.length <= longestPointer) return false
  run.report('FB1007', findPlace(from), `more than ${deepest} levels`, 'a shallower structure')
  return true
}

function copyMembers(
  run: BundleRun,
  node: JsonObject,
  shape: Shape,
  from: Spot,
  to: string,
  within: Within,
): JsonObject {
  let changes: Map<string, Json | undefined> | undefined
  for (const key of Object.keys(node)) {
    const value = node[key] as Json
    if (shape === 'schema' && identifying.has(key)) {
      changes ??= new Map()
      changes.set(key, undefined)
      continue
    }
    const slot = typeof value === 'object' && value !== null ? findSlot(shape, key) : undefined
    const discriminates = shape === 'schema' && key === 'discriminator'
    if (slot === undefined && !discriminates) continue
    const child = { source: from.source, pointer: pointerTo(from.pointer, key) }
    const item =
      slot === undefined
        ? copyDiscriminator(run, value, child, pointerTo(to, key))
        : copySlot(
            run,
            value,
            slot,
            child,
            to === from.pointer ? child.pointer : pointerTo(to, key),
            within,
          )
    if (item !== value) {
      changes ??= new Map()
      changes.set(key, item)
    }
  }
  return changes === undefined ? node : applyChanges(node, changes)
}

function copySlot(
  run: BundleRun,
  value: Json,
  { shape, as }: Slot,
  from: Spot,
  to: string,
  within: Within,
): Json {
  if (as === 'one') return copyNode(run, value, shape, from, to, within)
  const child = (key: string | number, item: Json): Json => {
    if (!isObject(item)) return item
    const pointer = pointerTo(from.pointer, key)
    return copyNode(
      run,
      item,
      shape,
      { source: from.source, pointer },
      to === from.pointer ? pointer : pointerTo(to, key),
      within,
    )
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
  return changes === undefined ? value : applyChanges(value, changes)
}

/** The node with some of its members replaced or left out. */
function applyChanges(
  node: JsonObject,
  changes: ReadonlyMap<string, Json | undefined>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]): [string, Json][] => {
      const item = changes.has(key) ? changes.get(key) : value
      return item === undefined ? [] : [[key, item]]
    }),
  )
}

/** A discriminator whose mapping names the components of the bundle. */
function copyDiscriminator(
  { names, resolve, broken }: BundleRun,
  value: Json,
  from: Spot,
  to: string,
): Json {
  if (!isObject(value)) return value
  const [mapping, fallback] = [readOwn(value, 'mapping'), readOwn(value, 'defaultMapping')]
  const mapTarget = (target: Json, ...key: readonly string[]): Json => {
    if (typeof target !== 'string') return target
    if (names.isTaken('schemas', target)) return pointerTo('#/components/schemas', target)
    const resolved = resolve(target, from, {
      source: from.source,
      pointer: pointerTo(from.pointer, ...key),
    })
    if (resolved === undefined) broken.add(to)
    return resolved === undefined
      ? target
      : `#${names.componentPointer('schema', resolved.spot) ?? ''}`
  }
  if (!isObject(mapping) && fallback === undefined) return value
  const tags = isObject(mapping)
    ? Object.entries(mapping).map(([tag, target]): [string, Json] => [
        tag,
        mapTarget(target, 'mapping', tag),
      ])
    : []
  return {
    ...value,
    ...(isObject(mapping) && { mapping: Object.fromEntries(tags) }),
    ...(fallback !== undefined && { defaultMapping: mapTarget(fallback, 'defaultMapping') }),
  }
}

/**
 * Replaces a `$dynamicRef` by a `$ref`, with its target in this scope. If the node already has a
 * `$ref`, moves the `$dynamicRef` into a part of `allOf`.
 */
function replaceDynamicRef(
  run: BundleRun,
  node: JsonObject,
  from: Spot,
  to: string,
  scope: Scope,
): { readonly node: JsonObject; readonly target?: Target } {
  const { report, resolve, scopes, broken } = run
  const { $dynamicRef: ref, ...rest } = node
  const at: Spot = { source: from.source, pointer: pointerTo(from.pointer, '$dynamicRef') }
  if (typeof ref !== 'string') {
    broken.add(to)
    report('FB3002', findPlace(at), show(ref), 'a string')
    return { node: rest }
  }
  if (Object.hasOwn(rest, '$ref')) {
    const all = readOwn(rest, 'allOf')
    return { node: { ...rest, allOf: [...(isList(all) ? all : []), { $dynamicRef: ref }] } }
  }
  const found = resolve(ref, from, at)
  if (found === undefined) {
    broken.add(to)
    return { node: rest }
  }
  return { node: { $ref: ref, ...rest }, target: scopes?.target(ref, found, scope) ?? found }
}
