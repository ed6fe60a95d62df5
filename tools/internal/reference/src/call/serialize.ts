import type { ParameterData } from '../contract/operation-data.js'

/** Formats a plain value for a path, a query, a form or an input. */
export function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

const delimiters: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|' }

/** The pairs of a query or a form for a value, by the style of its parameter. */
export function listPairs(
  {
    name,
    style = 'form',
    explode = style === 'form',
  }: Pick<ParameterData, 'name' | 'style' | 'explode'>,
  value: unknown,
): readonly (readonly [name: string, value: string])[] {
  if (value === undefined) return []
  if (style === 'json') return [[name, JSON.stringify(value)]]
  if (Array.isArray(value)) {
    const items = value.map(formatValue)
    if (style === 'deepObject') return items.map((item, index) => [`${name}[${index}]`, item])
    return explode
      ? items.map((item) => [name, item])
      : [[name, items.join(delimiters[style] ?? ',')]]
  }
  if (typeof value !== 'object' || value === null) return [[name, formatValue(value)]]
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (style === 'deepObject')
    return members.flatMap(([key, member]) => listPairs({ name: `${name}[${key}]`, style }, member))
  if (explode) return members.map(([key, member]) => [key, formatValue(member)])
  return [[name, members.flatMap(([key, member]) => [key, formatValue(member)]).join(',')]]
}

/** A value in a path, a header or a cookie: lists and objects with commas. */
export function joinValue(value: unknown, encode: (text: string) => string): string {
  if (Array.isArray(value)) return value.map((item) => encode(formatValue(item))).join(',')
  if (typeof value !== 'object' || value === null) return encode(formatValue(value ?? ''))
  return Object.entries(value)
    .flatMap(([key, member]) => [encode(key), encode(formatValue(member))])
    .join(',')
}
