import type { OperationId } from '@farebox/types/operations'
import type { Failure } from '../contract/failures.js'
import type { Context } from '../contract/handler.js'
import { findVoice } from './find-voice.js'

type Refusal<Id extends OperationId> = (context: Context<Id>) => Promise<Failure | undefined>

/**
 * Refuses work that cannot be done, or not in time, before a payment is credited and its price is
 * held.
 */
export const refusals: { readonly [Id in OperationId]?: Refusal<Id> } = {
  createSpeech: async (context) => {
    const { input, callerId, services } = context
    const { input: text, response_format: format, streaming, speed } = input
    const voice = await findVoice(context)
    if (typeof voice !== 'string') return voice
    await services.speech.refuseLate?.({ text, caller: callerId, format, streaming, speed })
    return undefined
  },
}
