import { PaymentError } from '@farebox/auth'
import { InvalidInputError, UnexpectedResponseError } from '@farebox/client'
import { GuardError, neverSent, PaceError, RetryError } from '@farebox/retry'
import type { OperationId } from '@farebox/types/operations'
import { cleanError } from './clean-error.js'
import { FareboxError, type FareboxErrorFacts } from './error.js'
import type { Tally } from './tally.js'

/** The error of a declared failure: the service answered, and its whole body is kept. Not clean yet: `fromThrown` sees to that. */
export function fromAnswer<Id extends OperationId>(operation: Id, response: Response, body: unknown, tally: Tally): FareboxError<Id> {
  const said = sayingOf(body)
  const message = `${operation}: ${response.status}${said.message === undefined ? '' : ` ${said.message}`}`
  return new FareboxError(message, {
    ...answerFacts(response),
    operation,
    body,
    attempts: tally.attempts,
    mayHaveArrived: tally.lost,
    code: said.code ?? `http_${response.status}`,
  })
}

/**
 * Whatever the client or a middleware threw as the one error of the SDK, with what was thrown as its cause. The error of another operation, such
 * as of a top-up within the call, is a cause like any other: the error is that of the operation that was called. What leaves here is clean.
 */
export function fromThrown<Id extends OperationId>(
  operation: Id,
  error: unknown,
  signal: AbortSignal | undefined,
  tally: Tally,
): FareboxError<Id> {
  const { attempts, redact } = tally
  if (isOf(operation, error)) return cleanError(error, redact)
  const made = new FareboxError(messageOf(operation, error), { operation, cause: error, attempts, ...factsOf(error, signal, tally) })
  return cleanError(made, redact, signal?.aborted === true ? signal.reason : undefined)
}

function isOf<Id extends OperationId>(operation: Id, error: unknown): error is FareboxError<Id> {
  return error instanceof FareboxError && error.operation === operation
}

function factsOf(
  error: unknown,
  signal: AbortSignal | undefined,
  tally: Tally,
): Omit<FareboxErrorFacts<OperationId>, 'operation' | 'cause' | 'attempts'> {
  if (signal?.aborted === true) return { code: 'aborted', mayHaveArrived: tally.open }
  if (error instanceof FareboxError) {
    // status and body are those of the other operation, and stay with it
    const { code, mayHaveArrived, retryAt } = error
    return { code, mayHaveArrived: mayHaveArrived || tally.lost, ...(retryAt !== undefined && { retryAt }) }
  }
  if (error instanceof RetryError) {
    const { code, mayHaveArrived, response, retryAt } = error
    return { code, mayHaveArrived, ...(response && answerFacts(response)), ...(retryAt !== undefined && { retryAt }) }
  }
  if (error instanceof PaceError || error instanceof GuardError) {
    return { code: error.code, mayHaveArrived: false, ...(error.retryAt !== undefined && { retryAt: error.retryAt }) }
  }
  if (error instanceof PaymentError) {
    return { code: error.code, mayHaveArrived: error.outcome === 'unknown', ...(error.status !== undefined && { status: error.status }) }
  }
  if (error instanceof UnexpectedResponseError) {
    return {
      ...answerFacts(error.response),
      code: error.reason === 'too_large' ? 'response_too_large' : 'unexpected_response',
      body: error.excerpt,
      mayHaveArrived: true,
    }
  }
  if (error instanceof InvalidInputError) return { code: 'invalid_input' }
  // with repeats turned off, what fetch throws comes here as it is
  if (error instanceof TypeError) return { code: 'connection', mayHaveArrived: !neverSent(error) }
  const code = typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : 'failed'
  // of what nobody knows the worst is assumed
  return { code, mayHaveArrived: code === 'timeout' || code === 'failed' }
}

function answerFacts(response: Response): { readonly status: number; readonly requestId?: string } {
  const requestId = response.headers.get('x-request-id')
  return { status: response.status, ...(requestId !== null && { requestId }) }
}

/** The service's own code and words, in any of the shapes that the contract declares. */
function sayingOf(body: unknown): { readonly code?: string; readonly message?: string } {
  if (typeof body !== 'object' || body === null) return {}
  const { error, code, message, reason } = body as Readonly<Record<string, unknown>>
  if (typeof error === 'object' && error !== null) return sayingOf({ ...error, error: undefined })
  const words = [message, error].find((text): text is string => typeof text === 'string' && text !== '')
  const name = [reason, code].find((text): text is string => typeof text === 'string' && text !== '')
  return { ...(name !== undefined && { code: name }), ...(words !== undefined && { message: words }) }
}

function messageOf(operation: OperationId, error: unknown): string {
  const text = textOf(error)
  return text.startsWith(`${operation}:`) ? text : `${operation}: ${text}`
}

/** Anything may be thrown, such as what cannot be made a text. */
function textOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'something was thrown that is no error'
  }
}
