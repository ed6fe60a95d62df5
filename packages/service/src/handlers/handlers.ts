import type { OperationId } from '@farebox/types/operations'
import type { Handler, Context, Quote } from '../contract/handler.js'
import { createChatCompletion } from './create-chat-completion.js'
import { createEmbedding } from './create-embedding.js'
import { createImage } from './create-image.js'
import { createSpeech, createVoice, findVoice, unknownSpeechModel } from './speech.js'
import { createTranscription } from './create-transcription.js'
import { getBalance, listTransactions, topUp } from './wallet.js'
import {
  getRateLimits,
  listRateLimitLogs,
  createApiKey,
  changeApiKey,
  getApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from './own-keys.js'
import { getModel, listModels } from './list-models.js'
import { parseText } from './parse-text.js'
import { queueVideo, quoteVideo, retrieveVideo } from './video.js'
import { toFileFailure, invalidField, type Failure } from '../contract/failures.js'
import { quoteChat } from '../domain/chat/chat-meter.js'
import { readChatOrder, type ChatInput } from '../domain/chat/read-chat-order.js'
import { readEmbeddingOrder } from '../domain/embedding/embedding.js'
import { readImageOrder } from '../domain/image/image.js'
import type { InferenceBackend } from '../domain/inference/inference.js'
import { priceSpeech } from '../domain/models/catalogue.js'
import { priceEmbedding } from '../domain/models/embedding-models.js'
import { priceImages } from '../domain/models/image-models.js'
import { priceTranscription } from '../domain/models/transcription-models.js'

/** Every operation of the contract. A missing one does not compile. */
export const handlers: { readonly [Id in OperationId]: Handler<Id> } = {
  topUp,
  getBalance,
  listTransactions,
  parseText,
  createSpeech,
  createVoice,
  createTranscription,
  createChatCompletion,
  createEmbedding,
  createImage,
  quoteVideo,
  queueVideo,
  retrieveVideo,
  listModels,
  getModel,
  createApiKey,
  listApiKeys,
  getApiKey,
  changeApiKey,
  rotateApiKey,
  revokeApiKey,
  getRateLimits,
  listRateLimitLogs,
}

/** What to do about an invalid field, by operation. */
export const advice: { readonly [Id in OperationId]?: Readonly<Record<string, string>> } = {
  // the issue only tells how the handle of a cloned voice looks
  createSpeech: { voice: 'GET /models?type=tts lists the voices of each model.' },
}

type Quoter<Id extends OperationId> = (
  context: Omit<Context<Id>, 'order'>,
) => Promise<Failure | Quote<Id>>

/**
 * What a request may cost, by operation. Rejects work that cannot be done, or not in time, before a
 * payment is credited and the price is held. Other operations have a fixed price or none.
 */
export const quotes: { readonly [Id in OperationId]?: Quoter<Id> } = {
  createSpeech: async (context) => {
    const { input, callerId, services } = context
    const { input: text, response_format: format, streaming, speed } = input
    const events = rejectEvents(input, 'stream_format')
    if (events) return events
    const voice = await findVoice(context)
    if (typeof voice !== 'string') return voice
    await services.speech.rejectLate?.({ text, caller: callerId, format, streaming, speed })
    const model = services.catalogue.speechModels.get(input.model)
    if (!model) return unknownSpeechModel(input.model)
    const price = priceSpeech(model, Array.from(text).length)
    return { most: price, least: price, order: undefined }
  },

  createChatCompletion: async ({ input, callerId, services }) => {
    const { catalogue, chat, media } = services
    const match = findInferenceModel(input.model, catalogue.textModels, chat, 'text')
    if ('failure' in match) return match.failure
    const { model } = match
    try {
      const order = await readChatOrder(input as unknown as ChatInput, {
        model,
        extraFields: chat.extraFields?.(model.id) ?? new Set(),
        reader: media,
        caller: callerId,
      })
      if ('fault' in order) return invalidField(order.field, order.fault)
      return { ...quoteChat(order), order }
    } catch (error) {
      return toFileFailure(error, 'messages', 'MEDIA_READER_OVERLOADED')
    }
  },

  createEmbedding: async ({ input, services }) => {
    const { catalogue, embedding } = services
    const match = findInferenceModel(input.model, catalogue.embeddingModels, embedding, 'embedding')
    if ('failure' in match) return match.failure
    const order = readEmbeddingOrder(input, match.model)
    if ('fault' in order) return invalidField(order.field, order.fault)
    const price = priceEmbedding(order.model, order.tokensBound)
    return { most: price, least: price, order }
  },

  createImage: async ({ input, services }) => {
    const { catalogue, image } = services
    const events = rejectEvents(input, 'stream')
    if (events) return events
    const served = [...catalogue.imageModels.keys()].find((id) => image.serves(id))
    const id = input.model === 'default' ? (served ?? input.model) : input.model
    const match = findInferenceModel(id, catalogue.imageModels, image, 'image')
    if ('failure' in match) return match.failure
    const order = readImageOrder(input, match.model, image.formats)
    if ('fault' in order) return invalidField(order.field, order.fault)
    const { size, quality, n: images } = order
    const work = { size, images, ...(quality !== undefined && { quality }) }
    const price = priceImages(order.model, work)
    return { most: price, least: price, order }
  },

  createTranscription: async ({ input, callerId, services }) => {
    const { catalogue, media, transcription } = services
    const { file, model: id, timestamp_granularities: granularities } = input
    if (!(file instanceof Uint8Array))
      return invalidField('file', 'Expected a file, found a string.')
    const events = rejectEvents(input, 'stream')
    if (events) return events
    const match = findInferenceModel(id, catalogue.transcriptionModels, transcription, 'asr')
    if ('failure' in match) return match.failure
    const { model } = match
    if (granularities !== undefined && input.response_format !== 'verbose_json')
      return invalidField('timestamp_granularities', 'Expected `verbose_json` with it.')
    try {
      const facts = await media.readAudio(file, callerId)
      if (facts.seconds > model.maxSeconds)
        return invalidField(
          'file',
          `The recording lasts ${facts.seconds.toFixed(1)} s; ${id} takes at most ${model.maxSeconds} s.`,
        )
      const price = priceTranscription(model, facts.seconds)
      return { most: price, least: price, order: { ...facts, model, audio: file } }
    } catch (error) {
      return toFileFailure(error, 'file', 'MEDIA_READER_OVERLOADED')
    }
  },
}

/** For a client of OpenAI that waits for events, and would see nothing of the response that it pays. */
function rejectEvents(
  input: Readonly<Record<string, unknown>>,
  field: 'stream' | 'stream_format',
): Failure<400> | undefined {
  // a field of a form is a string
  const isAsked = input[field] === true || input[field] === 'true' || input[field] === 'sse'
  return isAsked
    ? invalidField(field, 'This operation sends no events. Leave the field out.')
    : undefined
}

/** The model if callers can use it and the backend serves it, otherwise the failure. */
function findInferenceModel<Model>(
  id: string,
  models: ReadonlyMap<string, Model>,
  backend: InferenceBackend,
  type: 'text' | 'embedding' | 'image' | 'asr',
): { readonly model: Model } | { readonly failure: ReturnType<typeof invalidField> } {
  const model = models.get(id)
  if (model !== undefined && backend.serves(id)) return { model }
  const what = model === undefined ? `has no ${type} model` : 'has no backend for'
  const advice = `GET /models?type=${type} lists those that can be called.`
  return { failure: invalidField('model', `This service ${what} ${id.slice(0, 100)}. ${advice}`) }
}
