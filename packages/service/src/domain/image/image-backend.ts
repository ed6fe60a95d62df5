import type { InferenceBackend, InferenceTask } from '../inference/inference-task.js'

/** Images to make. Checked against the contract and the model. */
export type ImageTask = InferenceTask & {
  readonly prompt: string
  readonly n: number
  readonly width: number
  readonly height: number
  /** One of the model's qualities. */
  readonly quality?: string
  readonly format: ImageFormat
  /** Further fields of the body, for upstreams: `style`, `background`, `seed`. */
  readonly options: Readonly<Record<string, unknown>>
}

export type ImageFormat = 'png' | 'jpeg' | 'webp'

export type GeneratedImage = {
  readonly bytes: Uint8Array
  /** The prompt that was drawn, where the model changed it. */
  readonly revisedPrompt?: string
}

export type ImageBackend = InferenceBackend & {
  /** The formats that the backend makes. */
  readonly formats: readonly ImageFormat[]
  /**
   * The images, at most `n`. The caller pays for each. Rejects with an InferenceError for faults
   * that the caller should know, and when it aborts.
   */
  readonly generate: (task: ImageTask, signal: AbortSignal) => Promise<readonly GeneratedImage[]>
}
