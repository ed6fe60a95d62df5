import type { OperationId } from '@farebox/types/operations'
import type { Failure } from '../contract/failures.js'
import type { Context, Quote } from '../contract/handler.js'
import { speechPrice } from '../domain/models/prices.js'
import { findVoice, noSpeechModel } from './find-voice.js'

type Quoter<Id extends OperationId> = (context: Context<Id>) => Promise<Failure | Quote>

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
    return { most: price, least: price }
  },
}
