import type { ErrorDetails } from '@farebox/types'

/** Whether an answer of this status is a failure of its caller. Load (429) and faults of the service (5xx) are ours. */
export function isCallersFault(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429
}

/** An answer that is no success, thrown from wherever it is decided. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  /** Whether the caller caused it: such failures count towards its block. */
  readonly callersFault: boolean

  constructor(
    status: number,
    body: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
    callersFault = isCallersFault(status),
  ) {
    super(typeof body['error'] === 'string' ? body['error'] : `status ${status}`)
    this.status = status
    this.body = body
    this.headers = headers
    this.callersFault = callersFault
  }
}

/** StandardError, with a code for programs. */
export function refusal(status: number, error: string, code?: string, headers?: Readonly<Record<string, string>>): HttpError {
  return new HttpError(status, { error, ...(code !== undefined && { code }) }, headers)
}

/** DetailedError: what is wrong with which field. */
export function invalidInput(error: string, details: ErrorDetails, headers?: Readonly<Record<string, string>>): HttpError {
  return new HttpError(400, { error, details }, headers)
}

/** One message at one field. */
export function fieldFault(field: string, message: string): HttpError {
  return invalidInput(`The request is not valid. ${field}: ${message}`, { [field]: { _errors: [message] } })
}

export function tooLarge(error: string, headers?: Readonly<Record<string, string>>): HttpError {
  return new HttpError(413, { error, code: 'PAYLOAD_TOO_LARGE' }, headers)
}

export function keyConflict(): HttpError {
  return refusal(409, 'This Idempotency-Key was used with another body.', 'IDEMPOTENCY_CONFLICT')
}

/** The connection ended before its answer. It is neither a crash nor a failure of the caller. */
export function clientGone(): HttpError {
  return new HttpError(400, { error: 'The request was given up by its client.', code: 'CLIENT_GONE' }, {}, false)
}
