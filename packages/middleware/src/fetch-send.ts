import type { Body, Call, Send } from './call.js'
import { isResendable } from './is-resendable.js'

/**
 * The innermost send. Calls a body factory once for each send. Passes the caller's own signal and
 * headers to fetch. Follows redirects, unless `call.init` says otherwise.
 */
export function fetchSend(fetch: typeof globalThis.fetch): Send {
  // async turns an error of a body factory into a rejection
  return async (call) => fetch(call.url, initOf(call, typeof call.body === 'function' ? await call.body() : call.body))
}

function initOf(call: Call, body: Body | null | undefined): RequestInit {
  const { signal } = call
  // in V8 a key that is added to a spread costs ten times the assignment
  const made: RequestInit & { duplex?: 'half' } = Object.assign({}, call.init, { method: call.method, headers: call.headers })
  if (body !== undefined && body !== null) made.body = body
  if (signal) made.signal = signal
  // the Fetch standard requires `duplex` with every stream
  if (!isResendable({ body })) made.duplex = 'half'
  return made
}
