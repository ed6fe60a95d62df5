import type { InferenceBackend, InferenceTask } from '../inference/inference-task.js'

/** Inputs to embed. Checked against the contract and the model. */
export type EmbeddingTask = InferenceTask & {
  /** Each a text, or the tokens of one. One vector is made for each. */
  readonly inputs: readonly (string | readonly number[])[]
  /** Length of the vectors. Undefined: that of the model. */
  readonly dimensions?: number
}

export type Embeddings = {
  /** In the order of the inputs. */
  readonly vectors: readonly (readonly number[] | Float32Array)[]
  /** Tokens of all inputs. Undefined if the backend does not say. */
  readonly promptTokens?: number
}

export type EmbeddingBackend = InferenceBackend & {
  /** Rejects with an InferenceError for faults that the caller should know, and when it aborts. */
  readonly embed: (task: EmbeddingTask, signal: AbortSignal) => Promise<Embeddings>
}
