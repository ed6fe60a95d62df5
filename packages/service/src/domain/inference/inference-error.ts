import {
  UpstreamError,
  type UpstreamErrorOptions,
} from '../../platform/upstream/upstream-failure.js'

/**
 * A fault of a backend of chat, embeddings, images or transcription. `refused`: the request is at
 * fault. `busy`, `timeout`: a retry may succeed. The message is for the caller. With a `trouble`,
 * `failed` is not a crash.
 */
export class InferenceError extends UpstreamError {
  override readonly name = 'InferenceError'
  readonly code: 'refused' | 'busy' | 'timeout' | 'failed'

  constructor(code: InferenceError['code'], message: string, options?: UpstreamErrorOptions) {
    super(message, options)
    this.code = code
  }
}
