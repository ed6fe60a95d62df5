import {
  type InferenceBackend,
  type InferenceTask,
  takeOnlyPart,
  routeInference,
  type InferenceSources,
} from '../inference/inference.js'
import { openPost, postForJson } from '../inference/upstream-post.js'
import type { EmbeddingModel } from '../models/embedding-models.js'
import { countTokens } from '../text/count-tokens.js'
import { isRecord } from '../../platform/unknown-value.js'
import type { UpstreamCall } from '../../platform/upstream/upstream-route.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'

/** Inputs to embed. Checked against the contract and the model. */
type EmbeddingTask = InferenceTask & {
  /** Each is a string or its tokens, and becomes one vector. */
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

type EmbeddingInput = {
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[]
  readonly dimensions?: number | undefined
}

/** Models add marks at both ends of an input. */
const marks = 2

/** Checks a request against its model. */
export function readEmbeddingOrder(
  { input, dimensions }: EmbeddingInput,
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

function listInputs(input: EmbeddingInput['input']): EmbeddingOrder['inputs'] {
  if (typeof input === 'string') return [input]
  return typeof input[0] === 'number' ? [input as readonly number[]] : (input as readonly string[])
}

function boundInput(input: string | readonly number[]): number {
  return marks + (typeof input === 'string' ? Buffer.byteLength(input) : input.length)
}

function countInput(input: string | readonly number[]): number {
  return typeof input === 'string' ? countTokens(input) : input.length
}

/** Embeddings of one upstream with OpenAI's `/embeddings`. */
type UpstreamEmbedding = {
  readonly embed: (task: EmbeddingTask, call: UpstreamCall) => Promise<Embeddings>
}

export function openEmbedding(
  settings: UpstreamSettings,
  fetch: typeof globalThis.fetch,
): UpstreamEmbedding {
  const post = openPost(settings, '/embeddings', fetch)
  return {
    embed: async ({ model, inputs, dimensions }, call) => {
      const body = {
        model: settings.modelNames[model] ?? model,
        input: inputs,
        encoding_format: 'float',
        ...(dimensions !== undefined && { dimensions }),
      }
      const value = await postForJson(post, settings, body, call, (response) => {
        const inputTokens = readTokens(response)
        return inputTokens === undefined ? undefined : { model, inputTokens }
      })
      const vectors = readVectors(value, inputs.length)
      if (!vectors) throw post.failed(`gave no vector for each of ${inputs.length} inputs`)
      const [length = 0, ...others] = new Set(vectors.map((vector) => vector.length))
      if (length === 0 || others.length > 0 || length !== (dimensions ?? length))
        throw post.failed(`gave vectors of ${[length, ...others].join(' and ')} numbers`)
      const promptTokens = readTokens(value)
      return { vectors, ...(promptTokens !== undefined && { promptTokens }) }
    },
  }
}

/**
 * Embeddings of the upstreams that serve the model, or of the local backend while no upstream of
 * embeddings is configured.
 */
export function createRoutedEmbedding(
  sources: InferenceSources<EmbeddingBackend, UpstreamEmbedding>,
): EmbeddingBackend {
  const { backend, local, ask } = routeInference(sources)
  return {
    ...backend,
    embed: async (task, signal) =>
      local()?.embed(task, signal) ??
      takeOnlyPart(
        ask({
          task,
          work: {},
          signal,
          ask: async function* (client, call) {
            yield await client.embed(task, call)
          },
          isDelivery: () => false,
        }),
      ),
  }
}

/** Undefined for 0, which a server states that does not count. */
function readTokens({ usage }: Readonly<Record<string, unknown>>): number | undefined {
  const tokens = isRecord(usage) ? (usage['prompt_tokens'] ?? usage['total_tokens']) : undefined
  return Number.isSafeInteger(tokens) && Number(tokens) > 0 ? Number(tokens) : undefined
}

/** In the order of `index`. Undefined unless there is one of finite numbers for each input. */
function readVectors(
  { data }: Readonly<Record<string, unknown>>,
  count: number,
): readonly (readonly number[])[] | undefined {
  if (!Array.isArray(data) || data.length !== count) return undefined
  const vectors: (readonly number[])[] = []
  for (const [place, one] of data.entries()) {
    if (!isRecord(one)) return undefined
    const { embedding, index = place } = one
    if (!Array.isArray(embedding) || typeof index !== 'number') return undefined
    if (!embedding.every(Number.isFinite)) return undefined
    vectors[index] = embedding
  }
  return Object.keys(vectors).length === count && vectors.length === count ? vectors : undefined
}
