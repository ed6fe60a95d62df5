import { childAt, isList, isObject, pointerTo, parsePointer } from './json.js'
import type { Json, JsonObject } from './json.js'
import type { Source } from './source.js'

/** Where a value was written: a pointer into a file. */
export type Origin = { readonly source: Source; readonly pointer: string }

/** A value and where it was written. */
export type TracedValue = { readonly value: Json; readonly origin: Origin }

/** A document that can be changed, and still knows where each of its values was written. */
export type TracedDocument = {
  readonly root: JsonObject
  readonly at: (pointer: string) => TracedValue | undefined
  /** Where a value was written. For a missing one, where it would have been. */
  readonly findOrigin: (pointer: string) => Origin
  /** Removes all of these at once, so no removal changes what another pointer means. */
  readonly remove: (pointers: ReadonlySet<string>) => void
  /**
   * Merges an object into an object, joins an array to an array, appends anything else to an array, and
   * replaces other values (Overlay 1.2.0, "Action Object"). Throws an `OverlayFault` if kinds
   * differ.
   */
  readonly merge: (pointer: string, update: TracedValue) => void
}

/** An overlay cannot be applied: what was found and what was expected. */
export class OverlayFault extends Error {
  readonly expected: string

  constructor(found: string, expected: string) {
    super(found)
    this.expected = expected
  }
}

const sameKind = 'a value of the same kind; to replace one of another kind, remove it first'

/** Limit of values that merges add: copying a document into its parts would never end. */
const maxAddedValues = 1_000_000

/** The kind of a value in a merge. */
export function describeKind(value: Json): 'an array' | 'an object' | 'a primitive value' {
  return isList(value) ? 'an array' : isObject(value) ? 'an object' : 'a primitive value'
}

/** Copies a document. A value shared by YAML aliases is copied for each place. */
export function trace(source: Source, data: JsonObject): TracedDocument {
  const copier = createCopier()
  const root = copier.copy(data, () => undefined) as JsonObject
  const whole: TracedValue = { value: root, origin: { source, pointer: '' } }

  const walk = (
    pointer: string,
  ): { readonly nearest: TracedValue; readonly rest: readonly string[] } => {
    const segments = parsePointer(pointer)
    let nearest = whole
    for (const [index, segment] of segments.entries()) {
      const next = copier.member(nearest, segment)
      if (next === undefined) return { nearest, rest: segments.slice(index) }
      nearest = next
    }
    return { nearest, rest: [] }
  }
  const at = (pointer: string): TracedValue | undefined => {
    const { nearest, rest } = walk(pointer)
    return rest.length === 0 ? nearest : undefined
  }

  function mergeInto(target: TracedValue, update: TracedValue, pointer: string): void {
    for (const key of Object.keys(update.value as object)) {
      const item = copier.member(update, key) as TracedValue
      const [name, old] = isList(target.value)
        ? [String(target.value.length), undefined]
        : [key, copier.member(target, key)]
      if (old === undefined) copier.put(target.value, name, item)
      else if (describeKind(old.value) !== describeKind(item.value))
        throw new OverlayFault(
          `${describeKind(item.value)} for ${describeKind(old.value)} at ${pointerTo(pointer, key)}`,
          sameKind,
        )
      else if (describeKind(old.value) === 'a primitive value') copier.put(target.value, name, item)
      else mergeInto(old, item, pointerTo(pointer, key))
    }
  }

  return {
    root,
    at,
    findOrigin: (pointer) => {
      const { nearest, rest } = walk(pointer)
      return { ...nearest.origin, pointer: pointerTo(nearest.origin.pointer, ...rest) }
    },
    remove: (pointers) => {
      const keys = new Map<string, Set<string>>()
      for (const pointer of pointers) {
        const { parent, key } = splitPointer(pointer)
        keys.set(parent, (keys.get(parent) ?? new Set()).add(key))
      }
      // the deepest first, so that the other pointers stay valid
      for (const parent of [...keys.keys()].toSorted(
        (a, b) => parsePointer(b).length - parsePointer(a).length,
      ))
        copier.without(at(parent) as TracedValue, keys.get(parent) as Set<string>)
    },
    merge: (pointer, update) => {
      const target = at(pointer) as TracedValue
      if (isList(target.value) && !isList(update.value))
        copier.put(target.value, String(target.value.length), update)
      else if (describeKind(target.value) !== describeKind(update.value))
        throw new OverlayFault(
          `${describeKind(update.value)} for ${describeKind(target.value)} at ${pointer}`,
          sameKind,
        )
      else if (describeKind(target.value) === 'a primitive value') {
        const { parent, key } = splitPointer(pointer)
        copier.put((at(parent) as TracedValue).value, key, update)
      } else mergeInto(target, update, pointer)
    },
  }
}

function splitPointer(pointer: string): { readonly parent: string; readonly key: string } {
  return {
    parent: pointer.slice(0, pointer.lastIndexOf('/')),
    key: parsePointer(pointer).at(-1) ?? '',
  }
}

/** Copies values and tracks those that were written elsewhere than their container. */
function createCopier() {
  const moved = new WeakMap<Json & object, Map<string, Origin>>()
  let added = 0
  const add = () => {
    if (++added > maxAddedValues)
      throw new OverlayFault(
        `copies of more than ${maxAddedValues} values`,
        'copies that do not contain each other',
      )
  }

  function copy(value: Json, count: () => void = add): Json {
    count()
    if (!isList(value) && !isObject(value)) return value
    const copied = isList(value)
      ? value.map((item) => copy(item, count))
      : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item, count)]))
    const origins = moved.get(value)
    if (origins) moved.set(copied, new Map(origins))
    return copied
  }

  function member(
    { value, origin: { source, pointer } }: TracedValue,
    key: string,
  ): TracedValue | undefined {
    const child = childAt(value, key)
    if (child === undefined) return undefined
    return {
      value: child,
      origin: moved.get(value as Json & object)?.get(key) ?? {
        source,
        pointer: pointerTo(pointer, key),
      },
    }
  }

  function put(container: Json, key: string, { value, origin }: TracedValue): void {
    Object.defineProperty(container, key, {
      value: copy(value),
      writable: true,
      enumerable: true,
      configurable: true,
    })
    const origins = moved.get(container as Json & object) ?? new Map<string, Origin>()
    moved.set(container as Json & object, origins.set(key, origin))
  }

  function without(container: TracedValue, keys: ReadonlySet<string>): void {
    const { value } = container
    if (!isList(value)) {
      for (const key of keys) Reflect.deleteProperty(value as JsonObject, key)
      return
    }
    const kept = Object.keys(value).flatMap((key) =>
      keys.has(key) ? [] : [member(container, key) as TracedValue],
    )
    ;(value as Json[]).length = 0
    moved.set(value, new Map(kept.map(({ origin }, index) => [String(index), origin])))
    ;(value as Json[]).push(...kept.map((item) => item.value))
  }

  return { copy, member, put, without }
}
