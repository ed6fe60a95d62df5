import type { OperationFacts, ParameterFacts, Place, Problem } from './operation-facts.js'
import { isJson } from '../client/text.js'
import { decodeDeepObject } from './decode-deep-object.js'
import {
  BrokenText,
  decodeItems,
  decodeSeveral,
  define,
  groupItems,
  unescapeValue,
  type Pair,
  type Shape,
} from './decode-values.js'
import {
  findFieldShape,
  findItemShape,
  listLeaves,
  parseValue,
  type Leaf,
  type Leaves,
  type Shapes,
} from './shape.js'

/** The parts of a request that hold parameters, still escaped. */
export type Texts = {
  readonly path: Readonly<Record<string, string>>
  readonly query: string
  readonly headers: Headers
}

type Values = Partial<Record<Place, unknown>>

/**
 * Reads all parameters as the client writes them (OpenAPI 3.1.1, "Style Examples"; RFC 6570). One
 * that is not sent has no field.
 */
export function decodeParameters(
  { parameters }: OperationFacts,
  texts: Texts,
  shapes: Shapes,
): { readonly values: Values; readonly problems: readonly Problem[] } {
  const values: Partial<Record<Place, Record<string, unknown>>> = {}
  const problems: Problem[] = []
  const query = parsePairs(texts.query, '&')
  const cookies = (texts.headers.get('cookie') ?? '')
    .split(';')
    .flatMap((text) => parsePairs(text.trim(), ';'))
  for (const parameter of parameters) {
    const { in: place, name } = parameter
    const key = place === 'headers' ? name.toLowerCase() : name
    try {
      if (place === 'querystring') {
        const whole = decodeQueryString(parameter, texts.query, shapes)
        if (whole !== undefined) Object.assign(values, { querystring: whole })
        continue
      }
      const rest = (pairs: readonly Pair[]) => listRest(parameters, parameter, pairs, shapes)
      const value = {
        path: () => decodePath(parameter, texts.path[name] ?? '', shapes),
        query: () =>
          isWithoutValue(parameter, query, shapes)
            ? undefined
            : decodePairs(parameter, listOwn(parameters, parameter, query), rest(query), shapes),
        headers: () => decodeHeader(parameter, texts.headers.get(name), shapes),
        cookies: () => decodePairs(parameter, cookies, rest(cookies), shapes),
      }[place]()
      const known = (values[place] ??= {})
      if (value !== undefined) define(known, key, value)
    } catch (error) {
      if (!(error instanceof BrokenText)) throw error
      problems.push({
        where: `${place}.${key}`,
        found: error.message,
        expected: `a string of the style ${parameter.style}`,
      })
    }
  }
  return { values, problems }
}

/** Whether the query names a parameter without a value, as `allowEmptyValue` lets it. */
function isWithoutValue(
  { name, shape, allowEmptyValue }: ParameterFacts,
  query: readonly Pair[],
  shapes: Shapes,
): boolean {
  if (allowEmptyValue !== true) return false
  const leaves = listLeaves(shape, shapes)
  const { scalars } =
    leaves.lists.length > 0 && leaves.scalars.length === 0
      ? listLeaves(findItemShape(leaves, 0), shapes)
      : leaves
  const isValue = (leaf: Leaf): boolean =>
    leaf.kind === 'values' ? leaf.values.includes('') : leaf.kind === 'text'
  return (
    scalars.length > 0 &&
    !scalars.some(isValue) &&
    query.every(([other, value]) => other !== name || value === '')
  )
}

/** Without the pairs that have the whole name of another parameter, such as `filter[id]`. */
function listOwn(
  parameters: readonly ParameterFacts[],
  own: ParameterFacts,
  pairs: readonly Pair[],
): readonly Pair[] {
  if (own.style !== 'deepObject') return pairs
  const others = parameters.filter((other) => other !== own && other.in === own.in)
  return pairs.filter(([name]) => !others.some((other) => other.name === name))
}

/**
 * The pairs for an exploded record: neither those of other parameters of its place, nor those of
 * members that only other exploded records name. Beside such a record it is only there if one of
 * its own members is.
 */
function listRest(
  parameters: readonly ParameterFacts[],
  own: ParameterFacts,
  pairs: readonly Pair[],
  shapes: Shapes,
): readonly Pair[] {
  const records = listExplodedRecords(own, shapes)
  if (records.length === 0) return []
  const names = new Set(records.flatMap(({ fields }) => Object.keys(fields)))
  const others = parameters.filter((other) => other !== own && other.in === own.in)
  const rivals = others.flatMap((other) => listExplodedRecords(other, shapes))
  if (rivals.length > 0 && names.size > 0 && !pairs.some(([name]) => names.has(name))) return []
  const takenNames = new Set([
    ...rivals.flatMap(({ fields }) => Object.keys(fields)).filter((name) => !names.has(name)),
    ...others.map(({ name }) => name),
  ])
  const deep = others.flatMap(({ name, style }) => (style === 'deepObject' ? [`${name}[`] : []))
  return pairs.filter(
    ([name]) => !takenNames.has(name) && !deep.some((prefix) => name.startsWith(prefix)),
  )
}

function listExplodedRecords(
  { style, explode, mediaType, shape }: ParameterFacts,
  shapes: Shapes,
): Leaves['records'] {
  const isExploded = explode && style !== 'deepObject' && mediaType === undefined
  return isExploded ? listLeaves(shape, shapes).records : []
}

/** The pairs of a query or of the text of a form. */
export function parsePairs(text: string, separator: '&' | ';'): readonly Pair[] {
  const isQuery = separator === '&'
  return text.split(separator).flatMap((part) => {
    if (part === '') return []
    const at = part.indexOf('=')
    const [name, value] = at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
    return [
      [
        unescapeName(isQuery ? name.replaceAll('+', ' ') : name),
        isQuery ? value.replaceAll('+', '%20') : value,
      ],
    ]
  })
}

/** What determines how a parameter is read. */
type Style = Pick<ParameterFacts, 'name' | 'in' | 'style' | 'explode' | 'mediaType' | 'shape'>

/** The value of a parameter of pairs. `rest`: the pairs for a record without a name of its own. */
export function decodePairs(
  parameter: Style,
  pairs: readonly Pair[],
  rest: readonly Pair[],
  shapes: Shapes,
): unknown {
  const { name, style, explode, mediaType, shape } = parameter
  const read = style === 'cookie' ? keepUnchanged : unescapeValue
  const values = pairs.filter(([other]) => other === name).map(([, value]) => value)
  const [first] = values
  if (mediaType !== undefined)
    return first === undefined ? undefined : decodeContent(mediaType, read(first), shape, shapes)
  const leaves = listLeaves(shape, shapes)
  if (style === 'deepObject' && first === undefined)
    return decodeDeepObject(name, pairs, leaves, shapes)
  if (!explode && style !== 'deepObject') {
    if (first === undefined) return undefined
    const value = decodeStructure(first.split(delimiters[style] ?? ','), leaves, shapes, read)
    return values.length > 1 || value === undefined
      ? decodeSeveral(values.map(read), shape, leaves, shapes)
      : value
  }
  if (first !== undefined) return decodeSeveral(values.map(read), shape, leaves, shapes)
  return leaves.records.length === 0 ? undefined : decodeExplodedRecord(rest, leaves, shapes, read)
}

/** An array or a record of parts; undefined for a scalar. */
function decodeStructure(
  parts: readonly string[],
  leaves: Leaves,
  shapes: Shapes,
  read: PartDecoder,
): unknown {
  const { scalars, lists, records } = leaves
  if (parts.length === 1 && scalars.length > 0) return undefined
  if (lists.length > 0) return decodeItems(parts.map(read), leaves, shapes)
  if (records.length === 0) return undefined
  if (parts.length % 2 === 1) throw new BrokenText(`${parts.length} parts, which are no pairs`)
  const entries = parts.flatMap((part, index) =>
    index % 2 === 0 ? [[read(part), parts[index + 1] ?? ''] as const] : [],
  )
  return decodeRecord(entries, leaves, shapes, read)
}

function decodeExplodedRecord(
  pairs: readonly Pair[],
  leaves: Leaves,
  shapes: Shapes,
  read: PartDecoder,
): unknown {
  const own = pairs.filter(([name]) => findFieldShape(leaves, name) !== undefined)
  if (own.length === 0) return undefined
  const record = {}
  for (const [name, group] of groupItems(own, ([key]) => key)) {
    const shape = findFieldShape(leaves, name) ?? { kind: 'any' }
    const texts = group.map(([, text]) => read(text))
    define(record, name, decodeSeveral(texts, shape, listLeaves(shape, shapes), shapes))
  }
  return record
}

function decodeRecord(
  entries: readonly Pair[],
  leaves: Leaves,
  shapes: Shapes,
  read: PartDecoder,
): object {
  const record = {}
  for (const [name, text] of entries)
    define(
      record,
      name,
      parseValue(read(text), findFieldShape(leaves, name) ?? { kind: 'any' }, shapes),
    )
  return record
}

type PartDecoder = (text: string) => string

function decodePath(
  { name, style, explode, mediaType, shape }: Style,
  text: string,
  shapes: Shapes,
): unknown {
  if (mediaType !== undefined) return decodeContent(mediaType, unescapeValue(text), shape, shapes)
  const leaves = listLeaves(shape, shapes)
  const structured = leaves.lists.length + leaves.records.length > 0
  const whole =
    style === 'label' ? text.replace(/^\./, '') : style === 'matrix' ? text.replace(/^;/, '') : text
  if (style === 'matrix') {
    const pairs = parsePairs(whole, ';')
    if (structured)
      return decodePairs({ name, in: 'path', style: 'form', explode, shape }, pairs, pairs, shapes)
    return parseValue(
      unescapeValue(pairs.find(([other]) => other === name)?.[1] ?? ''),
      shape,
      shapes,
    )
  }
  const parts = whole.split(style === 'label' && explode ? '.' : ',')
  return structured
    ? decodeParts(parts, explode, shape, leaves, shapes, unescapeValue)
    : parseValue(unescapeValue(whole), shape, shapes)
}

function decodeHeader(
  { explode, mediaType, shape }: Style,
  text: string | null,
  shapes: Shapes,
): unknown {
  if (text === null) return undefined
  if (mediaType !== undefined) return decodeContent(mediaType, text, shape, shapes)
  const leaves = listLeaves(shape, shapes)
  if (leaves.lists.length + leaves.records.length === 0) return parseValue(text, shape, shapes)
  // an empty header is a list without items (RFC 9110, section 5.6.1)
  const isEmpty = text.trim() === '' && leaves.scalars.length === 0
  return decodeParts(
    isEmpty ? [] : text.split(',').map((part) => part.trim()),
    explode,
    shape,
    leaves,
    shapes,
    keepUnchanged,
  )
}

/** An array, or a record whose pairs are joined if exploded. */
function decodeParts(
  parts: readonly string[],
  explode: boolean,
  shape: Shape,
  leaves: Leaves,
  shapes: Shapes,
  read: PartDecoder,
): unknown {
  const isRecord =
    explode &&
    leaves.records.length > 0 &&
    leaves.lists.length === 0 &&
    parts.every((part) => part.includes('='))
  if (isRecord) return decodeRecord(parts.map(splitPair(read)), leaves, shapes, read)
  return (
    decodeStructure(parts, leaves, shapes, read) ?? parseValue(read(parts.join(',')), shape, shapes)
  )
}

function splitPair(read: PartDecoder): (part: string) => Pair {
  return (part) => [read(part.slice(0, part.indexOf('='))), part.slice(part.indexOf('=') + 1)]
}

/** The whole query: a form of pairs, or one value in its media type. */
function decodeQueryString(
  { mediaType = '', shape }: ParameterFacts,
  query: string,
  shapes: Shapes,
): unknown {
  if (query === '') return undefined
  const leaves = listLeaves(shape, shapes)
  if (!/^application\/x-www-form-urlencoded\b/i.test(mediaType) || leaves.records.length === 0) {
    return decodeContent(mediaType, unescapeValue(query.replaceAll('+', '%20')), shape, shapes)
  }
  return decodeForm(parsePairs(query, '&'), shape, {}, shapes)
}

type Encoding = Readonly<
  Record<
    string,
    { readonly contentType?: string; readonly style?: string; readonly explode?: boolean }
  >
>

/**
 * The fields of a form of pairs: each as its encoding says, else one pair for each item of an array,
 * and JSON for a record.
 */
export function decodeForm(
  pairs: readonly Pair[],
  shape: Shape,
  encoding: Encoding,
  shapes: Shapes,
): object {
  const leaves = listLeaves(shape, shapes)
  const fields = {}
  const styled = Object.keys(encoding).filter(
    (name) => encoding[name]?.style !== undefined || encoding[name]?.explode !== undefined,
  )
  const declared = new Set([
    ...leaves.records.flatMap((record) => Object.keys(record.fields)),
    ...styled,
  ])
  const byName = groupItems(pairs, ([name]) => name)
  const isInsideStyled = (name: string): boolean =>
    styled.some((field) =>
      isInside(name, field, encoding[field]?.style, findFieldShape(leaves, field), shapes),
    )
  for (const name of new Set([...declared, ...byName.keys()])) {
    if (!declared.has(name) && isInsideStyled(name)) continue
    const of = findFieldShape(leaves, name) ?? { kind: 'any' as const }
    const { style = 'form', explode = style === 'form', contentType } = encoding[name] ?? {}
    const isStyled = styled.includes(name)
    const mediaType =
      !isStyled && contentType !== undefined && isJson(contentType)
        ? { mediaType: contentType }
        : {}
    const own = isStyled ? pairs : (byName.get(name) ?? [])
    const value =
      own.length === 0
        ? undefined
        : decodePairs(
            { name, in: 'query', style, explode, ...mediaType, shape: of },
            own,
            own.filter(([other]) => !declared.has(other)),
            shapes,
          )
    if (value !== undefined) define(fields, name, value)
  }
  return fields
}

/** Whether a pair is a part of a field that is written as several. */
function isInside(
  name: string,
  field: string,
  style: string | undefined,
  shape: Shape | undefined,
  shapes: Shapes,
): boolean {
  if (style === 'deepObject') return name.startsWith(`${field}[`)
  return shape !== undefined && findFieldShape(listLeaves(shape, shapes), name) !== undefined
}

function decodeContent(mediaType: string, text: string, shape: Shape, shapes: Shapes): unknown {
  if (!isJson(mediaType)) return parseValue(text, shape, shapes)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new BrokenText('broken JSON')
  }
}

/** As in the client: between them the items of a value are escaped. */
const delimiters: Readonly<Record<string, RegExp>> = {
  spaceDelimited: /%20/,
  pipeDelimited: /%7C|\|/i,
}

/** A name with a broken escape is not one of ours. */
function unescapeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function keepUnchanged(text: string): string {
  return text
}
