import { bodyShape, contentKind } from '../../emit/content.js'
import { findDefault, resolveRef } from '../../emit/resolve.js'
import type { Api, Operation, Response } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'

/** The field with which a caller chooses between a whole body and its items. */
const field = 'stream'

/**
 * Whether `stream: true` in the input decides that the response has items: it has JSON or items
 * for one status, and the field of the body is a boolean that is not true by default.
 */
export function choosesStream(api: Api, { responses, body }: Operation): boolean {
  if (!responses.some((response) => hasStreamChoice(api, response))) return false
  if (body === undefined || body.contents.length !== 1) return false
  const { flatten, nested } = bodyShape(api, body)
  const [content] = body.contents
  if (flatten === 'body' || nested.includes(field) || content === undefined) return false
  const schema = findProperty(api, content.schema)
  return schema !== undefined && isBoolean(api, schema) && findDefault(api, schema) !== true
}

/** Whether a response is JSON or items of it. */
export function hasStreamChoice(api: Api, { contents }: Pick<Response, 'contents'>): boolean {
  return (
    contents.some(({ stream }) => stream !== undefined) &&
    contents.some(
      (content) => content.stream === undefined && contentKind(content, api) === 'json',
    ) &&
    contents.every((content) => content.stream || contentKind(content, api) === 'json')
  )
}

function findProperty(api: Api, schema: Schema): Schema | undefined {
  const found = resolveRef(api, schema)
  if (found.kind === 'object') return found.properties.find(({ name }) => name === field)?.schema
  if (found.kind !== 'intersection') return undefined
  const [first] = found.parts.flatMap((part) => findProperty(api, part) ?? [])
  return first
}

function isBoolean(api: Api, schema: Schema): boolean {
  const found = resolveRef(api, schema)
  return found.kind === 'union'
    ? found.options.every(({ kind }) => kind === 'boolean' || kind === 'null')
    : found.kind === 'boolean'
}
