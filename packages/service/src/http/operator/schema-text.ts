import { isRecord } from '../../platform/is-record.js'

export type Json = Readonly<Record<string, unknown>>

export type Field = { readonly name: string; readonly type: string; readonly required: boolean; readonly description: string }

/** Follows references within the document. */
export function resolve(document: Json, node: unknown): Json {
  let found: unknown = node
  for (let hop = 0; hop < 20 && isRecord(found) && typeof found['$ref'] === 'string'; hop++) {
    let target: unknown = document
    for (const part of found['$ref'].slice(2).split('/')) target = isRecord(target) ? target[decodeURIComponent(part)] : undefined
    found = target
  }
  return isRecord(found) ? found : {}
}

/** The members of an object, with those of its `allOf`. */
export function fieldsOf(document: Json, schema: unknown): readonly Field[] {
  const { properties, required, allOf } = resolve(document, schema)
  const needed = new Set(listOf(required))
  const own = Object.entries(isRecord(properties) ? properties : {}).map(([name, value]) => ({
    name,
    type: typeText(document, value),
    required: needed.has(name),
    description: textOf(isRecord(value) && value['description'] !== undefined ? value : resolve(document, value), 'description'),
  }))
  return [...own, ...listOf(allOf).flatMap((part) => fieldsOf(document, part))]
}

/** A short text for the type of a value. */
export function typeText(document: Json, node: unknown, depth = 0): string {
  const schema = resolve(document, node)
  const { type, format, items, const: only } = schema
  const choices = listOf(schema['enum'])
  if (only !== undefined) return JSON.stringify(only)
  if (choices.length > 0)
    return (
      choices
        .slice(0, 8)
        .map((value) => JSON.stringify(value))
        .join(' | ') + (choices.length > 8 ? ` | … (${choices.length} in all)` : '')
    )
  for (const word of ['oneOf', 'anyOf']) {
    const options = listOf(schema[word])
    if (options.length > 0 && depth < 3) return [...new Set(options.map((option) => typeText(document, option, depth + 1)))].join(' | ')
  }
  if (type === 'array') return `${typeText(document, items, depth + 1)}[]`
  const names = Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'object'
  const bounds = boundsOf(schema)
  return `${names}${typeof format === 'string' ? ` (${format})` : ''}${bounds === '' ? '' : `, ${bounds}`}`
}

function boundsOf(schema: Json): string {
  const { minimum, maximum, minLength, maxLength } = schema
  const unit = minLength !== undefined || maxLength !== undefined ? ' characters' : ''
  const [low, high] = [minimum ?? minLength, maximum ?? maxLength].map((bound) => (typeof bound === 'number' ? String(bound) : undefined))
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`
  if (low !== undefined) return `at least ${low}${unit}`
  return high === undefined ? '' : `at most ${high}${unit}`
}

export function textOf(node: Json, name: string): string {
  const value = node[name]
  return typeof value === 'string' ? value : ''
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
