import { AuthError, PaymentError } from '@farebox/auth/api-key'
import { InvalidInputError, UnexpectedResponseError } from '@farebox/client/operations/shared'
import {
  connectionFault,
  FailureBudgetError,
  wasNeverSent,
  RateLimitError,
  RetryError,
} from '@farebox/retry'
import type { OperationId } from '@farebox/types/operations'
import { FareboxError, type FareboxErrorFacts } from './error.js'
import type { Redact } from './redact.js'

/** What is known of the requests of one call so far. */
export type CallStatistics = {
  /** Attempts that sent a request. Sign-in and payment may send more than one per attempt. */
  readonly attempts: number
  /** Whether a request may have arrived although its response was lost. */
  readonly lost: boolean
  /** Whether an abort may leave work done: a request is in flight, lost, paid or successful. */
  readonly open: boolean
  /** Hides the credentials of the requests. */
  readonly redact: Redact
}

/** The statistics of a call that sent nothing. */
export const nothingSent: CallStatistics = {
  attempts: 0,
  lost: false,
  open: false,
  redact: (text) => text,
}

/** The error of a response that failed, with its whole body. `errorFromThrown` redacts it. */
export function errorFromResponse<Id extends OperationId>(
  operation: Id | undefined,
  response: Response,
  body: unknown,
  statistics: CallStatistics,
): FareboxError<Id> {
  const { code, message: reason } = readCodeAndMessage(body)
  const message = `${operation ?? 'request'}: ${response.status}${reason === undefined ? '' : ` ${reason}`}`
  return new FareboxError(message, {
    ...readResponseFacts(response),
    ...(operation && { operation }),
    body,
    attempts: statistics.attempts,
    mayHaveArrived: statistics.lost,
    code: code ?? `http_${response.status}`,
  })
}

/**
 * The error for the reader of a body that breaks: `aborted`, `timeout`, or `unexpected_response`
 * for one that broke off. The work was done by then, so `mayHaveArrived` is true.
 */
export function errorFromBody(
  operation: OperationId | undefined,
  error: unknown,
  response: Response,
  receivedBytes: number,
  signal: AbortSignal | undefined,
  statistics: CallStatistics,
): FareboxError {
  const isBroken =
    signal?.aborted !== true && error instanceof Error && /^(Type)?Error$/.test(error.name)
  const why = `broke off after ${receivedBytes} bytes, and may have been charged`
  const cause = isBroken
    ? new UnexpectedResponseError(
        { id: operation ?? 'request' },
        'incomplete_body',
        response,
        why,
        '',
        error,
      )
    : error
  return errorFromThrown(operation, cause, signal, statistics)
}

/**
 * Turns an error of the client or of a middleware into the error of the SDK, with the original as
 * its cause, and redacts it. The error of another operation, such as a top-up within the call,
 * becomes the cause too: the result is an error of the operation that was called. `body` is the
 * whole body of a response that the contract does not declare.
 */
export function errorFromThrown<Id extends OperationId>(
  operation: Id | undefined,
  error: unknown,
  signal: AbortSignal | undefined,
  statistics: CallStatistics,
  body?: unknown,
): FareboxError<Id> {
  const { attempts, redact } = statistics
  if (belongsTo(operation, error)) return cleanError(error, redact)
  const fareboxError = new FareboxError(formatMessage(operation ?? 'request', error), {
    cause: error,
    attempts,
    ...(operation && { operation }),
    ...readFacts(error, signal, statistics),
    ...(body !== undefined && { body }),
  })
  return cleanError(fareboxError, redact, signal?.aborted === true ? signal.reason : undefined)
}

function belongsTo<Id extends OperationId>(
  operation: Id | undefined,
  error: unknown,
): error is FareboxError<Id> {
  return error instanceof FareboxError && error.operation === operation
}

function readFacts(
  error: unknown,
  signal: AbortSignal | undefined,
  statistics: CallStatistics,
): Omit<FareboxErrorFacts<OperationId>, 'operation' | 'cause' | 'attempts'> {
  // a failure before the request, such as one of a store or an invalid signal, sent nothing
  const isSent = statistics.attempts > 0
  if (signal?.aborted === true) return { code: 'aborted', mayHaveArrived: statistics.open }
  if (error instanceof FareboxError) {
    // status and body belong to the other operation
    const { code, mayHaveArrived, retryAt } = error
    return {
      code,
      mayHaveArrived: mayHaveArrived || statistics.lost,
      ...(retryAt !== undefined && { retryAt }),
    }
  }
  if (error instanceof RetryError) {
    const { code, mayHaveArrived, response, retryAt } = error
    return {
      code,
      mayHaveArrived: mayHaveArrived && isSent,
      ...(response && readResponseFacts(response)),
      ...(retryAt !== undefined && { retryAt }),
    }
  }
  if (error instanceof RateLimitError || error instanceof FailureBudgetError) {
    return {
      code: error.code,
      mayHaveArrived: false,
      ...(error.retryAt !== undefined && { retryAt: error.retryAt }),
    }
  }
  if (error instanceof PaymentError) {
    return {
      code: error.code,
      mayHaveArrived: error.outcome === 'unknown',
      ...(error.status !== undefined && { status: error.status }),
    }
  }
  if (error instanceof UnexpectedResponseError) {
    return {
      ...readResponseFacts(error.response),
      code: error.reason === 'too_large' ? 'response_too_large' : 'unexpected_response',
      body: error.excerpt,
      mayHaveArrived: true,
    }
  }
  if (error instanceof InvalidInputError) return { code: 'invalid_input' }
  // without retries, the error of fetch arrives unchanged
  if (error instanceof TypeError)
    return { code: 'connection', mayHaveArrived: isSent && !wasNeverSent(error) }
  const code =
    typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'failed'
  // unknown error: assume that it may have arrived
  return { code, mayHaveArrived: isSent && (code === 'timeout' || code === 'failed') }
}

function readResponseFacts(response: Response): {
  readonly status: number
  readonly requestId?: string
} {
  const requestId = response.headers.get('x-request-id')
  return { status: response.status, ...(requestId !== null && { requestId }) }
}

/** The service's code and message, in each of the shapes that the contract declares. */
export function readCodeAndMessage(body: unknown): {
  readonly code?: string
  readonly message?: string
} {
  if (typeof body !== 'object' || body === null) return {}
  const { error, code, message, reason, details } = body as Readonly<Record<string, unknown>>
  if (typeof error === 'object' && error !== null)
    return readCodeAndMessage({ ...error, error: undefined })
  const text = [message, error].find(isNonEmptyString)
  // invalid input is described in `details`, without a code
  const name =
    [reason, code].find(isNonEmptyString) ??
    (typeof details === 'object' && details !== null ? 'invalid_input' : undefined)
  return { ...(name !== undefined && { code: name }), ...(text !== undefined && { message: text }) }
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function formatMessage(operation: string, error: unknown): string {
  // without retries, the error of fetch arrives unchanged
  const isConnectionFault =
    error instanceof TypeError && !(error instanceof InvalidInputError) && wasNeverSent(error)
  const text = isConnectionFault ? connectionFault(error) : describeThrown(error)
  // an option of the client that the SDK does not have
  const clean = text.replace('; the option unexpected accepts it', '')
  return clean.startsWith(`${operation}:`) ? clean : `${operation}: ${clean}`
}

/** In characters. A message quotes the service, which may send megabytes. */
const maxMessageLength = 2_000

/** The longest code or request id, in characters. */
const maxWordLength = 200

/** The depth to which the body of an error, and a chain of causes, is kept. */
const maxDepth = 32

/**
 * Every error of the SDK passes here. Hides our credentials in all fields and limits the length of
 * the message. A foreign error is replaced by a copy, since its fields may hold a whole request.
 * Errors of this SDK and of `@farebox/auth` are clean already, and the caller's own abort reason is
 * not ours to change.
 */
export function cleanError<Kind extends FareboxError>(
  error: Kind,
  redact: Redact,
  reason?: unknown,
): Kind {
  const { message, code, requestId, body, cause, stack } = error
  const clean = shorten(redact(shorten(message, 2 * maxMessageLength)), maxMessageLength)
  return Object.assign(error, {
    message: clean,
    code: cleanWord(code, redact),
    requestId: requestId === undefined ? undefined : cleanWord(requestId, redact),
    body: cleanValue(body, redact),
    // the stack begins with the message
    stack: stack && redact(stack.replace(message, () => clean)),
    ...(cause !== undefined && { cause: cause === reason ? cause : cleanCause(cause, redact) }),
  })
}

/** A code or id of the service, shortened and redacted. */
function cleanWord(text: string, redact: Redact): string {
  return shorten(redact(shorten(text, 2 * maxWordLength)), maxWordLength)
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

/** A JSON value without our credentials. Drops levels deeper than any body of the contract. */
function cleanValue(value: unknown, redact: Redact, depth = maxDepth): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null || value instanceof Response) return value
  if (depth === 0) return undefined
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, redact, depth - 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [redact(name), cleanValue(one, redact, depth - 1)]),
  )
}

/** Copies a thrown value: name, message, stack, plain fields such as `code`, and causes. */
function cleanCause(thrown: unknown, redact: Redact, depth = maxDepth): unknown {
  if (thrown instanceof FareboxError || thrown instanceof AuthError) return thrown
  if (thrown instanceof PaymentError) return cleanPayment(thrown, redact)
  if (typeof thrown === 'string') return shorten(redact(thrown), maxMessageLength)
  if (typeof thrown !== 'object' || thrown === null || depth === 0)
    return typeof thrown === 'object' ? undefined : thrown
  try {
    const { name, message, stack, cause, errors } = thrown as Readonly<Record<string, unknown>>
    const text = (value: unknown) => shorten(redact(String(value)), maxMessageLength)
    const copy = new Error(message === undefined ? '' : text(message))
    return Object.assign(copy, pickPlainFields(thrown, redact), {
      name: name === undefined ? 'Error' : text(name),
      ...(typeof stack === 'string' && { stack: text(stack) }),
      ...(cause !== undefined && { cause: cleanCause(cause, redact, depth - 1) }),
      ...(Array.isArray(errors) && {
        errors: errors.slice(0, 16).map((one) => cleanCause(one, redact, depth - 1)),
      }),
    })
  } catch {
    // a value that throws when it is inspected is dropped
    return undefined
  }
}

/** Strings, numbers and booleans only: an object may be a request with its headers. */
function pickPlainFields(thrown: object, redact: Redact): Readonly<Record<string, unknown>> {
  const { code, status } = thrown as { readonly code?: unknown; readonly status?: unknown }
  const facts = Object.entries({ code, status, ...thrown }).slice(0, 32)
  const plain = facts.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(
    plain.map(([name, value]) => [
      redact(name),
      typeof value === 'string' ? cleanWord(value, redact) : value,
    ]),
  )
}

/** Keeps `payload`, with which the same payment can be sent again. It is readable only by name. */
function cleanPayment(error: PaymentError, redact: Redact): PaymentError {
  const { code, message, payload, reason, status, heldUntil, outcome, cause } = error
  return new PaymentError(code, redact(message), {
    ...(outcome === 'unknown' && { outcome }),
    ...(payload !== undefined && { payload }),
    ...(reason !== undefined && { reason: redact(reason) }),
    ...(status !== undefined && { status }),
    ...(heldUntil !== undefined && { heldUntil }),
    ...(cause !== undefined && { cause: cleanCause(cause, redact) }),
  })
}

/** The message of a thrown value, which may be anything. */
export function describeThrown(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'something was thrown that is not an error'
  }
}
