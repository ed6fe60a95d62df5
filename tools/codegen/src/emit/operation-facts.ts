import { sentMethod } from '../ir/api.js'
import type { Api, Content, Operation, Parameter, RequestBody } from '../ir/api.js'
import { camelCase, uniqueNames } from '../ir/names.js'
import type { Json, Schema } from '../ir/schema.js'
import { omitUndefined } from '../ir/schema.js'
import { listProperties, oncePer, resolveRef } from './schemas.js'

export type Facts = readonly (readonly [name: string, value: Json | undefined])[]

/**
 * All facts of an operation. The table contains all of them, the client only those that a call
 * needs.
 */
export function listOperationFacts(operation: Operation): Facts {
  const { id, method, path, tags, security, idempotent, deprecated } = operation
  return [
    ['id', id],
    ['method', sentMethod(method)],
    ['path', path],
    ['tags', tags],
    ['security', security],
    ['idempotent', idempotent],
    ['deprecated', deprecated ? true : undefined],
    ...listExtensionFacts(operation),
  ]
}

/** How a client writes a body. Default: as its first media type. */
export function listBodyFacts(
  api: Api,
  { contents }: RequestBody,
  first: Content | undefined = contents[0],
): Facts {
  const files = first === undefined ? [] : listFileFields(api, first.schema)
  const alsoValues = first === undefined ? [] : listMixedFileFields(api, first.schema, files)
  const parts =
    first?.stream?.kind === 'parts'
      ? omitUndefined({ prefix: first.stream.prefix, rest: first.stream.rest })
      : undefined
  const encoding = Object.entries(first?.encoding ?? {}).map(
    ([name, facts]) => [name, { ...facts }] as const,
  )
  return [
    ['contentType', first?.mediaType ?? 'application/octet-stream'],
    ['files', files.length > 0 ? files : undefined],
    ['alsoValues', alsoValues.length > 0 ? alsoValues : undefined],
    ['parts', parts],
    ['encoding', encoding.length > 0 ? Object.fromEntries(encoding) : undefined],
  ]
}

/** The `x-` fields of an operation, by names that are unique among facts. */
export function listExtensionFacts(operation: Operation): Facts {
  const unique = uniqueNames(ownFacts)
  return Object.entries(operation.extensions)
    .filter(([name]) => name !== 'x-idempotent')
    .map(([name, value]) => [
      unique(camelCase(name.slice(2))),
      name === 'x-payment-info' ? simplifyPayment(operation) : simplifyFact(value),
    ])
}

function simplifyPayment({ payment }: Operation): Json | undefined {
  if (payment === undefined) return undefined
  const { minUsd, maxUsd, protocols } = payment
  return omitUndefined({ minUsd, maxUsd, protocols: protocols.join(' ') || undefined })
}

const ownFacts =
  'id method path tags security idempotent deprecated defaults parameters body responses'.split(' ')

/**
 * Keeps facts that a program can use: a flag, a number, a name, or a flat record of these. A
 * sentence becomes `true`; samples and prose are left out, and so is a flag that is false.
 */
function simplifyFact(value: Json): Json | undefined {
  if (value === false) return undefined
  if (typeof value === 'string') return value.length > 80 || /\s.*\.$/s.test(value) ? true : value
  if (value === null || typeof value !== 'object') return value
  return !Array.isArray(value) && Object.values(value).every((item) => typeof item !== 'object')
    ? value
    : undefined
}

/** The fields of a form that accept files. `body` if the body is a file. */
function listFileFields(api: Api, schema: Schema): readonly string[] {
  if (takesFile(api, schema)) return ['body']
  return [
    ...new Set(
      listProperties(api, schema, true).flatMap(({ name, schema: property }) =>
        takesFile(api, property) ? [name] : [],
      ),
    ),
  ]
}

function takesFile(api: Api, schema: Schema, seen: Set<Schema> = new Set()): boolean {
  const node = resolveRef(api, schema)
  if (seen.has(node)) return false
  seen.add(node)
  const again = (inner: Schema): boolean => takesFile(api, inner, seen)
  if (node.kind === 'union' || node.kind === 'oneOf') return node.options.some(again)
  if (node.kind === 'intersection') return node.parts.some(again)
  if (node.kind === 'array') return again(node.items) || node.prefix.some(again)
  return node.kind === 'binary'
}

/** The file fields that also accept other values, such as a URL. `body` for the body. */
function listMixedFileFields(
  api: Api,
  schema: Schema,
  files: readonly string[],
): readonly string[] {
  if (files.length === 0) return []
  if (takesFile(api, schema)) return isFileOnly(api, schema, new Set()) ? [] : ['body']
  const properties = listProperties(api, schema, true)
  return files.filter((field) =>
    properties.some(
      ({ name, schema: property }) => name === field && !isFileOnly(api, property, new Set()),
    ),
  )
}

/** Whether a schema accepts only files, lists of files and null. */
function isFileOnly(api: Api, schema: Schema, known: Set<Schema>): boolean {
  const node = resolveRef(api, schema)
  if (known.has(node)) return true
  known.add(node)
  const again = (inner: Schema): boolean => isFileOnly(api, inner, known)
  if (node.kind === 'union' || node.kind === 'oneOf') return node.options.every(again)
  if (node.kind === 'intersection') return node.parts.some(again)
  if (node.kind === 'array')
    return [...node.prefix, ...(node.items.kind === 'any' ? [] : [node.items])].every(again)
  return node.kind === 'binary' || node.kind === 'null' || node.kind === 'never'
}

/** Memoizes what is made of a parameter if several operations share it. Most belong to one. */
export function oncePerParameter<V>(
  api: Api,
  make: (parameter: Parameter) => V,
): (parameter: Parameter) => V {
  const shared = findSharedParameters(api)
  const makeOnce = oncePer(make)
  return (parameter) => (shared.has(parameter) ? makeOnce(parameter) : make(parameter))
}

const findSharedParameters = oncePer(({ operations }: Api): ReadonlySet<Parameter> => {
  const seen = new Set<Parameter>()
  const shared = new Set<Parameter>()
  for (const { parameters } of operations)
    for (const parameter of parameters) (seen.has(parameter) ? shared : seen).add(parameter)
  return shared
}, new WeakMap())
