import { toList, toObject, toText, type Json, type DocumentReader } from './read.js'
import type { Schema } from './schema.js'

const keptKeywords = [
  'type', 'format', 'const', 'default', 'pattern',
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength',
  'minItems', 'maxItems',
] // prettier-ignore
const keptLists = ['enum', 'examples', 'required']

/** Larger schemas are cut: what is below becomes a schema that allows anything, edited as JSON. */
const maxSchemas = 1500
const maxDepth = 12

/** Replaces each `$ref` by its target. A recursive schema becomes one that allows anything. */
export function inlineReferences(read: DocumentReader, node: unknown): Schema {
  let count = 0
  const inline = (one: unknown, within: readonly string[]): Schema => {
    const ref = toText(toObject(one)['$ref'])
    count++
    if (count > maxSchemas || within.length > maxDepth) return {}
    if (ref !== undefined && within.includes(ref)) return {}
    const deeper = [...within, ref ?? '']
    const schema = read(one)
    const many = (list: unknown) => toList(list).map((member) => inline(member, deeper))
    const { properties, items, anyOf, oneOf, allOf, description, example } = schema
    const own: Schema = {
      ...Object.fromEntries(
        keptKeywords.filter((name) => name in schema).map((name) => [name, schema[name]]),
      ),
      ...Object.fromEntries(
        keptLists.filter((name) => Array.isArray(schema[name])).map((name) => [name, schema[name]]),
      ),
      ...(example !== undefined && { examples: [example] }),
      ...(typeof description === 'string' && { description: takeFirstSentence(description) }),
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(toObject(properties)).map(([name, value]) => [
            name,
            inline(value, deeper),
          ]),
        ),
      }),
      ...(items !== undefined && { items: inline(items, deeper) }),
      ...(anyOf !== undefined && { anyOf: many(anyOf) }),
      ...(oneOf !== undefined && { oneOf: many(oneOf) }),
    }
    return allOf === undefined ? own : mergeAll([...many(allOf), own])
  }
  return inline(node, [])
}

/** All fields of the parts of an `allOf`, as one schema. */
function mergeAll(parts: readonly Schema[]): Schema {
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Json
  const required = [...new Set(parts.flatMap((part) => toList(part.required) as string[]))]
  const merged = Object.assign({}, ...parts) as Schema
  const hasFields = Object.keys(properties).length > 0
  return {
    ...merged,
    ...(hasFields && { properties: properties as NonNullable<Schema['properties']> }),
    ...(required.length > 0 && { required }),
  }
}

/** The list of fields on the page has the whole description. */
function takeFirstSentence(text: string): string {
  const [sentence = ''] = text
    .replaceAll('`', '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=\.) /)
  return sentence
}
