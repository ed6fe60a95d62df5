import { readMedia } from '#file-system'
import type * as operations from '@farebox/client/operations'
import {
  formIds,
  InvalidInputError,
  UnexpectedResponseError,
} from '@farebox/client/operations/shared'
import * as withoutForms from '@farebox/client/operations/without-forms'
import { isRecord, readStart, untilAborted, type Body, type CallBody } from '@farebox/middleware'
import type { OperationId } from '@farebox/types/operations'
import { callStatistics, parseJson, runCall, type SendFor } from './call.js'
import { mediaField } from './local-media.js'
import type { Data, FareboxCallOptions, Methods } from './methods.js'
import type { Settings } from './options.js'
import { errorFromResponse } from './to-error.js'
import {
  toFareboxCall,
  toItems,
  toMedia,
  type CallResult,
  type FareboxCall,
  type Media,
} from './result.js'
import { FareboxError } from './error.js'

/** Calls an operation of the client. Throws every failure as a `FareboxError`. */
export type Perform = <Id extends OperationId>(
  id: Id,
  input?: object,
  options?: FareboxCallOptions,
) => Promise<CallResult<Data<Id>>>

/** One method for each operation. */
export function createMethods(perform: Perform): Methods {
  const ids = [...Object.keys(withoutForms), ...formIds] as OperationId[]
  const methods = ids.map(
    (id) =>
      [
        id,
        (input?: object, options?: FareboxCallOptions) =>
          toFareboxCall(perform(id, input, options)),
      ] as const,
  )
  return Object.fromEntries(methods) as unknown as Methods
}

export function createPerform(
  { baseUrl, maxResponseBytes, validation }: Settings,
  sendFor: SendFor,
): Perform {
  const loadedOperations: Partial<typeof operations> = { ...withoutForms }
  const perform = (
    id: OperationId,
    fields: object = {},
    options: FareboxCallOptions = {},
  ): Promise<CallResult<unknown>> =>
    runCall(id, options, sendFor, async (send, state) => {
      if (!isRecord(fields))
        throw new InvalidInputError(
          `${id}: the input is not an object of fields. Nothing was sent.`,
        )
      const { idempotencyKey, ...rest } = options
      const keyed = idempotencyKey === undefined ? fields : { ...fields, idempotencyKey }
      const input = hasLocalMedia(keyed) ? await readMedia(keyed) : keyed
      await validation?.validateInput(id, input)
      const context = { baseUrl, send, ...(maxResponseBytes !== undefined && { maxResponseBytes }) }
      const operation =
        loadedOperations[id] ?? (await loadForms(options.signal))[id as (typeof formIds)[number]]
      const result = await operation(context, input as never, rest)
      const { response } = result
      // events, and not a body
      if ('data' in result && isRecord(result.data) && 'lastEventId' in result.data) {
        const items = toItems(result.data, {
          operation: id,
          response,
          statistics: () => callStatistics(state),
          signal: options.signal,
          validate: (event) => validation?.validateResponse(id, response, event),
        })
        return { data: items, body: items, response }
      }
      await validation?.validateResponse(
        id,
        response,
        'error' in result ? result.error : result.data,
      )
      if ('error' in result)
        throw errorFromResponse(id, response, result.error, callStatistics(state))
      if ('stream' in input && input.stream === true)
        throw new UnexpectedResponseError(
          { id },
          'content_type',
          response,
          'is whole, and not the stream that was asked for',
        )
      const { data } = result
      const body = data instanceof Response ? toMedia(data) : data
      // the contract wraps some bodies in an envelope
      return { data: isRecord(body) && 'data' in body ? body['data'] : body, body, response }
    })
  return perform as Perform
}

/** Whether a field for media has an object where the contract has a string. */
function hasLocalMedia(input: Readonly<Record<string, unknown>>): boolean {
  for (const [name, value] of Object.entries(input))
    if (
      mediaField.test(name)
        ? [value].flat().some(isRecord)
        : Array.isArray(value) && value.some((item) => isRecord(item) && hasLocalMedia(item))
    )
      return true
  return false
}

/** The code of operations that send forms. Rejects as `loadCode` does, and at an abort. */
export function loadForms(signal?: AbortSignal) {
  return untilAborted(
    loadCode('forms', () => import('./forms.js')),
    signal,
  )
}

/** The options of a request that the contract does not cover. */
export type FareboxRequestOptions = FareboxCallOptions & {
  /** Added to the path. A value that is undefined is omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** A body that fetch accepts is sent as it is, anything else as JSON. */
  readonly body?: unknown
}

/**
 * Sends a request that the contract does not cover, with the credentials, retries and limits of the
 * operations. The path follows `baseUrl`. Returns a successful response, its body unread, and
 * throws a `FareboxError` with the whole body for any other.
 */
export type FareboxRequest = (
  method: string,
  path: string,
  options?: FareboxRequestOptions,
) => FareboxCall<Media>

export function createRequest(
  { baseUrl, maxResponseBytes = 2 ** 26 }: Settings,
  sendFor: SendFor,
): FareboxRequest {
  const request = (
    { query, body, ...options }: FareboxRequestOptions,
    method: string,
    path: string,
  ) =>
    runCall(undefined, options, sendFor, async (send, state) => {
      if (!/^\/(?!\/)/.test(path))
        throw new InvalidInputError('the path of a request begins with one slash, such as /models.')
      const headers = new Headers(options.headers)
      if (options.idempotencyKey !== undefined)
        headers.set('idempotency-key', options.idempotencyKey)
      const isJson = body !== undefined && !isBody(body)
      if (isJson && !headers.has('content-type')) headers.set('content-type', 'application/json')
      const encoded = isJson ? JSON.stringify(body) : ((body ?? null) as CallBody | null)
      const { signal } = options
      // fetch rejects these too, but with an error that does not say that nothing was sent
      if (
        /^(CONNECT|TRACE|TRACK)?$|[^!#$%&'*+.^`|~\w-]/i.test(method) ||
        (encoded !== null && /^(GET|HEAD)$/i.test(method))
      )
        throw new InvalidInputError(`${method} cannot be sent, or has no body.`)
      const response = await send({
        url: baseUrl + path + formatQuery(query, path),
        method: method.toUpperCase(),
        headers,
        body: encoded,
        ...(signal && { signal }),
      })
      if (response.ok) {
        const media = toMedia(response)
        return { data: media, body: media, response }
      }
      const { text, reader } = await readStart(response, maxResponseBytes)
      await reader?.cancel().catch(() => undefined)
      throw errorFromResponse(undefined, response, parseJson(text), callStatistics(state))
    })
  return (method, path, options = {}) => toFareboxCall(request(options, method, path))
}

function formatQuery(query: FareboxRequestOptions['query'] = {}, path: string): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? '' : `${path.includes('?') ? '&' : '?'}${new URLSearchParams(pairs)}`
}

/** Whether fetch accepts a value as a body: a string, bytes, a form, a stream or a body factory. */
function isBody(value: unknown): value is Body {
  const kinds = [Blob, ArrayBuffer, FormData, URLSearchParams, ReadableStream]
  return (
    typeof value === 'string' ||
    typeof value === 'function' ||
    ArrayBuffer.isView(value) ||
    kinds.some((kind) => value instanceof kind)
  )
}

/** Creates a value once. A failure is not kept: the next caller tries again. */
export function once<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () =>
    (value ??= create().catch((error: unknown) => {
      value = undefined
      throw error
    }))
}

/**
 * Loads code of the SDK that not every caller needs. It is a file of its own in bundles that are
 * split. Rejects with the `FareboxError` `not_loaded` if that file is gone or out of reach.
 */
export async function loadCode<Code>(what: string, load: () => Promise<Code>): Promise<Code> {
  try {
    return await load()
  } catch (cause) {
    throw new FareboxError(
      `The SDK's code for ${what} could not be loaded. Nothing was sent. Check the connection; if the page is older than its site, reload it.`,
      { code: 'not_loaded', attempts: 0, cause },
    )
  }
}
