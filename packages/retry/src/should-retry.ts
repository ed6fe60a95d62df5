import type { Call } from '@farebox/middleware'
import { isPermanent, neverSent } from './never-sent.js'

/** What came of one attempt. */
export type Outcome = { readonly response: Response } | { readonly error: unknown }

/** Whether an outcome calls for another attempt. */
export type RetryRule = (call: Call, outcome: Outcome) => boolean

/**
 * Repeats what the contract calls transient (429, 500, 503, with any method), a request that never left, and a lost answer only where a
 * second send does no harm. Never repeats what the caller aborted, and no error that says it is no use.
 */
export function shouldRetry(call: Call, outcome: Outcome): boolean {
  if (call.signal?.aborted) return false
  if ('response' in outcome) return [429, 500, 503].includes(outcome.response.status)
  if (isPermanent(outcome.error)) return false
  return neverSent(outcome.error) || isIdempotent(call)
}

/**
 * `shouldRetry`, and a lost answer is asked for again also where the call carries an Idempotency-Key and its operation declares that
 * header. Only for a service that is known to honour it: one that ignores the key does the work twice, and charges twice.
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

/** What the contract says about the operation, or where none is known what RFC 9110, section 9.2.2, says about the method. */
function isIdempotent({ operation, method }: Call): boolean {
  return operation ? operation.idempotent : /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method)
}
