import { untilAborted } from './until-aborted.js'

/**
 * The body of a Request, in memory; `undefined` where it has none. Rejects with the reason of the
 * signal, or as the Request does when its body was read before.
 *
 * Bytes are the one form that every platform sends with its length and sends again: Chromium sends
 * the stream `request.body` over HTTP/2 alone, and Firefox has no `request.body`. A Blob would add
 * a Content-Type of its own, in lower case, where the Request has none.
 */
export async function readRequest(request: Request, signal?: AbortSignal): Promise<ArrayBuffer | undefined> {
  if (signal !== undefined) requests.set(signal, request)
  if (request.body === null) return undefined
  signal?.throwIfAborted()
  // a body that comes from a stream may never end
  const bytes = await untilAborted(request.arrayBuffer(), signal)
  // without `request.body`, an empty body and no body look the same
  return bytes.byteLength === 0 && !request.body ? undefined : bytes
}

/** Keeps a Request as long as its signal: Node 20 drops an abort with a collected Request. */
const requests = new WeakMap<AbortSignal, Request>()
