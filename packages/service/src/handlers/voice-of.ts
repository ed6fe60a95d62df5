import { invalidField } from '../contract/failures.js'
import type { Context } from '../contract/handler.js'
import { speechModels } from '../domain/models/speech-models.js'

/**
 * A voice of the model, its default voice when the request names none, or a voice that the caller
 * cloned with this model.
 */
export async function voiceOf({
  input,
  given,
  caller,
  services,
}: Context<'createSpeech'>): Promise<string | ReturnType<typeof invalidField>> {
  const { model, voice } = input
  const facts = speechModels.get(model)
  if (!given.has('voice') && facts) return facts.defaultVoice
  if (facts?.voices.includes(voice) === true) return voice
  if (!voice.startsWith('vv_')) return invalidField('voice', `${voice} is not a voice of ${model}. GET /models/${model} lists its voices.`)
  const found = await services.voices.find(caller.account, voice)
  if (found?.model === model) return voice
  return invalidField(
    'voice',
    found ? `${voice} was made with ${found.model}.` : `There is no voice ${voice.slice(0, 64)} of yours, or it has expired.`,
  )
}
