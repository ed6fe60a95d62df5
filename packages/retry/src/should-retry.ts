import type { Call } from '@farebox/middleware'
import { isPermanent, neverSent } from './never-sent.js'

/** How one attempt ended. */
export type Outcome = { readonly response: Response } | { readonly error: unknown }

/** Whether an outcome calls for another attempt. */
export type RetryRule = (call: Call, outcome: Outcome) => boolean

/**
 * Repeats the statuses that the contract calls transient (429, 500, 503, with any method), and a
 * 409 with Retry-After: the first request with the same Idempotency-Key is still running. Repeats
 * requests that were never sent. Repeats a request without a response only if it is idempotent.
 * Never repeats an aborted call or a permanent error.
 */
export function shouldRetry(call: Call, outcome: Outcome): boolean {
  if (call.signal?.aborted) return false
  if ('response' in outcome) {
    const { headers, status } = outcome.response
    return [429, 500, 503, headers.has('retry-after') && 409].includes(status)
  }
  return !isPermanent(outcome.error) && (neverSent(outcome.error) || isIdempotent(call))
}

/**
 * Like `shouldRetry`. Also repeats a request without a response if the call carries an
 * Idempotency-Key and its operation declares that header. Use it only with a service that honours
 * the key: a service that ignores it does the work twice, and charges twice.
 */
export function shouldRetryWithKey(call: Call, outcome: Outcome): boolean {
  if (shouldRetry(call, outcome)) return true
  if (call.signal?.aborted || 'response' in outcome || isPermanent(outcome.error)) return false
  return call.headers.has('idempotency-key') && declaresKey(call)
}

/** Rows of the generated operation table name their parameters. */
function declaresKey({ operation }: Call): boolean {
  const { parameters = [] } = (operation ?? {}) as { readonly parameters?: readonly { readonly in: string; readonly name: string }[] }
  return parameters.some((parameter) => parameter.in === 'header' && parameter.name.toLowerCase() === 'idempotency-key')
}

/** By the contract's operation; without one, by the method (RFC 9110, section 9.2.2). */
function isIdempotent({ operation, method }: Call): boolean {
  return operation ? operation.idempotent : /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method)
}
