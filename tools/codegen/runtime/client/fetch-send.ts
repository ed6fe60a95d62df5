import type { Call, Send } from './call.js'

/** Sends a call with fetch. A body that is made anew for each attempt is made here; the caller's own signal goes along. */
export function fetchSend(fetch: typeof globalThis.fetch = (url, init) => globalThis.fetch(url, init)): Send {
  return async (call) => fetch(call.url, initOf(call))
}

function initOf({ method, headers, body: given, signal, init }: Call): RequestInit {
  const body = typeof given === 'function' ? given() : given
  return {
    ...init,
    method,
    headers,
    ...(body !== undefined && body !== null && { body }),
    ...(signal && { signal }),
    // the fetch standard asks for this word with every stream
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  }
}
