import type { ResponseFacts, OperationFacts, WriteBody, SerializedBody } from './operation-facts.js'
import { serializeParameter } from '../client/serialize.js'
import { toJsonType } from '../client/text.js'
import { rankByParameters, stripParameters } from './media-type.js'

/** What a handler responds with, as this runtime sees it. The generated types say more. */
export type AnyResponse = {
  readonly status: number
  readonly contentType?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, unknown>>
}

/** Makes the response of what a handler returns. Throws for one that is not declared. */
export function writeResponse(
  operation: OperationFacts,
  { status, contentType, body, headers = {} }: AnyResponse,
): Response {
  const contents = findContents(operation, status)
  if (contents === undefined)
    throw new TypeError(
      `${operation.id}: the handler responded ${status}, which the document does not declare.`,
    )
  const content = findContent(contents, contentType)
  if (contents.length > 0 && content === undefined)
    throw new TypeError(
      `${operation.id}: the handler responded ${status} as ${contentType}, which the document does not declare.`,
    )
  const all = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    const isCookies = name.toLowerCase() === 'set-cookie' && Array.isArray(value)
    for (const one of isCookies ? (value as readonly unknown[]) : [value]) {
      const text = serializeParameter({ name, in: 'header', style: 'simple', explode: false }, one)
      if (text !== undefined) all[isCookies ? 'append' : 'set'](name, text)
    }
  }
  if (content === undefined || operation.method === 'HEAD')
    return new Response(null, { status, headers: all })
  const type = chooseType(contentType ?? content.type, content, body)
  const boundary = content.hasParts === true ? `farebox-${crypto.randomUUID()}` : ''
  const written = boundary === '' ? type : `${type.replace(/;.*/s, '')}; boundary=${boundary}`
  all.set('content-type', /^text\/[^;]*$/.test(written) ? `${written};charset=UTF-8` : written)
  return new Response(content.write(body, boundary), { status, headers: all })
}

/** A range is no type that can be sent: the value decides. */
function chooseType(type: string, { write }: ResponseFacts, body: unknown): string {
  if (!type.includes('*')) return type
  if (write === writeJson) return toJsonType(type)
  if (body instanceof Blob && body.type !== '') return body.type
  return write === writeText ? 'text/plain' : 'application/octet-stream'
}

/**
 * A status without a body has none, even if one is declared. An operation that declares no response
 * may respond with any status, without a body.
 */
function findContents(
  { responses }: OperationFacts,
  status: number,
): readonly ResponseFacts[] | undefined {
  if (Object.keys(responses).length === 0) return []
  const range = `${String(status).charAt(0)}XX`
  const key = [String(status), range, 'default'].find((one) => Object.hasOwn(responses, one))
  if (key === undefined) return undefined
  return status === 204 || status === 205 || status === 304 ? [] : responses[key]
}

function findContent(
  declared: readonly ResponseFacts[],
  type: string | undefined,
): ResponseFacts | undefined {
  if (type === undefined) return declared[0]
  const contents = rankByParameters(declared, type)
  const found = stripParameters(type)
  return (
    contents.find((content) => stripParameters(content.type) === found) ??
    contents.find(
      (content) =>
        content.type.endsWith('/*') && found.startsWith(stripParameters(content.type).slice(0, -1)),
    ) ??
    contents.find((content) => content.type === '*/*')
  )
}

export const writeJson: WriteBody = (value) => JSON.stringify(value)

export const writeText: WriteBody = (value) => String(value)

export const writeBytes: WriteBody = (value) => value as SerializedBody
