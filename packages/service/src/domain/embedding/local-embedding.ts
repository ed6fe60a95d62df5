import { testModels } from '../models/test-models.js'
import { createLocalInference, toInferenceError } from '../inference/local-inference.js'
import type { EmbeddingBackend } from './embedding-backend.js'

/** Embeddings of the local test model. The tokenizer is loaded with it. */
export function createLocalEmbedding(): EmbeddingBackend {
  const { backend, begin } = createLocalInference(testModels.embedding, async (backends) => {
    const [{ decode }, { countTokens }] = await Promise.all([
      import('gpt-tokenizer/encoding/o200k_base'),
      import('../text/count-tokens.js'),
    ])
    return { ...backends.createLocalEmbedding(), decode, countTokens }
  })
  return {
    ...backend,
    embed: async (task, signal) => {
      const { inputs, dimensions } = task
      const { embed, decode, countTokens } = await begin(task)
      const texts = inputs.map((input) => (typeof input === 'string' ? input : decode(input)))
      const promptTokens = inputs.reduce(
        (sum, input) => sum + (typeof input === 'string' ? countTokens(input) : input.length),
        0,
      )
      try {
        return { vectors: await embed(texts, { dimensions, signal }), promptTokens }
      } catch (error) {
        throw toInferenceError(error)
      }
    },
  }
}
