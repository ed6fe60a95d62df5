import { findBodyShape, contentKind } from '../../emit/content.js'
import { findDefault, listProperties, oncePer, resolveRef } from '../../emit/schemas.js'
import { listBodyFacts } from '../../emit/operation-facts.js'
import type { Api, Operation, Parameter, RequestBody, Response } from '../../ir/api.js'
import type { Json, Schema } from '../../ir/schema.js'

/** Defaults of the flat input's fields. */
export function collectInputDefaults(api: Api, { parameters, body }: Operation): Json {
  const fromParameters = parameters.map(
    ({ field, schema }) => [field, findDefault(api, schema)] as const,
  )
  return Object.fromEntries(
    [...fromParameters, ...listBodyDefaults(api, body)].filter(
      (pair): pair is readonly [string, Json] => pair[1] !== undefined,
    ),
  )
}

function listBodyDefaults(
  api: Api,
  body: RequestBody | undefined,
): readonly (readonly [string, Json | undefined])[] {
  const shape = body && findBodyShape(api, body)
  const schema = shape?.flatten === 'fields' ? body?.contents[0]?.schema : undefined
  if (shape === undefined || schema === undefined) return []
  const flat = listProperties(api, schema).filter(({ name }) => !shape.nested.includes(name))
  return flat.map(({ name, schema: property }) => [name, findDefault(api, property)] as const)
}

export function toParameterFacts(api: Api, parameter: Parameter): Json {
  const {
    name,
    field,
    in: place,
    required,
    style,
    explode,
    allowReserved,
    mediaType,
    schema,
    credential,
  } = parameter
  return {
    name,
    field,
    in: place,
    required,
    style,
    explode,
    type: createTypeFinder(api)(schema),
    ...(allowReserved && { allowReserved }),
    ...(mediaType !== undefined && { mediaType }),
    ...(credential && { credential }),
  }
}

/** How the string of a parameter is parsed. Visits shared options once. */
const createTypeFinder = oncePer((api: Api) => {
  const factType = oncePer((schema: Schema): string => {
    const node = resolveRef(api, schema)
    if (node !== schema) return factType(node)
    if (node.kind === 'number') return node.integer ? 'integer' : 'number'
    if (node.kind === 'boolean' || node.kind === 'array' || node.kind === 'object') return node.kind
    if (node.kind === 'enum') {
      const [type = 'string', ...others] = new Set(
        node.values.filter((value) => value !== null).map((value) => typeof value),
      )
      return others.length === 0 && (type === 'number' || type === 'boolean') ? type : 'string'
    }
    const inner =
      node.kind === 'union' || node.kind === 'oneOf'
        ? node.options
        : node.kind === 'intersection'
          ? node.parts
          : []
    const [type = 'string', ...others] = new Set(
      inner.filter(({ kind }) => kind !== 'null').map(factType),
    )
    return others.length === 0 ? type : 'string'
  })
  return factType
}, new WeakMap())

export function toBodyFacts(api: Api, body: RequestBody): Json {
  const { required, contents } = body
  const { flatten, fields } = findBodyShape(api, body)
  const known = listBodyFacts(api, body).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const { contentType = '', ...facts } = Object.fromEntries(known)
  return {
    required,
    contentType,
    contentTypes: contents.map(({ mediaType }) => mediaType),
    flatten,
    ...(flatten === 'fields' && { fields }),
    ...facts,
  }
}

export function toResponseFacts(api: Api, contents: Response['contents']): Json {
  const kinds = contents.map((content) => contentKind(content, api))
  const [kind = 'empty', ...others] = new Set(kinds)
  return {
    contentTypes: contents.map(({ mediaType }) => mediaType),
    kind: others.length > 0 ? 'mixed' : kind,
    ...(others.length > 0 && { kinds }),
  }
}
