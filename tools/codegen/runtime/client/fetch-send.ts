import type { Body, Call, Send } from './call.js'

/** Sends a call with fetch. A body factory is called for each attempt. */
export function fetchSend(
  fetch: typeof globalThis.fetch = (url, init) => globalThis.fetch(url, init),
): Send {
  return async (call) =>
    fetch(
      call.url,
      buildInit(call, typeof call.body === 'function' ? await call.body() : call.body),
    )
}

function buildInit(
  { method, headers, signal, init }: Call,
  body: Body | null | undefined,
): RequestInit {
  const request: RequestInit & { duplex?: 'half' } = Object.assign({}, init, { method, headers })
  if (body !== undefined && body !== null) request.body = body
  if (signal) request.signal = signal
  // the Fetch standard requires `duplex` with every stream
  if (body instanceof ReadableStream) request.duplex = 'half'
  return request
}
