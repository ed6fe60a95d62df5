import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import { toFailure, type Failure, type ResponseHeaders } from '../contract/failures.js'
import { DatabaseUnavailableError } from '../platform/database/storage-error.js'
import { isRecord } from '../platform/unknown-value.js'
import type { RequestContext } from './request-context.js'

/** A response without the common headers. */
export type Reply = {
  readonly status: number
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  readonly headers: ResponseHeaders
  /** Whether the caller caused a failure. Default: by status (`isCallersFault`). */
  readonly callersFault?: boolean
  /** Whether the work has failed, once the body has ended. Such a reply is not repeated. */
  readonly isBroken?: () => boolean
}

/** Ends a request with a failure, from any step before or after its handler. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(String(failure.json['error']))
    this.failure = failure
  }
}

/** The failure of an error. Undefined for an unexpected error, which is a crash. */
export function findExpectedFailure(error: unknown): Failure | undefined {
  return error instanceof HttpError ? error.failure : toFailure(error)
}

/**
 * The response to an error. A crash goes to `onCrash`. Its response is a 500 with the request id,
 * and reveals nothing of the error.
 */
export function toErrorReply(
  error: unknown,
  operation: OperationId | undefined,
  requestContext: RequestContext,
  onCrash: (error: unknown) => void,
): Reply {
  delete requestContext.balanceRemaining
  const { balance, advice } = requestContext.paid ?? {}
  if (balance !== undefined) requestContext.balanceRemaining = balance
  const expected = findExpectedFailure(error)
  // the operator has to know why the database does not respond
  if (!expected || error instanceof DatabaseUnavailableError) onCrash(error)
  const { requestId } = requestContext
  const crash: Failure = {
    status: 500,
    json: { error: 'An unknown error occurred.', code: 'UNKNOWN_ERROR', requestId },
  }
  const { status, json, headers, callersFault } = expected ?? crash
  if (typeof json['code'] === 'string') requestContext.errorCode = json['code']
  const shaped = isTopUpError(operation, status) ? toTopUpBody(json) : json
  return {
    status,
    body: JSON.stringify(advice === undefined ? shaped : addAdvice(shaped, advice)),
    headers: { 'content-type': 'application/json', ...headers },
    ...(callersFault !== undefined && { callersFault }),
  }
}

/** Adds a sentence to the message of an error, which has one of three places. */
function addAdvice(body: Failure['json'], advice: string): Failure['json'] {
  const { error, message } = body
  if (typeof message === 'string') return { ...body, message: `${message} ${advice}` }
  return {
    ...body,
    error: isRecord(error) ? addAdvice(error, advice) : `${String(error)} ${advice}`,
  }
}

/**
 * Whether the contract declares a TopUpError: for the failures of a payment, but not for the
 * payment options.
 */
function isTopUpError(id: OperationId | undefined, status: number): boolean {
  const { discovery }: Partial<Operation> = id === undefined ? {} : operations[id]
  return discovery !== undefined && status !== discovery && status !== 429
}

/** Converts to a TopUpError, which has a code where other errors have a sentence. */
function toTopUpBody(body: Failure['json']): Failure['json'] {
  if (typeof body['message'] === 'string') return body
  const { error, code = 'INVALID_REQUEST', ...rest } = body
  return { error: code, message: error, ...rest }
}
