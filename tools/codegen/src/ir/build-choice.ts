import { isList, readOwn } from '../document/json.js'
import type { Json } from '../document/json.js'
import { findComponentKey } from '../document/shape.js'
import type { Context, LocatedNode } from './build-context.js'
import { findPossibleTypes } from '../document/types/possible-types.js'
import { canonicalize } from './schema.js'

/** Whether no value can match two of the options, judged by types and listed values. */
export function excludeEachOther(context: Context, options: readonly LocatedNode[]): boolean {
  const seen = new Set<string>()
  return options.every(({ node }) => {
    const marks = listMarks(context, node)
    const clash = marks.some(
      (mark) =>
        seen.has(mark) ||
        seen.has(mark.split(' ', 1)[0] ?? '') ||
        (!mark.includes(' ') && [...seen].some((other) => other.startsWith(`${mark} `))),
    )
    for (const mark of marks) seen.add(mark)
    return !clash
  })
}

/** The types of an option, or its values each with its type. */
function listMarks(context: Context, schema: Json): readonly string[] {
  const values = listValues(follow(context, schema))
  if (values === undefined || values.length > 200) return [...findPossibleTypes(context, schema)]
  return values.map(
    (value) =>
      `${value === null ? 'null' : isList(value) ? 'array' : typeof value} ${canonicalize(value)}`,
  )
}

/**
 * The property that distinguishes the options, if it really does: every option is an object that
 * requires it, with listed string values that no other option has. Otherwise the keyword is only a
 * hint (OpenAPI, discriminator object) without effect on validation.
 */
export function findDiscriminator(
  context: Context,
  discriminator: Json | undefined,
  options: readonly LocatedNode[],
): { readonly property: string; readonly tags: readonly (readonly string[])[] } | undefined {
  const property = readOwn(discriminator, 'propertyName')
  if (typeof property !== 'string') return undefined
  const seen = new Set<string>()
  const tags: (readonly string[])[] = []
  for (const { node } of options) {
    const types = findPossibleTypes(context, node)
    const facts = tagFacts(context, node, property, new Set())
    if (types.size !== 1 || !types.has('object') || !facts.required || facts.tags === undefined)
      return undefined
    for (const tag of facts.tags) {
      if (seen.has(tag)) return undefined
      seen.add(tag)
    }
    tags.push(Object.freeze([...facts.tags]))
  }
  return Object.freeze({ property, tags: Object.freeze(tags) })
}

type TagFacts = { readonly required: boolean; readonly tags: readonly string[] | undefined }

function tagFacts(context: Context, schema: Json, property: string, seen: Set<Json>): TagFacts {
  const node = follow(context, schema)
  if (seen.has(node)) return { required: false, tags: undefined }
  seen.add(node)
  const required = readOwn(node, 'required')
  const values = listValues(follow(context, readOwn(readOwn(node, 'properties'), property) ?? true))
  let facts: TagFacts = {
    required: isList(required) && required.includes(property),
    tags: values?.every((value) => typeof value === 'string') === true ? values : undefined,
  }
  const parts = readOwn(node, 'allOf')
  if (isList(parts)) {
    for (const part of parts) {
      const inner = tagFacts(context, part, property, seen)
      facts = {
        required: facts.required || inner.required,
        tags: intersect(facts.tags, inner.tags),
      }
    }
  }
  return facts
}

/** The values that both parts list. */
function intersect(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined {
  return a === undefined ? b : b === undefined ? a : a.filter((tag) => b.includes(tag))
}

function listValues(schema: Json): readonly Json[] | undefined {
  const constant = readOwn(schema, 'const')
  if (constant !== undefined) return [constant]
  const values = readOwn(schema, 'enum')
  return isList(values) && values.length > 0 ? values : undefined
}

/** The schema at the end of plain references. */
function follow(context: Context, schema: Json): Json {
  let node = schema
  for (let hops = 0; hops < 20; hops++) {
    const key = findComponentKey(node)
    if (key === undefined) return node
    node = context.components.get(key) ?? true
  }
  return true
}
