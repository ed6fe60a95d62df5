import { testModels } from '../models/test-models.js'
import type { LocalChatPiece } from '@farebox/local-backends'
import { createLocalInference, toInferenceError } from '../inference/local-inference.js'
import type { ChatBackend, ChatDelta } from './chat-backend.js'

/** Chat of the local test model. The tokenizer is loaded with it. */
export function createLocalChat(): ChatBackend {
  const { backend, begin } = createLocalInference(testModels.chat, async (backends, thread) => {
    const [{ decode }, { encodeTokens }, { countPrompt }] = await Promise.all([
      import('gpt-tokenizer/encoding/o200k_base'),
      import('../text/count-tokens.js'),
      import('./prompt-tokens.js'),
    ])
    const tokenizer = { encode: encodeTokens, decode }
    return { ...backends.createLocalChat({ tokenizer, thread }), countPrompt }
  })
  return {
    ...backend,
    async *complete(task, signal) {
      const { complete, countPrompt } = await begin(task)
      const promptTokens = countPrompt(task.request)
      try {
        for await (const piece of complete(task, signal)) yield toDelta(piece, promptTokens)
      } catch (error) {
        throw toInferenceError(error)
      }
    },
  }
}

function toDelta({ choices, completionTokens }: LocalChatPiece, promptTokens: number): ChatDelta {
  if (completionTokens === undefined) return { choices }
  return { choices, usage: { promptTokens, cachedTokens: 0, completionTokens } }
}
