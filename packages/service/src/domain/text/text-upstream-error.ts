import type { UpstreamFailure } from '../../platform/upstream/upstream-failure.js'

export type TextUpstreamErrorOptions = ErrorOptions & {
  readonly failure: UpstreamFailure
  readonly retryAfterSeconds?: number | undefined
  /** For the log, without secrets and text. */
  readonly trouble?: string | undefined
}

/** An upstream of the text parser failed. The message is for the caller. */
export class TextUpstreamError extends Error {
  override readonly name = 'TextUpstreamError'
  readonly failure: UpstreamFailure
  readonly retryAfterSeconds: number | undefined
  readonly trouble: string | undefined

  constructor(message: string, { failure, retryAfterSeconds, trouble, ...options }: TextUpstreamErrorOptions) {
    super(message, options)
    this.failure = failure
    this.retryAfterSeconds = retryAfterSeconds
    this.trouble = trouble
  }
}
