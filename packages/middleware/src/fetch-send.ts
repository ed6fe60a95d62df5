import type { Call, Send } from './call.js'
import { isResendable } from './is-resendable.js'

/**
 * The innermost send. A body factory is called once for each send; the caller's own signal is passed on, not a follower of it;
 * the headers are the call's own, which fetch copies. A redirect is followed only when `call.init` does not say otherwise.
 */
export function fetchSend(fetch: typeof globalThis.fetch): Send {
  // async, so that a body factory that throws rejects instead
  return async (call) => fetch(call.url, init(call))
}

function init(call: Call): RequestInit {
  const body = typeof call.body === 'function' ? call.body() : call.body
  return {
    ...call.init,
    method: call.method,
    headers: call.headers,
    ...(body !== undefined && body !== null && { body }),
    ...(call.signal && { signal: call.signal }),
    // the fetch standard asks for this word with every stream
    ...(!isResendable({ body }) && { duplex: 'half' }),
  }
}
