/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export type JsonObject = { readonly [key: string]: Json }

/** Narrows to an object that is not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An array, as `Array.isArray` does not narrow readonly ones. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/** Whether an object has one of some members. */
export function hasAny(value: JsonObject, names: ReadonlySet<string>): boolean {
  for (const name in value) if (names.has(name)) return true
  return false
}

/**
 * An own property: `constructor` and `__proto__` are ordinary names in a document.
 */
export function readOwn(value: unknown, key: string): Json | undefined {
  if (!isObject(value)) return undefined
  // most members that are asked for do not exist
  const found = value[key]
  return found !== undefined && Object.hasOwn(value, key) ? found : undefined
}

/** What a file of a document has, which one walk finds. */
type Measure = {
  readonly depth: number
  /** The number of members at all levels. */
  readonly members: number
  /** Every `$ref` string and the targets of discriminators, including harmless ones in examples. */
  readonly references: ReadonlySet<string>
}

/** Measures a value. Below `limit` levels nothing counts. */
export function measure(data: Json, limit: number): Measure {
  let [depth, members] = [0, 0]
  const references = new Set<string>()
  const visit = (value: Json, level: number): void => {
    if (typeof value !== 'object' || value === null) return
    if (level > depth) depth = level
    if (level > limit) return
    if (isList(value)) for (const item of value) visit(item, level + 1)
    else
      // twice as fast as by Object.values, which makes an array of each object
      for (const key in value) {
        members++
        const member = value[key]
        if (typeof member === 'object') {
          visit(member, level + 1)
          if (key === 'mapping' && isObject(member))
            for (const target of Object.values(member))
              if (typeof target === 'string' && /[/.]/.test(target)) references.add(target)
        } else if (key === '$ref' && typeof member === 'string') references.add(member)
      }
  }
  visit(data, 0)
  return { depth, members, references }
}

/** The pointer to a value nested deeper than `limit`, if any. Not recursive. */
export function findTooDeep(data: Json, limit: number): string | undefined {
  const stack: { readonly node: Json; readonly pointer: string; readonly depth: number }[] = [
    { node: data, pointer: '', depth: 0 },
  ]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, pointer, depth } = next
    if (depth > limit) return pointer
    const children = isList(node) ? node.entries() : isObject(node) ? Object.entries(node) : []
    for (const [key, child] of children) {
      if (typeof child === 'object' && child !== null)
        stack.push({ node: child, pointer: pointerTo(pointer, key), depth: depth + 1 })
    }
  }
  return undefined
}

/** A child's pointer (RFC 6901). */
export function pointerTo(parent: string, ...segments: readonly (string | number)[]): string {
  let pointer = parent
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index] ?? ''
    pointer +=
      typeof segment === 'number' || !/[~/]/.test(segment)
        ? `/${segment}`
        : `/${escapeSegment(segment)}`
  }
  return pointer
}

function escapeSegment(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The value at a pointer (RFC 6901). Undefined if it does not exist. */
export function valueAt(root: Json, pointer: string): Json | undefined {
  let node: Json | undefined = root
  for (const segment of parsePointer(pointer)) node = childAt(node, segment)
  return node
}

/**
 * The child at one segment of a pointer. Elements have numbers without leading zeros; any string,
 * even an empty one, may be the name of a property.
 */
export function childAt(node: Json | undefined, segment: string): Json | undefined {
  if (!isList(node)) return readOwn(node, segment)
  return /^(?:0|[1-9]\d*)$/.test(segment) ? node[Number(segment)] : undefined
}

/** The segments of a pointer (RFC 6901); the empty pointer has none. */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return []
  const segments = pointer.split('/').slice(1)
  return pointer.includes('~')
    ? segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    : segments
}

/** Caches results by key. A call for the same key within `make` gets the start value. */
export function memoize<T>(known: Map<string, T>, key: string, start: T, make: () => T): T {
  if (!known.has(key)) {
    known.set(key, start)
    known.set(key, make())
  }
  return known.get(key) as T
}
