import type { Code } from '../../emit/code.js'
import { oncePer, resolveRef } from '../../emit/schemas.js'
import type { Api, Parameter } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import type { Entry } from './records.js'
import type { RuntimeImports } from './runtime-imports.js'

/** The facts of a parameter: its names, its style, and the functions that write it. */
export function listParameterEntries(
  api: Api,
  parameter: Parameter,
  runtime: RuntimeImports,
): readonly Entry[] {
  const { name, field, in: place, required, style, explode, allowReserved, mediaType } = parameter
  const isPlain =
    createScalarTest(api)(parameter.schema) &&
    !allowReserved &&
    mediaType === undefined &&
    style === plainStyle[place]
  return [
    ['name', name],
    ['field', field === name ? undefined : field],
    ['in', place === 'querystring' ? 'query' : place],
    ['style', isPlain ? undefined : style],
    ['explode', isPlain ? undefined : explode],
    ['allowReserved', allowReserved || undefined],
    ['mediaType', mediaType],
    [
      'write',
      isPlain && place !== 'querystring'
        ? runtime.parameters(plainWriter[place])
        : printWriter(parameter, runtime),
    ],
    ['put', runtime.parameters(putter[place])],
    ['missing', required ? runtime.parameters('rejectMissing') : undefined],
  ]
}

function printWriter({ in: place, style }: Parameter, runtime: RuntimeImports): Code {
  if (place === 'querystring') return runtime.more('querystring')('writeQueryString')
  return style === 'cookie'
    ? runtime.more('cookie-style')('writeCookie')
    : runtime.serialize('writeStyled')
}

const plainStyle = {
  path: 'simple',
  query: 'form',
  querystring: undefined,
  header: 'simple',
  cookie: 'form',
} as const
const plainWriter = {
  path: 'writeSegment',
  query: 'writePair',
  header: 'writeText',
  cookie: 'writePair',
} as const
const putter = {
  path: 'putPath',
  query: 'putQuery',
  querystring: 'putQuery',
  header: 'putHeader',
  cookie: 'putCookie',
} as const

/**
 * Whether every value of a schema is written the same way in all styles. Visits shared options
 * once.
 */
const createScalarTest = oncePer((api: Api) => {
  const isScalar = oncePer((schema: Schema): boolean => {
    const node = resolveRef(api, schema)
    if (node !== schema) return isScalar(node)
    if (node.kind === 'union' || node.kind === 'oneOf') return node.options.every(isScalar)
    if (node.kind === 'intersection') return node.parts.some(isScalar)
    if (node.kind === 'enum')
      return node.values.every((value) => typeof value !== 'object' || value === null)
    return (
      node.kind === 'string' ||
      node.kind === 'number' ||
      node.kind === 'boolean' ||
      node.kind === 'null'
    )
  })
  return isScalar
}, new WeakMap())
