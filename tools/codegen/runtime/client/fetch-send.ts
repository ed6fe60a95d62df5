import type { Call, Send } from './call.js'

/** Sends a call with fetch. A body factory is called for each attempt. */
export function fetchSend(fetch: typeof globalThis.fetch = (url, init) => globalThis.fetch(url, init)): Send {
  return async (call) => await fetch(call.url, initOf(call))
}

function initOf({ method, headers, body: given, signal, init }: Call): RequestInit {
  const made: RequestInit & { duplex?: 'half' } = Object.assign({}, init, { method, headers })
  const body = typeof given === 'function' ? given() : given
  if (body !== undefined && body !== null) made.body = body
  if (signal) made.signal = signal
  // the Fetch standard requires `duplex` with every stream
  if (body instanceof ReadableStream) made.duplex = 'half'
  return made
}
