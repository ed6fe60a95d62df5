import { sentMethod } from '../ir/api.js'
import type { Api, Content, Operation, RequestBody } from '../ir/api.js'
import { camelCase, uniqueNames } from '../ir/names.js'
import type { Json } from '../ir/schema.js'
import { alsoValueFields, fileFields } from './file-fields.js'
import { withoutUndefined } from './without-undefined.js'

export type Facts = readonly (readonly [name: string, value: Json | undefined])[]

/**
 * The facts of an operation as a whole. The record has all of it, and the client those facts
 * that a call needs.
 */
export function operationFacts(operation: Operation): Facts {
  const { id, method, path, tags, security, idempotent, deprecated } = operation
  return [
    ['id', id],
    ['method', sentMethod(method)],
    ['path', path],
    ['tags', tags],
    ['security', security],
    ['idempotent', idempotent],
    ['deprecated', deprecated ? true : undefined],
    ...extensionFacts(operation),
  ]
}

/** How a client writes a body. Default: in its first media type. */
export function bodyFacts(api: Api, { contents }: RequestBody, first: Content | undefined = contents[0]): Facts {
  const files = first === undefined ? [] : fileFields(api, first.schema)
  const alsoValues = first === undefined ? [] : alsoValueFields(api, first.schema)
  const parts = first?.stream?.kind === 'parts' ? withoutUndefined({ prefix: first.stream.prefix, rest: first.stream.rest }) : undefined
  const encoding = Object.entries(first?.encoding ?? {}).map(([name, facts]) => [name, { ...facts }] as const)
  return [
    ['contentType', first?.mediaType ?? 'application/octet-stream'],
    ['files', files.length > 0 ? files : undefined],
    ['alsoValues', alsoValues.length > 0 ? alsoValues : undefined],
    ['parts', parts],
    ['encoding', encoding.length > 0 ? Object.fromEntries(encoding) : undefined],
  ]
}

/** The `x-` fields of an operation, by names that no other fact has. */
export function extensionFacts({ extensions }: Operation): Facts {
  const unique = uniqueNames(ownFacts)
  return Object.entries(extensions)
    .filter(([name]) => name !== 'x-idempotent')
    .map(([name, value]) => [unique(camelCase(name.slice(2))), factOf(value)])
}

const ownFacts = 'id method path tags security idempotent deprecated defaults parameters body responses'.split(' ')

/**
 * A flag, a figure, a name, or a flat record of such: what a program may decide by. Of a sentence
 * only stays that it is there; samples and prose stay in the document. A flag that is off is left
 * out.
 */
function factOf(value: Json): Json | undefined {
  if (value === false) return undefined
  if (typeof value === 'string') return value.length > 80 || /\s.*\.$/s.test(value) ? true : value
  if (value === null || typeof value !== 'object') return value
  return !Array.isArray(value) && Object.values(value).every((item) => typeof item !== 'object') ? value : undefined
}
