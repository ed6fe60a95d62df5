import type { ErrorDetails } from '@farebox/types'

/** An answer that is no success, thrown from wherever it is decided. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) {
    super(typeof body['error'] === 'string' ? body['error'] : `status ${status}`)
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** StandardError, with a code for programs. */
export function refusal(status: number, error: string, code?: string, headers?: Readonly<Record<string, string>>): HttpError {
  return new HttpError(status, { error, ...(code !== undefined && { code }) }, headers)
}

/** DetailedError: what is wrong with which field. */
export function invalidInput(error: string, details: ErrorDetails): HttpError {
  return new HttpError(400, { error, details })
}

/** One message at one field. */
export function fieldFault(field: string, message: string): HttpError {
  return invalidInput(`The request is not valid. ${field}: ${message}`, { [field]: { _errors: [message] } })
}

export function tooLarge(error: string): HttpError {
  return new HttpError(413, { error, code: 'PAYLOAD_TOO_LARGE' })
}

export function keyConflict(): HttpError {
  return refusal(409, 'This Idempotency-Key was used with another body.', 'IDEMPOTENCY_CONFLICT')
}

const goneCode = 'CLIENT_GONE'

/** The connection ended before its answer. It is neither a crash nor a failure of the caller. */
export function clientGone(): HttpError {
  return refusal(400, 'The request was given up by its client.', goneCode)
}

export function isClientGone(error: unknown): boolean {
  return error instanceof HttpError && error.body['code'] === goneCode
}
