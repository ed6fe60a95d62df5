import * as withoutForms from '@farebox/client/operations/without-forms'
import type * as operations from '@farebox/client/operations'
import { readMedia } from '#file-system'
import { formIds, InvalidInputError } from '@farebox/client/operations/shared'
import { type Body, type CallBody, isRecord, readStart, untilAborted } from '@farebox/middleware'
import type { OperationId } from '@farebox/types/operations'
import { parsed, runCall, type SendOf } from './call.js'
import { loaded } from './lazy.js'
import { namesFile } from './local-media.js'
import { mediaOf, reportBrokenBody } from './media-body.js'
import type { Data, FareboxCallOptions, Media, Methods } from './methods.js'
import type { Settings } from './options.js'
import { fromAnswer } from './to-error.js'
import { type Answered, callOf, type FareboxCall } from './with-response.js'

/** Calls an operation of the client. Throws every failure as a `FareboxError`. */
export type Perform = <Id extends OperationId>(id: Id, input?: object, options?: FareboxCallOptions) => Promise<Answered<Data<Id>>>

/** One method for each operation. */
export function operationMethods(perform: Perform): Methods {
  const ids = [...Object.keys(withoutForms), ...formIds] as OperationId[]
  const methods = ids.map((id) => [id, (input?: object, options?: FareboxCallOptions) => callOf(perform(id, input, options))] as const)
  return Object.fromEntries(methods) as unknown as Methods
}

export function performing({ baseUrl, maxResponseBytes, validation }: Settings, sendOf: SendOf): Perform {
  const atOnce: Partial<typeof operations> = { ...withoutForms }
  const perform = (id: OperationId, given: object = {}, options: FareboxCallOptions = {}): Promise<Answered<unknown>> =>
    runCall(id, options, sendOf, async (send, statistics) => {
      if (!isRecord(given)) throw new InvalidInputError(`${id}: the input is not an object of fields. Nothing was sent.`)
      const input = namesFile(given) ? await readMedia(given) : given
      await validation?.validateInput(id, input)
      const context = { baseUrl, send, ...(maxResponseBytes !== undefined && { maxResponseBytes }) }
      const call = atOnce[id] ?? (await formPart(options.signal))[id as (typeof formIds)[number]]
      const result = await call(context, input as never, options)
      const { response } = result
      await validation?.validateAnswer(id, response, 'error' in result ? result.error : result.data)
      if ('error' in result) throw fromAnswer(id, response, result.error, statistics())
      const { data } = result
      const body = data instanceof Response ? mediaOf(reportBrokenBody(id, data, options.signal, statistics)) : data
      return { data: subjectOf(body), body, response }
    })
  return perform as Perform
}

/** The code of operations that send forms. Rejects as `loaded` does, and at an abort. */
export function formPart(signal?: AbortSignal) {
  return untilAborted(
    loaded('forms', () => import('./forms.js')),
    signal,
  )
}

/** The subject of a response: what its envelope holds in `data`, or else the whole. */
function subjectOf(body: unknown): unknown {
  return isRecord(body) && 'data' in body ? body['data'] : body
}

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
