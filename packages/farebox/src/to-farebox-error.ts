import { PaymentError } from '@farebox/auth/api-key'
import { InvalidInputError, UnexpectedResponseError } from '@farebox/client/operations/shared'
import { connectionFault, GuardError, neverSent, PaceError, RetryError } from '@farebox/retry'
import type { OperationId } from '@farebox/types/operations'
import { cleanError } from './clean-error.js'
import { FareboxError, type FareboxErrorFacts } from './error.js'
import { textOf, type CallStatistics } from './call-statistics.js'

/**
 * The error of a declared failure, with the whole body of the response. `fromThrown` redacts it.
 */
export function fromAnswer<Id extends OperationId>(
  operation: Id | undefined,
  response: Response,
  body: unknown,
  statistics: CallStatistics,
): FareboxError<Id> {
  const said = codeAndMessageOf(body)
  const message = `${operation ?? 'request'}: ${response.status}${said.message === undefined ? '' : ` ${said.message}`}`
  return new FareboxError(message, {
    ...answerFacts(response),
    ...(operation && { operation }),
    body,
    attempts: statistics.attempts,
    mayHaveArrived: statistics.lost,
    code: said.code ?? `http_${response.status}`,
  })
}

/**
 * Turns an error of the client or of a middleware into the error of the SDK, with the original as
 * its cause. The error of another operation, such as a top-up within the call, becomes the cause as
 * well: the result is an error of the operation that was called. The result is redacted. `body` is
 * the whole body of a response that the contract does not declare.
 */
export function fromThrown<Id extends OperationId>(
  operation: Id | undefined,
  error: unknown,
  signal: AbortSignal | undefined,
  statistics: CallStatistics,
  body?: unknown,
): FareboxError<Id> {
  const { attempts, redact } = statistics
  if (isOf(operation, error)) return cleanError(error, redact)
  const made = new FareboxError(messageOf(operation ?? 'request', error), {
    cause: error,
    attempts,
    ...(operation && { operation }),
    ...factsOf(error, signal, statistics),
    ...(body !== undefined && { body }),
  })
  return cleanError(made, redact, signal?.aborted === true ? signal.reason : undefined)
}

function isOf<Id extends OperationId>(operation: Id | undefined, error: unknown): error is FareboxError<Id> {
  return error instanceof FareboxError && error.operation === operation
}

function factsOf(
  error: unknown,
  signal: AbortSignal | undefined,
  statistics: CallStatistics,
): Omit<FareboxErrorFacts<OperationId>, 'operation' | 'cause' | 'attempts'> {
  // what fails before, such as a store or a signal that is none, has sent nothing
  const isSent = statistics.attempts > 0
  if (signal?.aborted === true) return { code: 'aborted', mayHaveArrived: statistics.open }
  if (error instanceof FareboxError) {
    // status and body belong to the other operation
    const { code, mayHaveArrived, retryAt } = error
    return { code, mayHaveArrived: mayHaveArrived || statistics.lost, ...(retryAt !== undefined && { retryAt }) }
  }
  if (error instanceof RetryError) {
    const { code, mayHaveArrived, response, retryAt } = error
    return {
      code,
      mayHaveArrived: mayHaveArrived && isSent,
      ...(response && answerFacts(response)),
      ...(retryAt !== undefined && { retryAt }),
    }
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
  // without retries, the error of fetch arrives unchanged
  if (error instanceof TypeError) return { code: 'connection', mayHaveArrived: isSent && !neverSent(error) }
  const code = typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : 'failed'
  // unknown error: assume that it may have arrived
  return { code, mayHaveArrived: isSent && (code === 'timeout' || code === 'failed') }
}

function answerFacts(response: Response): { readonly status: number; readonly requestId?: string } {
  const requestId = response.headers.get('x-request-id')
  return { status: response.status, ...(requestId !== null && { requestId }) }
}

/** The service's code and message, in any of the shapes that the contract declares. */
function codeAndMessageOf(body: unknown): { readonly code?: string; readonly message?: string } {
  if (typeof body !== 'object' || body === null) return {}
  const { error, code, message, reason, details } = body as Readonly<Record<string, unknown>>
  if (typeof error === 'object' && error !== null) return codeAndMessageOf({ ...error, error: undefined })
  const text = [message, error].find(isText)
  // what is wrong with the input stands in `details`, and has no code
  const name = [reason, code].find(isText) ?? (typeof details === 'object' && details !== null ? 'invalid_input' : undefined)
  return { ...(name !== undefined && { code: name }), ...(text !== undefined && { message: text }) }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function messageOf(operation: string, error: unknown): string {
  // without retries, the error of fetch arrives unchanged
  const isUnconnected = error instanceof TypeError && !(error instanceof InvalidInputError) && neverSent(error)
  const text = isUnconnected ? connectionFault(error) : textOf(error)
  return text.startsWith(`${operation}:`) ? text : `${operation}: ${text}`
}
