import type { OperationId } from '@farebox/types/operations'
import type { ErrorBody, ErrorStatus } from './methods.js'

/** What a `FareboxError` was made from. */
export type FareboxErrorFacts<Id extends OperationId> = {
  readonly code: string
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
 * The one error that the SDK throws, also at the reader of a body that breaks off. It never holds a credential that the SDK sent: not in its
 * message, its fields, its causes or its JSON. `cause` is a copy of what was thrown; the error of another operation, as of an automatic top-up, is one too.
 *
 * `status` is there when the service answered. `mayHaveArrived` says whether the service may have done the work all the same, in an attempt whose
 * answer was lost: `false` means that it is safe to call again. Of a call that its caller aborted it is `false` where nothing had left, or all that had left was refused.
 */
export class FareboxError<Id extends OperationId = OperationId> extends Error {
  override readonly name = 'FareboxError'
  /** The service's own code when it sent one, else `http_STATUS`, `connection`, `aborted`, `timeout`, `unexpected_response`, or what the middleware said. */
  readonly code: string
  /** The operation that was called. */
  readonly operation: Id | undefined
  readonly status: number | undefined
  /** `x-request-id` of the answer: quote it to the operator of the service. */
  readonly requestId: string | undefined
  /** The whole error body. `isFareboxError(error, operation, status)` gives it the type that the contract declares. */
  readonly body: unknown
  /** How many times the request was sent; 0 when it was held back. */
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

/**
 * Whether this is a `FareboxError`, of this operation and status when they are given; then `error.body` has the type that
 * the contract declares for them.
 */
export function isFareboxError(error: unknown): error is FareboxError
export function isFareboxError<Id extends OperationId>(error: unknown, operation: Id): error is FareboxError<Id>
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
