import type { AuthErrorCode, PaymentErrorCode } from '@farebox/auth/api-key'
import type { FailureBudgetErrorCode, RateLimitErrorCode, RetryErrorCode } from '@farebox/retry'
import type { OperationId } from '@farebox/types/operations'
import type { Operations } from '@farebox/client'

/**
 * What went wrong, for a program. The codes of `@farebox/retry` and `@farebox/auth` are passed on,
 * and so is any code that the service sends: more codes than these may come.
 */
export type FareboxErrorCode =
  /** The options of `createFarebox` cannot be used. */
  | 'configuration'
  /** The input or an option of a call is invalid. Also the service's verdict, if it has no code. */
  | 'invalid_input'
  /** The response is not what the contract declares, by `validation`. */
  | 'invalid_response'
  /** The response is not declared, has another media type, cannot be parsed or broke off. */
  | 'unexpected_response'
  /** The response is larger than `maxResponseBytes`. */
  | 'response_too_large'
  /** The connection failed, and `retry` is off. */
  | 'connection'
  /**
   * A body took longer than `timeoutMs` or paused longer than `idleTimeoutMs`. Also an attempt
   * without a response if `retry` is off; otherwise that is `lost_response`.
   */
  | 'timeout'
  /** The signal of the call was aborted. */
  | 'aborted'
  /** `saveTo` could not write the file. */
  | 'not_saved'
  /** Code of the SDK that is loaded later is gone or out of reach. */
  | 'not_loaded'
  /** The video costs more than `maxUsd`. */
  | 'price_above_limit'
  /** `downloadOrigins` does not allow the address of the video. */
  | 'download_origin'
  /** Something else was thrown, for example by a middleware. */
  | 'failed'
  /** A response with this status and without a code. */
  | `http_${number}`
  | RetryErrorCode
  | RateLimitErrorCode
  | FailureBudgetErrorCode
  | AuthErrorCode
  | PaymentErrorCode
  // keeps the names above in the completion of editors
  | (string & {})

/** The fields of a `FareboxError`. */
export type FareboxErrorFacts<Id extends OperationId> = {
  readonly code: FareboxErrorCode
  readonly operation?: Id
  readonly status?: number
  readonly requestId?: string
  readonly body?: unknown
  readonly attempts?: number
  readonly mayHaveArrived?: boolean
  readonly retryAt?: number
  readonly cause?: unknown
}

/**
 * The only error that the SDK throws, also to the reader of a body that breaks off. Its message,
 * fields, causes and JSON never hold a credential that the SDK sent. `cause` is a copy of the
 * original error. An error of another operation, such as an automatic top-up, is a cause too.
 *
 * `status` is set when the service responded. `mayHaveArrived` says whether the service may have
 * done the work in an attempt whose response was lost: `false` means that it is safe to call again.
 * For an aborted call it is `false` if nothing was sent, or if the service rejected every request.
 *
 * @example
 * ```ts
 * try {
 *   await farebox.topUp(5)
 * } catch (error) {
 *   if (isFareboxError(error) && error.code === 'outcome_unknown') await farebox.balance()
 *   else throw error
 * }
 * ```
 */
export class FareboxError<Id extends OperationId = OperationId> extends Error {
  override readonly name = 'FareboxError'
  /** The service's code if it sent one, else a code of the SDK or of its middleware. */
  readonly code: FareboxErrorCode
  /** The operation that was called. */
  readonly operation: Id | undefined
  readonly status: number | undefined
  /** `x-request-id` of the response: quote it to the operator of the service. */
  readonly requestId: string | undefined
  /** The whole error body. `isFareboxError(error, operation, status)` gives it a type. */
  readonly body: unknown
  /** How often the request was sent; 0 if it was held back. */
  readonly attempts: number
  readonly mayHaveArrived: boolean
  /** When a further attempt may succeed, in milliseconds since 1970. */
  readonly retryAt: number | undefined

  constructor(message: string, facts: FareboxErrorFacts<Id>) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.operation = facts.operation
    this.status = facts.status
    this.requestId = facts.requestId
    this.body = facts.body
    this.attempts = facts.attempts ?? 1
    this.mayHaveArrived = facts.mayHaveArrived ?? false
    this.retryAt = facts.retryAt
  }
}

type Result<Id extends OperationId> = Awaited<ReturnType<Operations[Id]>>

/** The statuses that the contract declares for an operation's failures. */
export type ErrorStatus<Id extends OperationId> = Extract<
  Result<Id>,
  { readonly error: unknown }
>['status']

/** The body that the contract declares for one failure of an operation. */
export type ErrorBody<Id extends OperationId, Status> = Extract<
  Result<Id>,
  { readonly error: unknown; readonly status: Status }
>['error']

/**
 * Whether this is a `FareboxError`, and of this operation and status if they are passed. Then
 * `error.body` has the type that the contract declares for them.
 *
 * @example
 * ```ts
 * if (isFareboxError(error, 'queueVideo', 409)) console.log(error.body)
 * ```
 */
export function isFareboxError(error: unknown): error is FareboxError
export function isFareboxError<Id extends OperationId>(
  error: unknown,
  operation: Id,
): error is FareboxError<Id>
export function isFareboxError<Id extends OperationId, Status extends ErrorStatus<Id>>(
  error: unknown,
  operation: Id,
  status: Status,
): error is FareboxError<Id> & { readonly status: Status; readonly body: ErrorBody<Id, Status> }
export function isFareboxError(error: unknown, operation?: OperationId, status?: number): boolean {
  return (
    error instanceof FareboxError &&
    (operation === undefined || error.operation === operation) &&
    (status === undefined || error.status === status)
  )
}

/** The error of options that cannot be used. */
export function createConfigurationError(message: string): FareboxError {
  return new FareboxError(message, { code: 'configuration', attempts: 0 })
}
