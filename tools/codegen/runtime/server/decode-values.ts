import type { ParameterFacts } from './operation-facts.js'
import { findItemShape, parseValue, type Leaves, type Shapes } from './shape.js'

/** A name and its value, as they are in a query or a cookie. */
export type Pair = readonly [name: string, value: string]

export type Shape = ParameterFacts['shape']

/** A string with broken escapes or JSON. */
export class BrokenText extends Error {}

/** One value is an array only where the schema takes nothing else. */
export function decodeSeveral(
  texts: readonly string[],
  shape: Shape,
  leaves: Leaves,
  shapes: Shapes,
): unknown {
  const [first = ''] = texts
  const isList = leaves.lists.length > 0 && (texts.length > 1 || leaves.scalars.length === 0)
  if (isList) return decodeItems(texts, leaves, shapes)
  return texts.length > 1 ? texts : parseValue(first, shape, shapes)
}

export function decodeItems(
  texts: readonly string[],
  leaves: Leaves,
  shapes: Shapes,
): readonly unknown[] {
  return texts.map((text, index) => parseValue(text, findItemShape(leaves, index), shapes))
}

export function groupItems<Item>(
  items: readonly Item[],
  toKey: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = toKey(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

export function unescapeValue(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new BrokenText('a broken escape')
  }
}

/** Sets a property of any name, `__proto__` too. */
export function define(record: object, name: string, value: unknown): void {
  Object.defineProperty(record, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
