import type { InferenceBackend, InferenceTask } from '../inference/inference-task.js'
import type { EmbeddingModel } from '../models/embedding-models.js'
import { countTokens } from '../text/count-tokens.js'

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

/** A request that a model can do. */
export type EmbeddingOrder = {
  readonly model: EmbeddingModel
  readonly inputs: readonly (string | readonly number[])[]
  readonly dimensions?: number
  /** The most tokens of all inputs, whatever tokenizer the model has. */
  readonly tokensBound: number
}

export type OrderFault = { readonly field: string; readonly fault: string }

type Given = {
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[]
  readonly dimensions?: number | undefined
}

/** Models add marks at both ends of an input. */
const marks = 2

/** Checks a request against its model. */
export function readEmbeddingOrder(
  { input, dimensions }: Given,
  model: EmbeddingModel,
): EmbeddingOrder | OrderFault {
  const inputs = listInputs(input)
  for (const [index, one] of inputs.entries()) {
    const tokens = boundInput(one) > model.maxInputTokens ? countInput(one) : 0
    if (tokens > model.maxInputTokens)
      return {
        field: 'input',
        fault: `${index}: Found ${tokens} tokens; ${model.id} takes at most ${model.maxInputTokens}.`,
      }
  }
  if (dimensions !== undefined && !(model.takesDimensions && dimensions <= model.dimensions)) {
    const most = model.takesDimensions
      ? `takes at most ${model.dimensions}`
      : `has ${model.dimensions} and no choice`
    return { field: 'dimensions', fault: `Found ${dimensions}; ${model.id} ${most}.` }
  }
  return {
    model,
    inputs,
    ...(dimensions !== undefined && { dimensions }),
    tokensBound: inputs.reduce((sum, one) => sum + boundInput(one), 0),
  }
}

/** The tokens of all inputs, by our tokenizer. */
export function countInputs({ inputs }: EmbeddingOrder): number {
  return inputs.reduce((sum, one) => sum + countInput(one), 0)
}

function listInputs(input: Given['input']): EmbeddingOrder['inputs'] {
  if (typeof input === 'string') return [input]
  return typeof input[0] === 'number' ? [input as readonly number[]] : (input as readonly string[])
}

function boundInput(input: string | readonly number[]): number {
  return marks + (typeof input === 'string' ? Buffer.byteLength(input) : input.length)
}

function countInput(input: string | readonly number[]): number {
  return typeof input === 'string' ? countTokens(input) : input.length
}
