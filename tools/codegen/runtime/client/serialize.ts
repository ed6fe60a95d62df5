import type { ParameterFacts } from './call.js'
import { encodeStrictly, isJson, isRecord, toPlainString } from './text.js'

/**
 * Writes a parameter in its OpenAPI style (OpenAPI 3.1.1, "Style Examples"; RFC 6570). A path
 * parameter gives the text of its segment, a query parameter `name=value` pairs joined by `&`, a
 * header its value, a cookie `name=value`. `undefined` if the parameter is left out: it has no
 * value, or is an array or a record without members (RFC 6570, section 2.3).
 */
export function serializeParameter(parameter: StyledParameter, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const write = createWriter(parameter)
  if (parameter.mediaType !== undefined) {
    const text = isJson(parameter.mediaType) ? JSON.stringify(value) : toPlainString(value)
    const isHeader = parameter.in === 'header' && isJson(parameter.mediaType)
    return assign(write, parameter, write.value(isHeader ? escapeNonAscii(text) : text))
  }
  if (Array.isArray(value)) return serializeList(parameter, dropNullish(value), write)
  if (isRecord(value)) return serializeRecord(parameter, listEntries(value), write)
  return serializeScalar(parameter, write.value(toPlainString(value)), write)
}

/** The facts that determine the text of a parameter. */
export type StyledParameter = Pick<
  ParameterFacts,
  'name' | 'in' | 'allowReserved' | 'mediaType'
> & {
  readonly style: string
  readonly explode: boolean
}

/** Writes an array, a record, or a parameter with a style of its own. */
export function writeStyled(
  { style = 'form', explode = style === 'form', ...parameter }: ParameterFacts,
  value: unknown,
): string | undefined {
  return serializeParameter({ ...parameter, style, explode }, value)
}

/** How a parameter in a given place writes its name, its keys and its values. */
type Write = { readonly name: (text: string) => string; readonly value: (text: string) => string }

type Entry = readonly [key: string, value: unknown]

function serializeScalar(parameter: StyledParameter, value: string, write: Write): string {
  if (parameter.style === 'label') return `.${value}`
  if (parameter.style === 'matrix') return formatMatrix(write.name(parameter.name), value)
  return assign(write, parameter, value)
}

function serializeList(
  parameter: StyledParameter,
  values: readonly unknown[],
  write: Write,
): string | undefined {
  if (values.length === 0) return undefined
  const { style, explode } = parameter
  const items = values.map((value) => write.value(toPlainString(value)))
  const name = write.name(parameter.name)
  if (style === 'label') return `.${items.join(explode ? '.' : ',')}`
  if (style === 'matrix')
    return explode
      ? items.map((item) => formatMatrix(name, item)).join('')
      : formatMatrix(name, items.join(','))
  if (style === 'simple') return items.join(',')
  if (style === 'deepObject')
    return items.map((item) => `${name}${write.name('[]')}=${item}`).join('&')
  if (explode) return items.map((item) => `${name}=${item}`).join(chooseSeparator(parameter))
  return `${name}=${items.join(delimiters[style] ?? ',')}`
}

function serializeRecord(
  parameter: StyledParameter,
  entries: readonly Entry[],
  write: Write,
): string | undefined {
  if (entries.length === 0) return undefined
  const { style, explode } = parameter
  const name = write.name(parameter.name)
  if (style === 'deepObject')
    return serializeNested(parameter.name, entries, write).join('&') || undefined
  // an array in a record is as undefined here as in RFC 6570; services read one pair for each item
  const pairs = entries.flatMap(([key, value]) =>
    (explode && style === 'form' && Array.isArray(value) ? dropNullish(value) : [value]).map(
      (item) => [write.name(key), write.value(toPlainString(item))] as const,
    ),
  )
  const assigned = pairs.map((pair) => pair.join('='))
  const flat = pairs.flat()
  if (style === 'label') return explode ? `.${assigned.join('.')}` : `.${flat.join(',')}`
  if (style === 'matrix')
    return explode
      ? pairs.map(([key, item]) => formatMatrix(key, item)).join('')
      : formatMatrix(name, flat.join(','))
  if (style === 'simple') return (explode ? assigned : flat).join(',')
  if (explode) return assigned.join(chooseSeparator(parameter)) || undefined
  return `${name}=${flat.join(delimiters[style] ?? ',')}`
}

function serializeNested(
  prefix: string,
  entries: readonly Entry[],
  write: Write,
): readonly string[] {
  return entries.flatMap(([key, value]) => {
    const path = `${prefix}[${key}]`
    if (isRecord(value)) return serializeNested(path, listEntries(value), write)
    const items = Array.isArray(value) ? dropNullish(value) : [value]
    return items.map((item) => `${write.name(path)}=${write.value(toPlainString(item))}`)
  })
}

/** An empty value has no equals sign (RFC 6570, section 3.2.7). */
function formatMatrix(name: string, value: string): string {
  return value === '' ? `;${name}` : `;${name}=${value}`
}

const delimiters: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

function chooseSeparator({ in: place }: StyledParameter): string {
  return place === 'cookie' ? '; ' : '&'
}

function assign(write: Write, { in: place, name }: StyledParameter, value: string): string {
  return place === 'query' || place === 'cookie' ? `${write.name(name)}=${value}` : value
}

/**
 * A header is not escaped. A path has no raw `?`, which would end it. Elsewhere all characters but RFC 3986's unreserved ones are escaped.
 * With allowReserved, reserved characters and escapes stay (RFC 6570, section 3.2.3), except those
 * that would end the value or the query: `#[]&+`.
 */
function createWriter({ in: place, allowReserved = false }: StyledParameter): Write {
  if (place === 'header') return { name: keepUnchanged, value: keepUnchanged }
  const reserved = place === 'path' ? encodePath : encodeUnreserved
  return { name: encodeStrictly, value: allowReserved ? reserved : encodeStrictly }
}

/** JSON in the characters of a header (RFC 9110, section 5.5). */
function escapeNonAscii(json: string): string {
  return json.replace(
    /[^\x20-\x7E]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function keepUnchanged(value: string): string {
  return value
}

function encodeUnreserved(value: string): string {
  return value.replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?@!$'()*,;=%]/gu, encodeStrictly)
}

function encodePath(value: string): string {
  return encodeUnreserved(value).replaceAll('?', '%3F')
}

function dropNullish(values: readonly unknown[]): readonly unknown[] {
  return values.filter((value) => value !== undefined && value !== null)
}

function listEntries(value: Readonly<Record<string, unknown>>): readonly Entry[] {
  return Object.entries(value).filter(([, item]) => item !== undefined && item !== null)
}
