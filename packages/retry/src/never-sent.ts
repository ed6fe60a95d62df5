/** Codes of Node, undici and Bun for a connection that was never made. */
const unconnected =
  /^(E(CONNREFUSED|NOTFOUND|AI_AGAIN|(HOST|NET)UNREACH|ADDRNOTAVAIL)|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/

/**
 * Whether an error proves that the request never left: the connection was not made, or what holds calls back refused it
 * (`mayHaveArrived: false`). Everything else, and every error of a browser, which tells nothing, may mean that the request arrived and
 * its answer was lost. Deno gives no codes, but says at which step it failed.
 */
export function neverSent(error: unknown): boolean {
  const chain = chainOf(error)
  const told = chain.find(({ mayHaveArrived }) => typeof mayHaveArrived === 'boolean')
  if (told) return !told.mayHaveArrived
  return chain.some(
    ({ code, syscall, message }) => syscall === 'connect' || unconnected.test(`${code}`) || `${message}`.includes('client error (Connect)'),
  )
}

/** Faults that another attempt would meet again: a bad address, a certificate, a missing file. */
const permanent = /CERT|^(ERR_(INVALID|TLS)_|UNABLE_TO_|UND_ERR_INVALID_ARG|ENOENT$|EACCES$)/

/** Whether an error says that another attempt is no use: `retryable: false`, or a code that stands for a fault of the caller's. */
export function isPermanent(error: unknown): boolean {
  return chainOf(error).some(({ code, retryable }) => retryable === false || permanent.test(`${code}`))
}

type Facts = {
  readonly code?: string
  readonly syscall?: unknown
  readonly retryable?: unknown
  readonly mayHaveArrived?: unknown
  readonly message?: string
}

/** An error, its causes, and the errors of an aggregate, down to a depth that no real one reaches. */
export function chainOf(error: unknown, depth = 8): readonly Facts[] {
  if (typeof error !== 'object' || error === null || depth === 0) return []
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  // a list, or one by itself
  return [error, ...[cause, errors].flat().flatMap((one: unknown) => chainOf(one, depth - 1))]
}
