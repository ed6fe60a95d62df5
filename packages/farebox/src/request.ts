import { InvalidInputError } from '@farebox/client/operations/shared'
import { readStart, type Body, type CallBody } from '@farebox/middleware'
import { reportBrokenBody } from './broken-body.js'
import type { Media } from './media.js'
import { mediaOf } from './media-of.js'
import type { FareboxCallOptions } from './call-options.js'
import type { Settings } from './options.js'
import { parsed, runCall, type SendOf } from './run-call.js'
import { fromAnswer } from './to-farebox-error.js'
import { callOf, type FareboxCall } from './with-response.js'

/** The options of a request that the contract does not cover. */
export type FareboxRequestOptions = FareboxCallOptions & {
  /** Added to the path. A value that is undefined is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** What fetch takes is sent as it is, anything else as JSON. */
  readonly body?: unknown
}

/**
 * Sends a request that the contract does not cover, with the credentials, retries and limits of the
 * operations. The path follows `baseUrl`. Gives a successful response, its body unread, and throws
 * a `FareboxError` with the whole body for any other.
 */
export type FareboxRequest = (method: string, path: string, options?: FareboxRequestOptions) => FareboxCall<Media>

export function requesting({ baseUrl, maxResponseBytes = 2 ** 26 }: Settings, sendOf: SendOf): FareboxRequest {
  const send = ({ query, body, ...options }: FareboxRequestOptions, method: string, path: string) =>
    runCall(undefined, options, sendOf, async (next, statistics) => {
      if (!/^\/(?!\/)/.test(path)) throw new InvalidInputError('the path of a request begins with one slash, such as /models.')
      const headers = new Headers(options.headers)
      const isJson = body !== undefined && !isWritten(body)
      if (isJson && !headers.has('content-type')) headers.set('content-type', 'application/json')
      const sent = isJson ? JSON.stringify(body) : ((body ?? null) as CallBody | null)
      const { signal } = options
      // fetch refuses the same, but not in a form that says that nothing was sent
      if (/^(CONNECT|TRACE|TRACK)?$|[^!#$%&'*+.^`|~\w-]/i.test(method) || (sent !== null && /^(GET|HEAD)$/i.test(method)))
        throw new InvalidInputError(`${method} cannot be sent, or has no body.`)
      const response = await next({
        url: baseUrl + path + queryOf(query, path),
        method: method.toUpperCase(),
        headers,
        body: sent,
        ...(signal && { signal }),
      })
      if (response.ok) {
        const media = mediaOf(reportBrokenBody(undefined, response, signal, statistics))
        return { data: media, body: media, response }
      }
      const { text, reader } = await readStart(response, maxResponseBytes)
      await reader?.cancel().catch(() => undefined)
      throw fromAnswer(undefined, response, parsed(text), statistics())
    })
  return (method, path, options = {}) => callOf(send(options, method, path))
}

function queryOf(query: FareboxRequestOptions['query'] = {}, path: string): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return given.length === 0 ? '' : `${path.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}

/** Whether fetch takes a value as a body: a text, bytes, a form, a stream or a body factory. */
function isWritten(value: unknown): value is Body {
  const kinds = [Blob, ArrayBuffer, FormData, URLSearchParams, ReadableStream]
  return (
    typeof value === 'string' || typeof value === 'function' || ArrayBuffer.isView(value) || kinds.some((kind) => value instanceof kind)
  )
}
