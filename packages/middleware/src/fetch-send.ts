import type { Call, Send } from './call.js'
import { isResendable } from './is-resendable.js'

/**
 * The innermost send. A body factory is called once for each send; the caller's own signal is passed on, not a follower of it;
 * the headers are the call's own, which fetch copies. A redirect is followed only when `call.init` does not say otherwise.
 */
export function fetchSend(fetch: typeof globalThis.fetch): Send {
  // async, so that a body factory that throws rejects instead
  return async (call) => await fetch(call.url, initOf(call))
}

function initOf(call: Call): RequestInit {
  const { signal } = call
  // in V8 a key that is added to a spread costs ten times the assignment
  const made: RequestInit & { duplex?: 'half' } = Object.assign({}, call.init, { method: call.method, headers: call.headers })
  const body = typeof call.body === 'function' ? call.body() : call.body
  if (body !== undefined && body !== null) made.body = body
  if (signal) made.signal = signal
  // the fetch standard asks for this word with every stream
  if (!isResendable({ body })) made.duplex = 'half'
  return made
}
