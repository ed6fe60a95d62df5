/** Codes of Node, undici and Bun for a connection that was never made. */
const unconnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'FailedToOpenSocket',
])

/** Deno gives no codes, but says at which step it failed. */
const unconnectedWords = /\bclient error \(Connect\)/

/**
 * Whether an error proves that the request never left: the connection was not made, or what holds calls back refused it
 * (`mayHaveArrived: false`). Everything else, and every error of a browser, which tells nothing, may mean that the request arrived and
 * its answer was lost.
 */
export function neverSent(error: unknown): boolean {
  const chain = chainOf(error)
  const told = chain.find(({ mayHaveArrived }) => typeof mayHaveArrived === 'boolean')
  if (told !== undefined) return told.mayHaveArrived === false
  return chain.some(
    ({ code, syscall, message }) =>
      (typeof code === 'string' && unconnected.has(code)) ||
      syscall === 'connect' ||
      (typeof message === 'string' && unconnectedWords.test(message)),
  )
}

/** Faults that another attempt would meet again: a bad address, a certificate, a missing file. */
const permanent = /^(ERR_INVALID_|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|UND_ERR_INVALID_ARG|ENOENT$|EACCES$)/

/** Whether an error says that another attempt is no use: `retryable: false`, or a code that stands for a fault of the caller's. */
export function isPermanent(error: unknown): boolean {
  return chainOf(error).some(({ code, retryable }) => retryable === false || (typeof code === 'string' && permanent.test(code)))
}

type Facts = {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly retryable?: unknown
  readonly mayHaveArrived?: unknown
  readonly message?: unknown
}

/** An error, its causes, and the errors of an aggregate, down to a depth that no real one reaches. */
function chainOf(error: unknown, depth = 8): readonly Facts[] {
  if (typeof error !== 'object' || error === null || depth === 0) return []
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  const inner = Array.isArray(errors) ? errors : []
  return [error, ...chainOf(cause, depth - 1), ...inner.flatMap((one: unknown) => chainOf(one, depth - 1))]
}
