import type { OperationId } from '@farebox/types/operations'
import { fileFailure, invalidField, type Failure } from '../contract/failures.js'
import type { Context, Quote } from '../contract/handler.js'
import { quoteChat } from '../domain/chat/chat-quote.js'
import { readChatOrder, type GivenChat } from '../domain/chat/read-chat-order.js'
import { speechPrice } from '../domain/models/prices.js'
import { findInferenceModel } from './find-inference-model.js'
import { findVoice, noSpeechModel } from './find-voice.js'

type Quoter<Id extends OperationId> = (
  context: Omit<Context<Id>, 'order'>,
) => Promise<Failure | Quote<Id>>

/**
 * What a request may cost, by operation. Refuses work that cannot be done, or not in time, before a
 * payment is credited and the price is held. An operation that is not here has one price for all
 * requests, or none.
 */
export const quotes: { readonly [Id in OperationId]?: Quoter<Id> } = {
  createSpeech: async (context) => {
    const { input, callerId, services } = context
    const { input: text, response_format: format, streaming, speed } = input
    const voice = await findVoice(context)
    if (typeof voice !== 'string') return voice
    services.speech.refuseLate?.({ text, caller: callerId, format, streaming, speed })
    const model = services.catalogue.speechModels.get(input.model)
    if (!model) return noSpeechModel(input.model)
    const price = speechPrice(model, Array.from(text).length)
    return { most: price, least: price, order: undefined }
  },

  createChatCompletion: async ({ input, callerId, services }) => {
    const { catalogue, chat, media } = services
    const found = findInferenceModel(input.model, catalogue.textModels, chat, 'text')
    if ('failure' in found) return found.failure
    const { model } = found
    try {
      const order = await readChatOrder(input as unknown as GivenChat, {
        model,
        extraFields: chat.extraFields?.(model.id) ?? new Set(),
        reader: media,
        caller: callerId,
      })
      if ('fault' in order) return invalidField(order.field, order.fault)
      chat.refuseLate?.({ caller: callerId, n: order.n, maxTokens: order.limit })
      return { ...quoteChat(order), order }
    } catch (error) {
      return fileFailure(error, 'messages', 'MEDIA_READER_OVERLOADED')
    }
  },
}
