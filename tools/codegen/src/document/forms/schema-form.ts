import { isList, isObject, type Json, memoize, readOwn, pointerTo } from '../json.js'
import { parseComponentKey, findComponentKey, findSlot, mapItems, mapMembers } from '../shape.js'
import { listSchemas, traits } from '../traits.js'

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
    if (readOwn(schema, mark) === true) return true
    const key = findComponentKey(schema)
    if (
      key !== undefined &&
      memoize(marked[mark], key, false, () => isMarked(components.get(key) ?? null, mark))
    )
      return true
    const parts = readOwn(schema, 'allOf')
    return isList(parts) && parts.some((part) => isMarked(part, mark))
  }

  function hiddenNames(schema: Json, mark: Mark): readonly string[] {
    if (!isObject(schema)) return []
    const properties = readOwn(schema, 'properties')
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
      for (const part of listParts(readOwn(schema, field), field))
        names.push(...hiddenNames(part, mark))
    return names
  }
}

function listParts(value: Json | undefined, field: string): readonly Json[] {
  if (value === undefined) return []
  if (isList(value)) return value
  return field === 'dependentSchemas' && isObject(value) ? Object.values(value) : [value]
}

/** The marks of the schemas of a document. Without any, both directions share all schemas. */
export function findMarks(root: Json): ReadonlySet<string> {
  const marks = new Set<string>()
  for (const schema of listSchemas(root, traits.readOnly | traits.writeOnly)) {
    if (schema['readOnly'] === true) marks.add('readOnly')
    if (schema['writeOnly'] === true) marks.add('writeOnly')
  }
  return marks
}

/** Everything that the form of a schema depends on. */
export type FormContext = {
  readonly components: ReadonlyMap<string, Json>
  readonly marks: Marks
  /** The mark of the properties that are left out. */
  readonly mark: Mark
  /** The components that have their own form, with its name. */
  readonly names: ReadonlyMap<string, string>
}

/** Replaces a property that is left out: no value is valid. */
const nothing: Json = false

const none: ReadonlySet<string> = new Set()

/**
 * Converts a schema to its form in one direction. `hidden`: property names that enclosing schemas
 * of the same value leave out.
 */
export function convertSchema(
  node: Json,
  context: FormContext,
  hidden: ReadonlySet<string> = none,
): Json {
  if (!isObject(node)) return node
  const here = new Set([...hidden, ...context.marks.hiddenNames(node, context.mark)])
  return mapMembers(node, (value, key) => convertField(key, value, context, here))
}

function convertField(
  key: string,
  value: Json,
  context: FormContext,
  here: ReadonlySet<string>,
): Json {
  const { mark, marks } = context
  if (key === '$ref') return convertReference(value, context)
  if (key === 'required' && isList(value))
    return value.some((name) => here.has(name as string))
      ? value.filter((name) => !here.has(name as string))
      : value
  if (key === 'discriminator') return convertDiscriminator(value, context)
  if (key === 'properties' && isObject(value))
    return mapMembers(value, (schema, name) =>
      here.has(name) || marks.isMarked(schema, mark) ? nothing : convertSchema(schema, context),
    )
  const slot = findSlot('schema', key)
  // a schema below `not` describes values that are not sent
  if (slot === undefined || key === 'not') return value
  const inner = inPlace.has(key) ? here : none
  if (slot.as === 'one') return convertSchema(value, context, inner)
  if (slot.as === 'list')
    return isList(value) ? mapItems(value, (item) => convertSchema(item, context, inner)) : value
  return isObject(value) ? mapMembers(value, (item) => convertSchema(item, context, inner)) : value
}

type RenameContext = Pick<FormContext, 'components' | 'names'>

function convertReference(ref: Json, { names }: Pick<RenameContext, 'names'>): Json {
  const key = parseComponentKey(ref)
  const form = key === undefined ? undefined : names.get(key)
  return form === undefined ? ref : formatReference(form)
}

/** Keeps the tags: without a mapping, a tag is the name of the schema, and its form has another. */
export function convertDiscriminator(value: Json, context: RenameContext): Json {
  const { components, names } = context
  const mapping = readOwn(value, 'mapping')
  const entries = [...names].map(([key, form]): [string, Json] => [key, formatReference(form)])
  if (!isObject(value) || entries.length === 0) return value
  const converted = isObject(mapping)
    ? mapMembers(mapping, (target) =>
        convertReference(
          typeof target === 'string' && components.has(target) ? formatReference(target) : target,
          context,
        ),
      )
    : {}
  return {
    ...value,
    mapping: { ...(isObject(mapping) ? {} : Object.fromEntries(entries)), ...converted },
  }
}

function formatReference(key: string): string {
  return `#${pointerTo('/components/schemas', key)}`
}
