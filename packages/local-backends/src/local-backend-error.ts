/**
 * `busy`, `timeout`: a retry may succeed. `unread`: the caller stopped reading. `rejected`: the
 * request cannot be done here. `failed`: anything else. The message is for the caller.
 */
export type LocalBackendErrorCode = 'rejected' | 'busy' | 'timeout' | 'unread' | 'failed'

/** A failure of a local backend. */
export class LocalBackendError extends Error {
  override readonly name = 'LocalBackendError'
  readonly code: LocalBackendErrorCode
  /** When a retry may succeed. Undefined: soon. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: LocalBackendErrorCode,
    message: string,
    {
      retryAfterSeconds,
      ...options
    }: ErrorOptions & { readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message, options)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}
