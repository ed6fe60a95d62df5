import {
  UpstreamError,
  type UpstreamErrorOptions,
} from '../../platform/upstream/upstream-failure.js'
import type { OnServed } from '../../platform/upstream/upstream-settings.js'
import type { WorkCost } from '../../platform/upstream/work-cost.js'
import type { WorkerLoad } from '../../platform/workers/worker-pool.js'

/** What the tasks of all backends of chat, embeddings, images and transcription have. */
export type InferenceTask = {
  readonly model: string
  /** The account that pays, for fair shares. It is not sent on. */
  readonly caller: string
  /** The Idempotency-Key for upstreams that honor one. */
  readonly key?: string
  /** Called when an upstream has accepted the task. */
  readonly onServed?: OnServed
  /** Takes what the operator is billed for the task. */
  readonly cost?: WorkCost
}

/** What the backends of chat, embeddings, images and transcription share. */
export type InferenceBackend = {
  /** For the header X-Farebox-Backend. With `host`, that of the upstream that serves the model. */
  readonly describe: (model: string, host?: string) => string
  /** Whether the backend serves the model. */
  readonly serves: (model: string) => boolean
  /** Without it, `/metrics` does not show the backend. */
  readonly load?: () => WorkerLoad
  /** Rejects when the backend cannot work. Without it the backend is always ready. */
  readonly ready?: () => Promise<void>
  readonly close: () => Promise<void>
}

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
