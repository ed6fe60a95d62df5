import { inPlace } from './marks.js'
import type { Mark, Marks } from './marks.js'
import { isList, isObject, own, pointerTo } from '../json.js'
import type { Json } from '../json.js'
import { componentKey, findSlot, mapItems, mapMembers } from '../shape.js'

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

type Renamed = Pick<FormContext, 'components' | 'names'>

function convertReference(ref: Json, { names }: Pick<Renamed, 'names'>): Json {
  const key = componentKey(ref)
  const form = key === undefined ? undefined : names.get(key)
  return form === undefined ? ref : referenceTo(form)
}

/** Keeps the tags: without a mapping, a tag is the name of the schema, and its form has another. */
export function convertDiscriminator(value: Json, context: Renamed): Json {
  const { components, names } = context
  const mapping = own(value, 'mapping')
  const named = [...names].map(([key, form]): [string, Json] => [key, referenceTo(form)])
  if (!isObject(value) || named.length === 0) return value
  const converted = isObject(mapping)
    ? mapMembers(mapping, (target) =>
        convertReference(
          typeof target === 'string' && components.has(target) ? referenceTo(target) : target,
          context,
        ),
      )
    : {}
  return {
    ...value,
    mapping: { ...(isObject(mapping) ? {} : Object.fromEntries(named)), ...converted },
  }
}

function referenceTo(key: string): string {
  return `#${pointerTo('/components/schemas', key)}`
}
