import { untilAborted } from './abort.js'
import {
  compose,
  isResendable,
  type Call,
  type CallBody,
  type CallInit,
  type Middleware,
  type Send,
} from './call.js'

/**
 * The innermost send. Calls a body factory once for each send. Passes the caller's own signal and
 * headers to fetch. Follows redirects, unless `call.init` says otherwise.
 *
 * @example
 * ```ts
 * const send = fetchSend(fetch)
 * await send({ url: 'https://api.example/models', method: 'GET', headers: new Headers() })
 * ```
 */
export function fetchSend(fetch: typeof globalThis.fetch): Send {
  // async turns an error of a body factory into a rejection
  return async (call) => {
    const { signal } = call
    const body = typeof call.body === 'function' ? await call.body() : call.body
    // in V8 a key that is added to a spread costs ten times the assignment
    const init: RequestInit & { duplex?: 'half' } = Object.assign({}, call.init, {
      method: call.method,
      headers: call.headers,
    })
    if (body !== undefined && body !== null) init.body = body
    if (signal) init.signal = signal
    // the Fetch standard requires `duplex` with every stream
    if (!isResendable({ body })) init.duplex = 'half'
    return fetch(call.url, init)
  }
}

/**
 * A fetch that sends through middleware, for any library that accepts a `fetch` option. The first
 * middleware is the outermost.
 *
 * Every body except a stream can be sent again: strings, bytes, Blobs, forms, URLSearchParams,
 * factories (`body: () => BodyInit`, an extension of fetch), and the body of a Request, which the
 * first attempt reads into memory. A stream in `init.body` is passed on as it is, and can be sent
 * once. To upload more than memory holds, pass a stream or a factory.
 *
 * @example
 * ```ts
 * const client = new OpenAI({ baseURL, fetch: withMiddleware(fetch, retry(), rateLimit()) })
 * ```
 */
export function withMiddleware(
  fetch: typeof globalThis.fetch,
  ...middleware: Middleware[]
): typeof globalThis.fetch {
  const send = compose(fetchSend(fetch), middleware)
  return async (input, init) => send(toCall(input, init))
}

function toCall(input: string | URL | Request, init: RequestInit = {}): Call {
  const { method, headers, body, signal, ...rest } = init
  const request = typeof input === 'string' || input instanceof URL ? undefined : input
  const callSignal = (signal === undefined ? request?.signal : signal) ?? undefined
  const callBody =
    (body as CallBody | null | undefined) ?? (request && requestBody(request, callSignal))
  return {
    url: toAbsolute(typeof input === 'string' ? input : 'href' in input ? input.href : input.url),
    method: (method ?? request?.method ?? 'GET').toUpperCase(),
    headers: new Headers(headers ?? request?.headers),
    ...(callBody !== undefined && callBody !== null && { body: callBody }),
    ...(callSignal && { signal: callSignal }),
    init: { ...(request && requestInit(request)), ...rest },
  }
}

/** Resolves a relative URL in a page. Leaves a URL that cannot be parsed for fetch to reject. */
function toAbsolute(url: string): string {
  const base = (globalThis as { location?: { href?: string } }).location?.href
  return URL.canParse(url, base) ? new URL(url, base).href : url
}

const initFields = [
  'cache',
  'credentials',
  'integrity',
  'keepalive',
  'mode',
  'redirect',
  'referrer',
  'referrerPolicy',
] as const

function requestInit(request: Request): CallInit {
  // only a browser can create a request of mode "navigate", and fetch rejects that mode
  const present = initFields.filter(
    (field) => request[field] !== undefined && request[field] !== 'navigate',
  )
  return Object.fromEntries(present.map((field) => [field, request[field]]))
}

/**
 * The body of a Request as a factory; `undefined` if it has none. The first attempt reads the body
 * into memory, and later ones send the same bytes. Rejects with the reason of the signal, or with a
 * TypeError that says that nothing was sent if the body was read before or breaks off.
 *
 * Bytes are the only form that every platform sends with its length and sends again: Chromium sends
 * the stream `request.body` over HTTP/2 only, and Firefox has no `request.body`. A Blob would add a
 * Content-Type of its own, in lower case, where the Request has none.
 */
function requestBody(request: Request, signal?: AbortSignal): CallBody | undefined {
  if (signal !== undefined) requests.set(signal, request)
  if (request.body === null) return undefined
  let reading: Promise<ArrayBuffer | undefined> | undefined
  return () => (reading ??= readRequest(request, signal))
}

async function readRequest(
  request: Request,
  signal: AbortSignal | undefined,
): Promise<ArrayBuffer | undefined> {
  try {
    signal?.throwIfAborted()
    // a body that comes from a stream may never end
    const bytes = await untilAborted(request.arrayBuffer(), signal)
    // without `request.body`, an empty body and no body look the same
    return bytes.byteLength === 0 && !request.body ? undefined : bytes
  } catch (cause) {
    signal?.throwIfAborted()
    const error = new TypeError('The body of the Request cannot be read, so nothing was sent.', {
      cause,
    })
    throw Object.assign(error, { retryable: false, mayHaveArrived: false })
  }
}

/** Keeps a Request as long as its signal: Node 20 drops an abort with a collected Request. */
const requests = new WeakMap<AbortSignal, Request>()
