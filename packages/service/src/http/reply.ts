import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import { toFailure, type Failure } from '../contract/failures.js'
import { DatabaseUnavailableError } from '../platform/database/storage-error.js'
import { isRecord } from '../platform/unknown-value.js'
import type { RequestContext } from './request-context.js'

/** A response without the common headers. */
export type Reply = {
  readonly status: number
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the caller caused a failure. Default: by status (`isCallersFault`). */
  readonly callersFault?: boolean
  /** Whether the work has failed, once the body has ended. Such a reply is not repeated. */
  readonly isBroken?: () => boolean
}

/** Merges headers under names in lower case, so that none is duplicated. */
export function mergeHeaders(
  headers: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const result: Record<string, string> = {}
  for (const name of Object.keys(headers)) result[name.toLowerCase()] = headers[name] ?? ''
  return result
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
export function expectedFailure(error: unknown): Failure | undefined {
  return error instanceof HttpError ? error.failure : toFailure(error)
}

/**
 * The response to an error. A crash goes to `onCrash`. Its response is a 500 with the request id,
 * and reveals nothing of the error.
 */
export function errorReply(
  error: unknown,
  operation: OperationId | undefined,
  requestContext: RequestContext,
  onCrash: (error: unknown) => void,
): Reply {
  delete requestContext.balanceRemaining
  const { balance, advice } = requestContext.paid ?? {}
  if (balance !== undefined) requestContext.balanceRemaining = balance
  const expected = expectedFailure(error)
  // the operator has to know why the database does not respond
  if (!expected || error instanceof DatabaseUnavailableError) onCrash(error)
  const { requestId } = requestContext
  const crash: Failure = {
    status: 500,
    json: { error: 'An unknown error occurred.', code: 'UNKNOWN_ERROR', requestId },
  }
  const { status, json, headers, callersFault } = expected ?? crash
  if (typeof json['code'] === 'string') requestContext.errorCode = json['code']
  const shaped = isTopUpError(operation, status) ? topUpBody(json) : json
  return {
    status,
    body: JSON.stringify(advice === undefined ? shaped : addAdvice(shaped, advice)),
    headers: { 'content-type': 'application/json', ...mergeHeaders(headers) },
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
function topUpBody(body: Failure['json']): Failure['json'] {
  if (typeof body['message'] === 'string') return body
  const { error, code = 'INVALID_REQUEST', ...rest } = body
  return { error: code, message: error, ...rest }
}

const exposedHeaders = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'X-Balance-Remaining',
  'X-Request-Id',
  'X-Farebox-Backend',
  'Idempotent-Replayed',
  'Parse-Warnings',
  'Retry-After',
  'Date',
  'Allow',
  // of downloads
  'Accept-Ranges',
  'Content-Range',
  'Content-Length',
  'ETag',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
].join(', ')

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'SIGN-IN-WITH-X',
  'X-Sign-In-With-X',
  'PAYMENT-SIGNATURE',
  'X-402-Payment',
  'X-PAYMENT',
  // headers of other clients; the star does not include Authorization
  '*',
].join(', ')

/** The Date of this second, which all its responses share. */
let formatted = { second: NaN, date: '' }

/** Headers of every response. Any page may read it, since credentials are never cookies. */
export function commonHeaders(
  { requestId, balanceRemaining, replayed, paid }: RequestContext,
  now: number,
): Readonly<Record<string, string>> {
  const second = Math.floor(now / 1000)
  if (second !== formatted.second) formatted = { second, date: new Date(now).toUTCString() }
  return {
    date: formatted.date,
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposedHeaders,
    ...(replayed === true && { 'idempotent-replayed': 'true' }),
    ...paid?.headers,
    ...(balanceRemaining !== undefined && { 'x-balance-remaining': balanceRemaining }),
  }
}

export function preflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': '86400',
  }
}

/**
 * Closes the connection when the body fails, so that its reader gets no error. The source of the
 * body has already reported it.
 */
export function closeOnFailure(
  body: ReadableStream<Uint8Array>,
  breakOff: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      start: (controller) => {
        // a body also fails without a reader
        reader.closed.catch(() => {
          breakOff()
          controller.close()
        })
      },
      pull: async (controller) => {
        const part = await reader.read().catch(() => undefined)
        if (part?.done === false) controller.enqueue(part.value)
        else if (part) controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Reports an error of the body, which then still fails. */
export function reportFailure(
  body: ReadableStream<Uint8Array>,
  report: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const part = await reader.read()
          if (part.done) controller.close()
          else controller.enqueue(part.value)
        } catch (error) {
          report(error)
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
