/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export type JsonObject = { readonly [key: string]: Json }

/** Narrows to an object that is not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A list, as `Array.isArray` does not narrow readonly ones. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/**
 * An own property: `constructor` and `__proto__` are ordinary names in a document.
 */
export function own(value: unknown, key: string): Json | undefined {
  if (!isObject(value)) return undefined
  // most members that are asked for do not exist
  const found = value[key]
  return found !== undefined && Object.hasOwn(value, key) ? found : undefined
}

/**
 * The depth of a value, and the number of its members at all levels. Below `limit` levels it counts
 * nothing.
 */
export function measure(
  data: Json,
  limit: number,
): { readonly depth: number; readonly members: number } {
  let [depth, members] = [0, 0]
  const visit = (value: Json, level: number): void => {
    if (typeof value !== 'object' || value === null) return
    if (level > depth) depth = level
    if (level > limit) return
    if (isList(value)) for (const item of value) visit(item, level + 1)
    else
      // twice as fast as by Object.values, which makes a list of each object
      for (const key in value) {
        members++
        visit(value[key] as Json, level + 1)
      }
  }
  visit(data, 0)
  return { depth, members }
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
  for (const segment of segments)
    pointer +=
      typeof segment === 'number' || !/[~/]/.test(segment)
        ? `/${segment}`
        : `/${escapeSegment(segment)}`
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
  if (!isList(node)) return own(node, segment)
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
