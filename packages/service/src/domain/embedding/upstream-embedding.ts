import { isRecord } from '../../platform/is-record.js'
import type { UpstreamCall } from '../../platform/upstream/route-parts.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'
import { onlyPart, routeInference, type InferenceSources } from '../inference/routed-inference.js'
import { openPost, postForJson } from '../inference/upstream-post.js'
import type { EmbeddingBackend, Embeddings, EmbeddingTask } from './embedding-backend.js'

/** Embeddings of one upstream with OpenAI's `/embeddings`. */
export type UpstreamEmbedding = {
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
      const value = await postForJson(post, settings, body, call, (answer) => {
        const inputTokens = readTokens(answer)
        return inputTokens === undefined ? undefined : { model, inputTokens }
      })
      const vectors = readVectors(value, inputs.length)
      if (!vectors) throw post.failed(`gave no vector for each of ${inputs.length} inputs`)
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
      onlyPart(
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

function readTokens({ usage }: Readonly<Record<string, unknown>>): number | undefined {
  const tokens = isRecord(usage) ? (usage['prompt_tokens'] ?? usage['total_tokens']) : undefined
  return Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? Number(tokens) : undefined
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
    if (!embedding.every((value) => typeof value === 'number')) return undefined
    vectors[index] = embedding
  }
  return Object.keys(vectors).length === count && vectors.length === count ? vectors : undefined
}
