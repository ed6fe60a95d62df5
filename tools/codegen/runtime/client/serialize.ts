import type { ParameterFacts } from './call.js'

/**
 * A parameter as OpenAPI's styles write it (OpenAPI 3.1, "Style Values"; RFC 6570). `undefined` stands for "leave it out".
 * A path parameter gives the text of its place, a query parameter `name=value` pairs joined by `&`, a header its value,
 * a cookie `name=value`.
 */
export function serializeParameter(parameter: ParameterFacts, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const encode = encoderOf(parameter)
  if (parameter.mediaType !== undefined) return assign(parameter, encode(JSON.stringify(value)), encode)
  if (Array.isArray(value)) return list(parameter, defined(value), encode)
  if (isRecord(value)) return record(parameter, Object.entries(value).filter(([, item]) => item !== undefined && item !== null), encode)
  return single(parameter, encode(text(value)), encode)
}

type Encode = (text: string) => string

function single(parameter: ParameterFacts, value: string, encode: Encode): string {
  if (parameter.style === 'label') return `.${value}`
  if (parameter.style === 'matrix') return value === '' ? `;${encode(parameter.name)}` : `;${encode(parameter.name)}=${value}`
  return assign(parameter, value, encode)
}

function list(parameter: ParameterFacts, values: readonly unknown[], encode: Encode): string | undefined {
  const { style, explode } = parameter
  const items = values.map((value) => encode(text(value)))
  const name = encode(parameter.name)
  if (style === 'label') return `.${items.join(explode ? '.' : ',')}`
  if (style === 'matrix') return explode ? items.map((item) => `;${name}=${item}`).join('') : `;${name}=${items.join(',')}`
  if (style === 'simple') return items.join(',')
  if (items.length === 0) return undefined
  if (style === 'deepObject') return items.map((item) => `${name}${encode('[]')}=${item}`).join('&')
  if (explode) return items.map((item) => `${name}=${item}`).join(parameter.in === 'cookie' ? '; ' : '&')
  return `${name}=${items.join(delimiters[style] ?? ',')}`
}

function record(parameter: ParameterFacts, entries: readonly (readonly [string, unknown])[], encode: Encode): string | undefined {
  const { style, explode } = parameter
  const name = encode(parameter.name)
  if (style === 'deepObject') return nested(parameter.name, entries, encode).join('&') || undefined
  const pairs = entries.map(([key, value]) => [encode(key), encode(text(value))] as const)
  const assigned = pairs.map((pair) => pair.join('='))
  const flat = pairs.flat()
  if (style === 'label') return explode ? `.${assigned.join('.')}` : `.${flat.join(',')}`
  if (style === 'matrix') return explode ? assigned.map((pair) => `;${pair}`).join('') : `;${name}=${flat.join(',')}`
  if (style === 'simple') return (explode ? assigned : flat).join(',')
  if (pairs.length === 0) return undefined
  if (explode) return assigned.join(parameter.in === 'cookie' ? '; ' : '&')
  return `${name}=${flat.join(delimiters[style] ?? ',')}`
}

function nested(prefix: string, entries: readonly (readonly [string, unknown])[], encode: Encode): readonly string[] {
  return entries.flatMap(([key, value]) => {
    const path = `${prefix}[${key}]`
    if (isRecord(value)) return nested(path, Object.entries(value).filter(([, item]) => item !== undefined && item !== null), encode)
    if (Array.isArray(value)) return defined(value).map((item) => `${encode(path)}=${encode(text(item))}`)
    return [`${encode(path)}=${encode(text(value))}`]
  })
}

const delimiters: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

function assign(parameter: ParameterFacts, value: string, encode: Encode): string {
  return parameter.in === 'query' || parameter.in === 'cookie' ? `${encode(parameter.name)}=${value}` : value
}

/** Headers travel as they are; elsewhere all but RFC 3986's unreserved characters is escaped, and, with allowReserved, its reserved ones are kept. */
function encoderOf({ in: place, allowReserved = false }: ParameterFacts): Encode {
  if (place === 'header') return (value) => value
  if (!allowReserved) return encodeStrictly
  return (value) => value.replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu, encodeStrictly)
}

function encodeStrictly(value: string): string {
  return encodeURIComponent(value).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function defined(values: readonly unknown[]): readonly unknown[] {
  return values.filter((value) => value !== undefined && value !== null)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
