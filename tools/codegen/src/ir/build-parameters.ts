import { show } from '../diagnostics.js'
import { isObject, readOwn, pointerTo } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import type { Parameter, ParameterStyle, SecurityScheme } from './api.js'
import { dereference, readItems, buildOnce, findOrigin, readNonEmpty } from './build-context.js'
import type { Context, LocatedNode } from './build-context.js'
import { readBoolean } from './build-keywords.js'
import { buildSchema, readNotes } from './build-schema.js'
import { toHeaderField, inputWords, pascalCase } from './names.js'
import type { Schema } from './schema.js'
import { omitUndefined } from './schema.js'

/** The parameters of an operation. Its own replace those of the path. */
export function buildParameters(
  context: Context,
  path: LocatedNode<JsonObject>,
  operation: LocatedNode<JsonObject>,
  schemes: readonly SecurityScheme[],
): readonly Parameter[] {
  const merged = new Map<string, Parameter>()
  for (const { node, pointer } of [path, operation]) {
    const listed = new Map<string, JsonObject>()
    for (const [index, item] of readItems(context, node, 'parameters', pointer).entries()) {
      const at = pointerTo(pointer, 'parameters', index)
      const target = dereference(context, { node: item, pointer: at })
      const parameter = target && buildParameter(context, target)
      if (target === undefined || parameter === undefined) continue
      const key = `${parameter.in} ${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`
      const other = listed.get(key)
      listed.set(key, target.node)
      // an identical duplicate is unambiguous
      if (
        other !== undefined &&
        other !== target.node &&
        JSON.stringify(other) !== JSON.stringify(target.node)
      )
        context.report(
          'FB4014',
          at,
          `a second ${parameter.in} parameter ${show(parameter.name)}`,
          'one of this name and place in a list',
        )
      merged.set(
        key,
        isCredential(parameter, schemes)
          ? Object.freeze({ ...parameter, credential: true })
          : parameter,
      )
    }
  }
  const all = [...merged.values()]
  const inQuery = all.filter(({ in: place }) => place === 'query' || place === 'querystring')
  const isWhole = inQuery.length > 1 && inQuery.some(({ in: place }) => place === 'querystring')
  if (isWhole)
    context.report(
      'FB4030',
      operation.pointer,
      `${inQuery.length} parameters in the query`,
      'only the querystring',
    )
  return all
}

/**
 * Makes sure that the path parameters are those of the template. An undeclared one is a string, and
 * others are left out.
 */
export function matchTemplates(
  context: Context,
  path: string,
  pointer: string,
  parameters: readonly Parameter[],
): readonly Parameter[] {
  const templates = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? ''))
  const declared = new Set(
    parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
  )
  const used = parameters.filter(({ in: place, name }) => {
    if (place !== 'path' || templates.has(name)) return true
    context.report('FB4003', pointer, `path parameter ${show(name)}`, `{${name}} in ${show(path)}`)
    return false
  })
  const missing = [...templates].filter((name) => !declared.has(name))
  for (const name of missing)
    context.report('FB4002', pointer, show(`{${name}}`), `a path parameter named ${show(name)}`)
  return [...missing.map((name) => createUndeclared(context, name, pointer)), ...used]
}

function createUndeclared(context: Context, name: string, pointer: string): Parameter {
  const notes = Object.freeze({ origin: findOrigin(context, pointer) })
  return Object.freeze({
    name,
    in: 'path',
    field: name,
    required: true,
    style: 'simple',
    explode: false,
    allowReserved: false,
    schema: Object.freeze({ kind: 'string', notes }),
    notes,
    credential: false,
  })
}

const places = ['path', 'query', 'querystring', 'header', 'cookie'] as const

/** Field names that are reserved for a body, even without one. */
const wordsOfBody: ReadonlySet<string> = new Set(Object.values(inputWords))

/**
 * Gives each parameter a unique field of the flat input. Of several with the same name, the one of
 * the highest place keeps it, and the others are prefixed by their place. A prefixed name is never
 * that of another parameter.
 */
export function settleFields(
  context: Context,
  pointer: string,
  parameters: readonly Parameter[],
): readonly Parameter[] {
  const inputs = places.flatMap((place) =>
    parameters.filter((parameter) => parameter.in === place && !parameter.credential),
  )
  const takenNames = new Set<string>(wordsOfBody)
  const kept = new Set(
    inputs.filter(({ field }) => !takenNames.has(field) && takenNames.add(field)),
  )
  const renamed = new Map<Parameter, Parameter>()
  for (const parameter of inputs.filter((one) => !kept.has(one))) {
    const { in: place, name } = parameter
    let { field } = parameter
    while (takenNames.has(field)) field = `${place}${pascalCase(field)}`
    takenNames.add(field)
    context.report(
      'FB4007',
      pointer,
      `${place} parameter ${show(name)}`,
      `a name of its own; it is now ${show(field)}`,
    )
    renamed.set(parameter, Object.freeze({ ...parameter, field }))
  }
  return Object.freeze(parameters.map((parameter) => renamed.get(parameter) ?? parameter))
}

/** The parameter, but for whether a security scheme sets it. */
const buildParameter = buildOnce((context, found): Parameter | undefined => {
  const { node, pointer } = found
  const [name, place] = [readNonEmpty(readOwn(node, 'name')), readOwn(node, 'in')]
  if (name === undefined || !isPlace(place)) {
    context.report(
      'FB4008',
      pointer,
      show({ name: name ?? null, in: place ?? null }),
      '`name`, and `in` as path, query, header or cookie; in OpenAPI 3.2 also querystring',
    )
    return undefined
  }
  if (
    place === 'header' &&
    ['accept', 'content-type', 'authorization'].includes(name.toLowerCase())
  ) {
    context.report('FB4010', pointer, `header ${show(name)}`, 'a header of your own')
    return undefined
  }
  const style = readStyle(context, found, place)
  const value = readParameterValue(context, found)
  return Object.freeze({
    name,
    in: place,
    field: place === 'header' ? toHeaderField(name) : name,
    required: place === 'path' || readBoolean(context, found, 'required') === true,
    style,
    explode: readBoolean(context, found, 'explode') ?? (style === 'form' || style === 'cookie'),
    allowReserved: readBoolean(context, found, 'allowReserved') === true,
    ...(place === 'query' &&
      readBoolean(context, found, 'allowEmptyValue') === true && { allowEmptyValue: true }),
    ...value,
    notes: readNotes(context, found),
    credential: false,
  })
})

function isCredential({ in: place, name }: Parameter, schemes: readonly SecurityScheme[]): boolean {
  return schemes.some(
    (scheme) =>
      scheme.kind === 'apiKey' &&
      scheme.in === place &&
      isSameName(place, scheme.parameter ?? '', name),
  )
}

/** A parameter has a `schema`, or `content` with one media type. */
export function readParameterValue(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
): { readonly schema: Schema; readonly mediaType?: string } {
  const schema = readOwn(node, 'schema')
  if (schema !== undefined)
    return {
      schema: buildSchema({ context }, { node: schema, pointer: pointerTo(pointer, 'schema') }),
    }
  const content = readOwn(node, 'content')
  const [first] = isObject(content) ? Object.entries(content) : []
  if (first === undefined)
    context.report('FB4009', pointer, 'neither schema nor content', 'a schema')
  const [mediaType, media] = first ?? []
  const at = mediaType === undefined ? pointer : pointerTo(pointer, 'content', mediaType, 'schema')
  return {
    schema: buildSchema({ context }, { node: readOwn(media, 'schema') ?? true, pointer: at }),
    ...omitUndefined({ mediaType }),
  }
}

function readStyle(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
  place: Parameter['in'],
): ParameterStyle {
  const style = readOwn(node, 'style')
  const [standard] = styles[place]
  if (style === undefined) return standard
  const known = styles[place].find((candidate) => candidate === style)
  if (known === undefined)
    context.report('FB4013', pointerTo(pointer, 'style'), show(style), styles[place].join(' or '))
  return known ?? standard
}

/** OpenAPI 3.2, section 4.12.2.3; the first of each is the default. */
const styles: { readonly [P in Parameter['in']]: readonly [ParameterStyle, ...ParameterStyle[]] } =
  {
    path: ['simple', 'label', 'matrix'],
    query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
    // its media type determines how it is written
    querystring: ['form'],
    header: ['simple'],
    cookie: ['form', 'cookie'],
  }

function isPlace(value: Json | undefined): value is Parameter['in'] {
  return typeof value === 'string' && Object.hasOwn(styles, value)
}

function isSameName(place: Parameter['in'], a: string, b: string): boolean {
  return place === 'header' ? a.toLowerCase() === b.toLowerCase() : a === b
}
