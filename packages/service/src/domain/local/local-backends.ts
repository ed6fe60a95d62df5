import type * as LocalBackends from '@farebox/local-backends'
import type { LocalChatPiece, LocalSpeech, LocalVideo } from '@farebox/local-backends'
import { timeLimit } from '../../platform/time.js'
import { noteOwnWork } from '../../platform/upstream/work-cost.js'
import type { ChatBackend, ChatDelta } from '../chat/chat-backend.js'
import { countPrompt } from '../chat/read-chat-order.js'
import type { EmbeddingBackend } from '../embedding/embedding.js'
import type { ImageBackend } from '../image/image.js'
import {
  InferenceError,
  type InferenceBackend,
  type InferenceTask,
} from '../inference/inference.js'
import { testModels } from '../models/test-models.js'
import type { TranscriptionBackend } from '../transcription/transcription.js'
import { SpeechError, type SpeechBackend } from '../speech/speech-backend.js'
import { countTokens, decodeTokens, encodeTokens } from '../text/count-tokens.js'
import { decodeDataUrl } from '../media/inspect-media.js'
import { VideoError, type VideoBackend } from '../video/video-backend.js'

/**
 * The test models that run in this process. They are an optional dependency, which an operator with
 * upstreams can leave out.
 */
async function loadLocalBackends(): Promise<typeof LocalBackends> {
  try {
    return await import('@farebox/local-backends')
  } catch (cause) {
    throw new NoLocalBackendsError(cause)
  }
}

/** The package is not installed, or cannot be loaded. */
export class NoLocalBackendsError extends Error {
  override readonly name = 'NoLocalBackendsError'

  constructor(cause: unknown) {
    super(
      `There is no upstream for this, and the local test models cannot be loaded. Configure an upstream, or run npm install @farebox/local-backends beside the service. (${cause instanceof Error ? cause.message : String(cause)})`,
      { cause },
    )
  }
}

/** A failure of a local backend, as an `UpstreamError` takes it. */
type LocalFault = {
  readonly code: LocalBackends.LocalBackendErrorCode
  /** For the caller. */
  readonly message: string
  readonly retryAfterSeconds?: number | undefined
  /** For the log. */
  readonly trouble?: string
  readonly cause: unknown
}

/** Undefined for an error that no local backend throws. */
function readLocalFault(error: unknown): LocalFault | undefined {
  if (error instanceof NoLocalBackendsError) {
    const message = 'The model is not available on this service.'
    return { code: 'busy', message, retryAfterSeconds: 60, trouble: error.message, cause: error }
  }
  return isLocalBackendError(error) ? { ...toFields(error), cause: error } : undefined
}

function toFields({ code, message, retryAfterSeconds }: LocalBackends.LocalBackendError) {
  return { code, message, retryAfterSeconds }
}

/** Compares the name, because the class is loaded lazily. */
function isLocalBackendError(error: unknown): error is LocalBackends.LocalBackendError {
  return error instanceof Error && error.name === 'LocalBackendError'
}

type LoadedModel<Model> = { readonly model: Model; readonly thread: LocalBackends.TaskThread }

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
  let opening: Promise<LoadedModel<Model>> | undefined
  let opened: LoadedModel<Model> | undefined

  const open = async (): Promise<LoadedModel<Model>> => {
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

/** Converts the failure of a local model to an error for the caller. */
function toInferenceError(error: unknown): unknown {
  const fault = readLocalFault(error)
  if (!fault) return error
  // the consumer has left
  const code = fault.code === 'unread' ? 'timeout' : fault.code
  return new InferenceError(code, fault.message, fault)
}

/** Chat of the local test model. */
export function createLocalChat(): ChatBackend {
  const { backend, begin } = createLocalInference(testModels.chat, (backends, thread) =>
    backends.createLocalChat({
      tokenizer: { encode: encodeTokens, decode: decodeTokens },
      thread,
    }),
  )
  return {
    ...backend,
    async *complete(task, signal) {
      const { complete } = await begin(task)
      const promptTokens = countPrompt(task.request)
      try {
        for await (const piece of complete(task, signal)) yield [toDelta(piece, promptTokens)]
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

/** Embeddings of the local test model. */
export function createLocalEmbedding(): EmbeddingBackend {
  const { backend, begin } = createLocalInference(testModels.embedding, (backends) =>
    backends.createLocalEmbedding(),
  )
  return {
    ...backend,
    embed: async (task, signal) => {
      const { inputs, dimensions } = task
      const { embed } = await begin(task)
      const texts = inputs.map((input) => (typeof input === 'string' ? input : decodeTokens(input)))
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

/** Speech of the local synthesizer, which is loaded when it is first needed. */
export function createLocalSpeech(
  open: () => Promise<LocalSpeech> = openSynthesizer,
): SpeechBackend {
  let opening: Promise<LocalSpeech> | undefined
  let opened: LocalSpeech | undefined
  const local = async () => (opened ??= await (opening ??= open()))
  return {
    describe: (request) => `embedded test model; ${opened?.describe(request) ?? 'not loaded'}`,

    rejectLate: async (request) => {
      try {
        const speech = await local()
        speech.rejectLate(request)
      } catch (error) {
        throw toSpeechError(error)
      }
    },

    async *speak(request, signal) {
      try {
        const speech = await local()
        noteOwnWork(request.cost, request.model)
        yield* speech.speak(request, signal)
      } catch (error) {
        throw toSpeechError(error)
      }
    },

    load: () => opened?.load() ?? { busy: 0, waiting: 0 },

    ready: async () => {
      try {
        const speech = await local()
        await speech.ready()
      } catch (error) {
        // a service without the package has no speech, and works otherwise
        if (!(error instanceof NoLocalBackendsError)) throw error
      }
    },

    close: async () => {
      const speech = await opening?.catch(() => undefined)
      await speech?.close()
    },
  }
}

async function openSynthesizer(): Promise<LocalSpeech> {
  const backends = await loadLocalBackends()
  return backends.createLocalSpeech({ timeoutScale: timeLimit(1) })
}

function toSpeechError(error: unknown): unknown {
  const fault = readLocalFault(error)
  return fault ? new SpeechError(fault.code, fault.message, fault) : error
}

/** Title cards of the local renderer, which is loaded when it is first needed. */
export function createLocalVideo(): VideoBackend {
  let opening: Promise<LocalVideo> | undefined
  return {
    name: 'embedded test model; renderer=title-card',

    render: async (order, signal) => {
      const url = order.media.find(({ role }) => role === 'video')?.url
      try {
        const local = await (opening ??= openRenderer())
        noteOwnWork(order.cost, order.model.id)
        return await local.render(
          { ...order, video: url === undefined ? undefined : decodeDataUrl(url) },
          signal,
        )
      } catch (error) {
        const fault = readLocalFault(error)
        throw fault ? new VideoError(fault.message, fault) : error
      }
    },
  }
}

async function openRenderer(): Promise<LocalVideo> {
  const backends = await loadLocalBackends()
  return backends.createLocalVideo({ timeoutMs: timeLimit(120_000) })
}
