import type * as LocalBackends from '@farebox/local-backends'
import type { LocalChatPiece } from '@farebox/local-backends'
import {
  loadLocalBackends,
  NoLocalBackendsError,
  readLocalFault,
} from '../../platform/local-backends.js'
import { timeLimit } from '../../platform/time.js'
import { noteOwnWork } from '../../platform/upstream/work-cost.js'
import type { ChatBackend, ChatDelta } from '../chat/chat-backend.js'
import type { EmbeddingBackend } from '../embedding/embedding-backend.js'
import type { ImageBackend } from '../image/image-backend.js'
import {
  InferenceError,
  type InferenceBackend,
  type InferenceTask,
} from '../inference/inference-task.js'
import { testModels } from '../models/test-models.js'
import type { TranscriptionBackend } from '../transcription/transcription-backend.js'

type Opened<Model> = { readonly model: Model; readonly thread: LocalBackends.TaskThread }

/** A local test model that is loaded when it is first needed, and what its backend is made of. */
type LocalInference<Model> = {
  readonly backend: InferenceBackend
  /** The model, for a task that costs the operator nothing. Rejects with an InferenceError. */
  readonly begin: (task: InferenceTask) => Promise<Model>
}

function createLocalInference<Model>(
  id: string,
  create: (
    backends: typeof LocalBackends,
    thread: LocalBackends.TaskThread,
  ) => Model | Promise<Model>,
): LocalInference<Model> {
  let opening: Promise<Opened<Model>> | undefined
  let opened: Opened<Model> | undefined

  const open = async (): Promise<Opened<Model>> => {
    const backends = await loadLocalBackends()
    const thread = backends.createTaskThread({ timeoutScale: timeLimit(1) })
    return { model: await create(backends, thread), thread }
  }
  const load = async () => (opened ??= await (opening ??= open()))

  return {
    backend: {
      describe: () => `embedded test model; model=${id}`,
      serves: (model) => model === id,
      load: () => opened?.thread.load() ?? { busy: 0, waiting: 0 },
      ready: async () => {
        try {
          await load()
        } catch (error) {
          // a service without the package does not have the model, and works otherwise
          if (!(error instanceof NoLocalBackendsError)) throw error
        }
      },
      close: async () => {
        const model = await opening?.catch(() => undefined)
        await model?.thread.close()
      },
    },

    begin: async ({ model, cost }) => {
      try {
        const loaded = await load()
        noteOwnWork(cost, model)
        return loaded.model
      } catch (error) {
        throw toInferenceError(error)
      }
    },
  }
}

/** What a local model failed with, for the caller. */
function toInferenceError(error: unknown): unknown {
  const fault = readLocalFault(error)
  if (!fault) return error
  // nobody reads on
  const code = fault.code === 'unread' ? 'timeout' : fault.code
  return new InferenceError(code, fault.message, fault)
}

/** Chat of the local test model. The tokenizer is loaded with it. */
export function createLocalChat(): ChatBackend {
  const { backend, begin } = createLocalInference(testModels.chat, async (backends, thread) => {
    const [{ decode }, { encodeTokens }, { countPrompt }] = await Promise.all([
      import('gpt-tokenizer/encoding/o200k_base'),
      import('../text/count-tokens.js'),
      import('../chat/read-chat-order.js'),
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

/** Cards with the prompt, of the local test model. */
export function createLocalImage(): ImageBackend {
  const { backend, begin } = createLocalInference(testModels.image, (backends, thread) =>
    backends.createLocalImage(thread),
  )
  return {
    ...backend,
    formats: ['png'],
    generate: async (task, signal) => {
      const { generate } = await begin(task)
      try {
        const images = await generate(task, signal)
        return images.map((bytes) => ({ bytes }))
      } catch (error) {
        throw toInferenceError(error)
      }
    },
  }
}

/** Times of sound and silence, of the local test model. */
export function createLocalTranscription(): TranscriptionBackend {
  const { backend, begin } = createLocalInference(testModels.transcription, (backends, thread) =>
    backends.createLocalTranscription(thread),
  )
  return {
    ...backend,
    transcribe: async (task, signal) => {
      const { transcribe } = await begin(task)
      try {
        return await transcribe(task, signal)
      } catch (error) {
        throw toInferenceError(error)
      }
    },
  }
}
