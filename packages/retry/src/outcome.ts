import type { Call } from '@farebox/middleware'

/** How one attempt ended. */
export type Outcome = { readonly response: Response } | { readonly error: unknown }

/** Whether an outcome calls for another attempt. */
export type RetryRule = (call: Call, outcome: Outcome) => boolean

/**
 * Retries the statuses that the contract calls transient (429, 500, 503, with any method), and a
 * 409 with Retry-After: the first request with the same Idempotency-Key is still running. Retries
 * requests that were never sent. Retries a request without a response only if it is idempotent.
 * Never retries an aborted call or a permanent error.
 *
 * @example
 * ```ts
 * retry({ rule: (call, outcome) => call.method !== 'DELETE' && shouldRetry(call, outcome) })
 * ```
 */
export function shouldRetry(call: Call, outcome: Outcome): boolean {
  if (call.signal?.aborted) return false
  if ('response' in outcome) {
    const { headers, status } = outcome.response
    return [429, 500, 503, headers.has('retry-after') && 409].includes(status)
  }
  return !isPermanent(outcome.error) && (wasNeverSent(outcome.error) || isIdempotent(call))
}

/**
 * Like `shouldRetry`. Also retries a request without a response if the call carries an
 * Idempotency-Key and its operation declares that header. Use it only with a service that honours
 * the key: a service that ignores it does the work twice, and charges twice.
 *
 * @example
 * ```ts
 * const middleware = [idempotencyKeys(), retry({ rule: shouldRetryWithKey })]
 * ```
 */
export function shouldRetryWithKey(call: Call, outcome: Outcome): boolean {
  if (shouldRetry(call, outcome)) return true
  if (call.signal?.aborted || 'response' in outcome || isPermanent(outcome.error)) return false
  return call.headers.has('idempotency-key') && declaresKey(call)
}

/** By the contract's operation; without one, by the method (RFC 9110, section 9.2.2). */
function isIdempotent({ operation, method }: Call): boolean {
  return operation ? operation.idempotent : /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method)
}

/** Rows of the generated operation table name their parameters. */
function declaresKey({ operation }: Call): boolean {
  const { parameters = [] } = (operation ?? {}) as {
    readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  }
  return parameters.some(
    (parameter) => parameter.in === 'header' && parameter.name.toLowerCase() === 'idempotency-key',
  )
}

/**
 * Codes of Node, undici and Bun for a connection that was never made, or whose TLS handshake failed:
 * a certificate that is not trusted, or a port that does not speak TLS.
 */
const unconnected =
  /CERT|UNABLE_TO_|WRONG_VERSION|^(E(CONNREFUSED|NOTFOUND|AI_AGAIN|(HOST|NET)UNREACH|ADDRNOTAVAIL)|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/

/**
 * Deno's message for a failed connection, and Node's for one that closed in its TLS handshake or
 * that a proxy did not make.
 */
const unsentMessage = /error \(Connect\)|before secure TLS|HTTP Tunneling/

/** The status of a proxy, in the message of undici. */
const proxyResponse = /^Proxy response \(\d+\)/

/** Messages of Node and Deno for a port that no `fetch` may connect to. They have no code. */
const blockedPort = /^bad port$|Requests to port \d+ are blocked/

/**
 * Whether an error proves that the request was never sent: the connection failed, or a middleware
 * held the call back (`mayHaveArrived: false`). Any other error may mean that the request arrived
 * and its response was lost. So may every error of a browser, which gives no reason. Where there is
 * no code, the message may name the step that failed.
 *
 * @example
 * ```ts
 * catch (error) {
 *   if (wasNeverSent(error)) await queue.push(order)
 * }
 * ```
 */
export function wasNeverSent(error: unknown): boolean {
  const chain = listErrorChain(error)
  const explicit = chain.find(({ mayHaveArrived }) => typeof mayHaveArrived === 'boolean')
  if (explicit) return !explicit.mayHaveArrived
  return chain.some(
    ({ code, syscall, message }) =>
      syscall === 'connect' ||
      unconnected.test(`${code}`) ||
      unsentMessage.test(`${message}`) ||
      blockedPort.test(`${message}`),
  )
}

/** Codes that every attempt would meet: an invalid address, a certificate, a missing file. */
const permanent = /CERT|UNABLE_TO_|WRONG_VERSION|ERR_(INVALID|TLS)|^(ENOENT|EACCES)$/

/** Whether the error is permanent: `retryable: false`, or a mistake of the caller. */
export function isPermanent(error: unknown): boolean {
  return listErrorChain(error).some(
    ({ code, retryable, message }) =>
      retryable === false || permanent.test(`${code}`) || blockedPort.test(`${message}`),
  )
}

/**
 * Why an attempt failed: its status, or the code or name of its error. Messages may hold secrets.
 */
export function describeFailure(outcome: Outcome): string {
  if ('response' in outcome) return `status ${outcome.response.status}`
  const { error } = outcome
  const coded = listErrorChain(error).find(({ code }) => typeof code === 'string')
  return coded?.code ?? (error instanceof Error ? error.name : 'no response')
}

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'is the service running?',
  ConnectionRefused: 'is the service running?',
  ENOTFOUND: 'is the address right?',
  EAI_AGAIN: 'is the network up?',
  EHOSTUNREACH: 'is the network up?',
  ENETUNREACH: 'is the network up?',
}

/**
 * Why the connection failed, and what to check, by the system's error code, which is deep in the
 * causes: `no connection was made (ECONNREFUSED 127.0.0.1:4020): is the service running?`.
 *
 * @example
 * ```ts
 * // no connection was made (ECONNREFUSED 127.0.0.1:4020): is the service running?
 * console.error(connectionFault(error))
 * ```
 */
export function connectionFault(error: unknown): string {
  const chain = listErrorChain(error)
  const { code, address, port } = chain.find(({ code }) => unconnected.test(`${code}`)) ?? {}
  if (!code) {
    const isBlocked = chain.some(({ message }) => blockedPort.test(`${message}`))
    const [proxy] = chain.flatMap(({ message }) => proxyResponse.exec(`${message}`) ?? [])
    const why = isBlocked ? 'fetch blocks this port, choose another' : proxy
    return `no connection was made${why ? `: ${why}` : ''}`
  }
  const host =
    typeof address === 'string' ? ` ${address.includes(':') ? `[${address}]` : address}` : ''
  const hint = hints[code]
  return `no connection was made (${code}${host}${host && port ? `:${port}` : ''})${hint ? `: ${hint}` : ''}`
}

type ErrorFields = {
  readonly code?: string
  readonly syscall?: unknown
  readonly address?: unknown
  readonly port?: number
  readonly retryable?: unknown
  readonly mayHaveArrived?: unknown
  readonly message?: string
}

/** An error, its causes, and the errors of an aggregate, down to a fixed depth. */
function listErrorChain(error: unknown, depth = 8): readonly ErrorFields[] {
  if (Object(error) !== error || depth === 0) return []
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  // `errors` is a list or a single error
  return [
    error as ErrorFields,
    ...[cause, errors].flat().flatMap((nested: unknown) => listErrorChain(nested, depth - 1)),
  ]
}
