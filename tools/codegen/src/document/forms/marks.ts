import { memoize, isList, isObject, own } from '../json.js'
import type { Json } from '../json.js'
import { findComponentKey } from '../shape.js'

/** The keyword that removes a property: `readOnly` in requests, `writeOnly` in responses. */
export type Mark = 'readOnly' | 'writeOnly'

/** Reads marks through references. Caches the result for each component. */
export type Marks = {
  /** Whether a property, a part of its `allOf` or its target has the mark. */
  readonly isMarked: (schema: Json, mark: Mark) => boolean
  /** The marked property names of a schema and of all that describe the same value. */
  readonly hiddenNames: (schema: Json, mark: Mark) => readonly string[]
}

/** Keywords whose schemas describe the same value as the schema around them. */
export const inPlace: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
])

export function createMarks(components: ReadonlyMap<string, Json>): Marks {
  const hidden = {
    readOnly: new Map<string, readonly string[]>(),
    writeOnly: new Map<string, readonly string[]>(),
  }
  const marked = { readOnly: new Map<string, boolean>(), writeOnly: new Map<string, boolean>() }
  return { isMarked, hiddenNames }

  function isMarked(schema: Json, mark: Mark): boolean {
    if (!isObject(schema)) return false
    if (own(schema, mark) === true) return true
    const key = findComponentKey(schema)
    if (
      key !== undefined &&
      memoize(marked[mark], key, false, () => isMarked(components.get(key) ?? null, mark))
    )
      return true
    const parts = own(schema, 'allOf')
    return isList(parts) && parts.some((part) => isMarked(part, mark))
  }

  function hiddenNames(schema: Json, mark: Mark): readonly string[] {
    if (!isObject(schema)) return []
    const properties = own(schema, 'properties')
    const names = isObject(properties)
      ? Object.keys(properties).filter((name) => isMarked(properties[name] ?? null, mark))
      : []
    const key = findComponentKey(schema)
    if (key !== undefined)
      names.push(
        ...memoize(hidden[mark], key, [], () => [
          ...new Set(hiddenNames(components.get(key) ?? null, mark)),
        ]),
      )
    for (const field of inPlace)
      for (const part of listParts(own(schema, field), field))
        names.push(...hiddenNames(part, mark))
    return names
  }
}

function listParts(value: Json | undefined, field: string): readonly Json[] {
  if (value === undefined) return []
  if (isList(value)) return value
  return field === 'dependentSchemas' && isObject(value) ? Object.values(value) : [value]
}

/** The marks anywhere in a document. Without any, both directions share all schemas. */
export function findMarks(root: Json): ReadonlySet<string> {
  const marks = new Set<string>()
  const stack: Json[] = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isList(node))
      for (const item of node) if (typeof item === 'object' && item !== null) stack.push(item)
    if (!isObject(node)) continue
    for (const key of Object.keys(node)) {
      const value = node[key]
      if (value === true && (key === 'readOnly' || key === 'writeOnly')) marks.add(key)
      else if (typeof value === 'object' && value !== null) stack.push(value)
    }
  }
  return marks
}
