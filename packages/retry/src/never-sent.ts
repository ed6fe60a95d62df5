/** Codes of Node, undici and Bun for a connection that was never made. */
const unconnected =
  /^(E(CONNREFUSED|NOTFOUND|AI_AGAIN|(HOST|NET)UNREACH|ADDRNOTAVAIL)|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/

/**
 * Whether an error proves that the request was never sent: the connection was not made, or a
 * middleware held the call back (`mayHaveArrived: false`). Any other error may mean that the
 * request arrived and its response was lost. So may every error of a browser, which gives no
 * reason. Deno has no codes, but its message names the step that failed.
 */
export function neverSent(error: unknown): boolean {
  const chain = chainOf(error)
  const stated = chain.find(({ mayHaveArrived }) => typeof mayHaveArrived === 'boolean')
  if (stated) return !stated.mayHaveArrived
  return chain.some(
    ({ code, syscall, message }) => syscall === 'connect' || unconnected.test(`${code}`) || `${message}`.includes('client error (Connect)'),
  )
}

/** Errors that every attempt would meet: an invalid address, a certificate, a missing file. */
const permanent = /CERT|^(ERR_(INVALID|TLS)_|UNABLE_TO_|UND_ERR_INVALID_ARG|ENOENT$|EACCES$)/

/** Whether the error is permanent: `retryable: false`, or the code of a mistake of the caller. */
export function isPermanent(error: unknown): boolean {
  return chainOf(error).some(({ code, retryable }) => retryable === false || permanent.test(`${code}`))
}

type Facts = {
  readonly code?: string
  readonly syscall?: unknown
  readonly address?: unknown
  readonly port?: unknown
  readonly retryable?: unknown
  readonly mayHaveArrived?: unknown
  readonly message?: string
}

/** An error, its causes, and the errors of an aggregate, down to a fixed depth. */
export function chainOf(error: unknown, depth = 8): readonly Facts[] {
  if (Object(error) !== error || depth === 0) return []
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  // a list, or a single error
  return [error as Facts, ...[cause, errors].flat().flatMap((one: unknown) => chainOf(one, depth - 1))]
}

const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; is the service running, and is the address right?',
  ConnectionRefused: 'nothing listens there; is the service running, and is the address right?',
  ENOTFOUND: 'the name of the host is not known; is the address right?',
  EAI_AGAIN: 'the name of the host cannot be looked up; is there a network?',
  EHOSTUNREACH: 'the host cannot be reached; is there a network?',
  ENETUNREACH: 'the network cannot be reached; is there a network?',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not respond in time',
}

/**
 * Why no connection was made, and what to look at, by the code of the system, which stands deep in
 * the causes: `no connection was made (ECONNREFUSED 127.0.0.1:4020): nothing listens there; ...`.
 */
export function connectionFault(error: unknown): string {
  const found = chainOf(error).find(({ code }) => unconnected.test(`${code}`))
  if (!found?.code) return 'no connection was made'
  const { code, address, port } = found
  const host =
    typeof address === 'string' ? ` ${address.includes(':') ? `[${address}]` : address}${typeof port === 'number' ? `:${port}` : ''}` : ''
  return `no connection was made (${code}${host})${advice[code] === undefined ? '' : `: ${advice[code]}`}`
}
