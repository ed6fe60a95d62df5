import type { UpstreamFailure } from './upstream-failure.js'

export type UpstreamErrorOptions = ErrorOptions & {
  /** When a retry may succeed. Default: soon. */
  readonly retryAfterSeconds?: number | undefined
  /** The fault of an upstream, for the log, without secrets and request. */
  readonly trouble?: string | undefined
  /** Of a call of an upstream. */
  readonly failure?: UpstreamFailure | undefined
}

/** Work failed, at an upstream or in this process. The message is for the caller. */
export abstract class UpstreamError extends Error {
  readonly retryAfterSeconds: UpstreamErrorOptions['retryAfterSeconds']
  readonly trouble: UpstreamErrorOptions['trouble']
  readonly failure: UpstreamErrorOptions['failure']

  constructor(message: string, { retryAfterSeconds, trouble, failure, ...options }: UpstreamErrorOptions = {}) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
    this.trouble = trouble
    this.failure = failure
  }
}
