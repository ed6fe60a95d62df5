import type { ErrorDetails } from '@farebox/types'
import { CredentialsError } from '../domain/accounts/authenticate.js'
import { InferenceError } from '../domain/inference/inference.js'
import { SpeechError } from '../domain/speech/speech-backend.js'
import { TextUpstreamError } from '../domain/text/text-errors.js'
import { DatabaseUnavailableError } from '../platform/database/storage-error.js'
import { FileError } from '../platform/workers/worker-task.js'

/** Names in lower case, so that merging headers duplicates none. */
export type ResponseHeaders = Readonly<Record<Lowercase<string>, string>>

export type FailureOptions = {
  readonly headers?: ResponseHeaders
  /**
   * Whether the caller caused it, so that it counts towards a block. Default: by status
   * (`isCallersFault`).
   */
  readonly callersFault?: boolean
}

/**
 * A response other than a success. Its type has the status and the body, which a handler's contract
 * must declare.
 */
export type Failure<Status extends number = number, Body = Readonly<Record<string, unknown>>> = {
  readonly status: Status
  readonly json: Body
} & FailureOptions

type Message = { readonly error: string; readonly code: string }
type Details = { readonly error: string; readonly details: ErrorDetails }

/**
 * Whether the caller is at fault for a response of this status. Load (429) and failures of the
 * service (5xx) do not count.
 */
export function isCallersFault(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429
}

/** StandardError, with a code for programs. */
export function failure<const Status extends number>(
  status: Status,
  error: string,
  code: string,
  headers?: ResponseHeaders,
): Failure<Status, Message> {
  return { status, json: { error, code }, ...(headers && { headers }) }
}

/** DetailedError, with messages for the fields. */
export function invalidInput(
  error: string,
  details: ErrorDetails,
  headers?: ResponseHeaders,
): Failure<400, Details> {
  return { status: 400, json: { error, details }, ...(headers && { headers }) }
}

/** One message for each field, the first of them in the sentence. */
export function invalidFields(faults: Readonly<Record<string, string>>): Failure<400, Details> {
  const [field = '', message = ''] = Object.entries(faults)[0] ?? []
  const details = Object.fromEntries(
    Object.entries(faults).map(([name, text]) => [name, { _errors: [text] }]),
  )
  return invalidInput(`The request is not valid. ${field}: ${message}`, details)
}

export function invalidField(field: string, message: string): Failure<400, Details> {
  return invalidFields({ [field]: message })
}

export function tooLarge(error: string, headers?: ResponseHeaders): Failure<413, Message> {
  return failure(413, error, 'PAYLOAD_TOO_LARGE', headers)
}

export const keyConflictMessage = 'This Idempotency-Key was used with another body.'

export function idempotencyConflict(): Failure<
  409,
  Message & { readonly code: 'IDEMPOTENCY_CONFLICT' }
> {
  return { status: 409, json: { error: keyConflictMessage, code: 'IDEMPOTENCY_CONFLICT' } }
}

/** The first request with this Idempotency-Key is still running. The caller did nothing wrong. */
export function idempotencyInProgress(): Failure<
  409,
  Message & { readonly code: 'IDEMPOTENCY_IN_PROGRESS' }
> {
  const error = 'The first request with this Idempotency-Key is still running. Try again in 1 s.'
  return {
    status: 409,
    json: { error, code: 'IDEMPOTENCY_IN_PROGRESS' },
    headers: { 'retry-after': '1' },
    callersFault: false,
  }
}

/** The operator has frozen the account. This does not count as a failure of the caller. */
export function accountFrozen(): Failure<403, Message> {
  const error =
    'This account is frozen. Its balance can be read, and nothing can be bought from it. Ask the operator of the service.'
  return { ...failure(403, error, 'ACCOUNT_FROZEN'), callersFault: false }
}

/**
 * The response of the first request with this Idempotency-Key is not stored. `did` says what it
 * did, such as "made the voice", and `id` to which object.
 */
export function responseNotStored(
  did: string,
  id: string,
  advice: string,
): Failure<409, Message & { readonly id: string }> {
  const error = `The first request with this Idempotency-Key ${did} ${id}, and its response is not stored. ${advice}`
  return { status: 409, json: { error, code: 'DONE_BEFORE', id } }
}

/** The connection ended before its response. It is neither a crash nor a failure of the caller. */
export function clientGone(): Failure<400, Message> {
  return {
    ...failure(400, 'The client closed the request.', 'CLIENT_GONE'),
    callersFault: false,
  }
}

/**
 * Whether work ended because its client stopped reading. The client pays for the part that was
 * made.
 */
export function isClientGone(error: unknown): boolean {
  return error instanceof SpeechError && error.code === 'unread'
}

/**
 * The failure for a file that could not be read: 400 at its field, or 429 when no worker was free.
 * Rethrows any error but a FileError.
 */
export function toFileFailure(
  error: unknown,
  field: string,
  overloadedCode: string,
): Failure<400, Details> | Failure<429, Message> {
  if (!(error instanceof FileError)) throw error
  if (error.code === 'overloaded')
    return failure(429, error.message, overloadedCode, { 'retry-after': '5' })
  return invalidField(field, error.message)
}

/**
 * Maps an error of the domain to a failure. Undefined for an unexpected error, which is a crash.
 */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof CredentialsError)
    return failure(401, error.message, credentialCodes[error.reason])
  if (error instanceof SpeechError || error instanceof InferenceError) return toModelFailure(error)
  if (error instanceof TextUpstreamError) return toTextFailure(error)
  if (error instanceof DatabaseUnavailableError) {
    return failure(
      503,
      'The database does not respond at the moment. Try again in 2 s.',
      'DATABASE_UNAVAILABLE',
      { 'retry-after': '2' },
    )
  }
  return undefined
}

function toModelFailure({
  code,
  message,
  retryAfterSeconds = 5,
  trouble,
}: SpeechError | InferenceError): Failure | undefined {
  if (code === 'rejected') return invalidInput(message, { _errors: [message] })
  if (code === 'unread') return clientGone()
  if (code !== 'failed')
    return failure(503, message, 'MODEL_AT_CAPACITY', { 'retry-after': String(retryAfterSeconds) })
  // the log already names the upstream that caused it
  return trouble === undefined
    ? undefined
    : failure(500, 'An unknown error occurred.', 'UNKNOWN_ERROR')
}

/** 503 if a retry may succeed, otherwise 500. The log names the upstream in both cases. */
function toTextFailure({
  message,
  failure: found,
  retryAfterSeconds = 5,
}: TextUpstreamError): Failure {
  if (found?.isTransient !== true)
    return failure(500, 'An unknown error occurred.', 'UNKNOWN_ERROR')
  return failure(503, message, 'MODEL_AT_CAPACITY', { 'retry-after': String(retryAfterSeconds) })
}

const credentialCodes: Readonly<Record<CredentialsError['reason'], string>> = {
  invalid_payload: 'X402_SIGN_IN_INVALID_PAYLOAD',
  invalid_message: 'X402_SIGN_IN_INVALID_MESSAGE',
  address_mismatch: 'X402_SIGN_IN_ADDRESS_MISMATCH',
  chain_mismatch: 'X402_SIGN_IN_CHAIN_MISMATCH',
  unsupported_chain: 'X402_SIGN_IN_UNSUPPORTED_CHAIN',
  domain_mismatch: 'X402_SIGN_IN_DOMAIN_MISMATCH',
  uri_mismatch: 'X402_SIGN_IN_URI_MISMATCH',
  timestamp_mismatch: 'X402_SIGN_IN_TIMESTAMP_MISMATCH',
  expired: 'X402_SIGN_IN_EXPIRED',
  not_yet_valid: 'X402_SIGN_IN_FUTURE_TIMESTAMP',
  invalid_signature: 'X402_SIGN_IN_INVALID_SIGNATURE',
  verifier_failed: 'X402_SIGN_IN_VERIFIER_FAILED',
  nonce_reused: 'X402_SIGN_IN_NONCE_REUSED',
  no_wallets: 'AUTHENTICATION_FAILED',
  unknown_key: 'AUTHENTICATION_FAILED',
  expired_key: 'AUTHENTICATION_FAILED_INACTIVE_KEY',
  revoked_key: 'AUTHENTICATION_FAILED_INACTIVE_KEY',
  needs_admin_key: 'UNAUTHORIZED',
}
