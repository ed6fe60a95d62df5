import type { CallBody } from './call.js'
import { untilAborted } from './until-aborted.js'

/**
 * The body of a Request as a factory; `undefined` where it has none. The first attempt reads the
 * body into memory, and those that follow send the same bytes. Rejects with the reason of the
 * signal, or with a TypeError that nothing was sent where the body was read before or breaks off.
 *
 * Bytes are the one form that every platform sends with its length and sends again: Chromium sends
 * the stream `request.body` over HTTP/2 alone, and Firefox has no `request.body`. A Blob would add
 * a Content-Type of its own, in lower case, where the Request has none.
 */
export function readRequest(request: Request, signal?: AbortSignal): CallBody | undefined {
  if (signal !== undefined) requests.set(signal, request)
  if (request.body === null) return undefined
  let reading: Promise<ArrayBuffer | undefined> | undefined
  return () => (reading ??= read(request, signal))
}

async function read(request: Request, signal: AbortSignal | undefined): Promise<ArrayBuffer | undefined> {
  try {
    signal?.throwIfAborted()
    // a body that comes from a stream may never end
    const bytes = await untilAborted(request.arrayBuffer(), signal)
    // without `request.body`, an empty body and no body look the same
    return bytes.byteLength === 0 && !request.body ? undefined : bytes
  } catch (cause) {
    signal?.throwIfAborted()
    const error = new TypeError('The body of the Request cannot be read, so nothing was sent.', { cause })
    throw Object.assign(error, { retryable: false, mayHaveArrived: false })
  }
}

/** Keeps a Request as long as its signal: Node 20 drops an abort with a collected Request. */
const requests = new WeakMap<AbortSignal, Request>()
