import type { Call, Send } from './call.js'

/** Sends a call with fetch. A body that is made anew for each attempt is made here; the caller's own signal goes along. */
export function fetchSend(fetch: typeof globalThis.fetch = (url, init) => globalThis.fetch(url, init)): Send {
  return async (call) => await fetch(call.url, initOf(call))
}

function initOf({ method, headers, body: given, signal, init }: Call): RequestInit {
  const made: RequestInit & { duplex?: 'half' } = Object.assign({}, init, { method, headers })
  const body = typeof given === 'function' ? given() : given
  if (body !== undefined && body !== null) made.body = body
  if (signal) made.signal = signal
  // the fetch standard asks for this word with every stream
  if (body instanceof ReadableStream) made.duplex = 'half'
  return made
}
